import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

async function filled(body: string, value: string): Promise<string> {
  return (await fill(templateOf(body), [text({ id: 'x' }, value)])).xml();
}

function refusal(issue: string) {
  return {
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields[0].value', issue: expect.stringContaining(issue) }],
  };
}

describe('a checkbox', () => {
  const box = (checked: string, symbol: string) =>
    p(
      sdt(
        {
          tag: 'x',
          properties: `<w14:checkbox>${checked}<w14:checkedState w14:val="2612" w14:font="MS Gothic"/><w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox>`,
        },
        run(symbol, '<w:rFonts w:hint="eastAsia" w:ascii="MS Gothic"/><w:b/>'),
      ),
    );

  test.each([
    ['true', '1', '☒'],
    ['1', '1', '☒'],
    ['Yes', '1', '☒'],
    ['x', '1', '☒'],
    ['false', '0', '☐'],
    ['no', '0', '☐'],
    ['', '0', '☐'],
  ])('filled with “%s” has the state %s and shows %s', async (value, state, symbol) => {
    const result = await filled(box('<w14:checked w14:val="1"/>', '☒'), value);
    expect(result).toContain(`<w14:checked w14:val="${state}"/>`);
    expect(result).toContain(`>${symbol}</w:t>`);
    expect(result).toMatch(/<w:rPr><w:rFonts w:ascii="MS Gothic"[^>]*\/><w:b\/><\/w:rPr>/);
  });

  test('without a state gets one', async () => {
    expect(await filled(box('', '☐'), 'true')).toMatch(/<w14:checkbox><w14:checked w14:val="1"\/>/);
    const bare = p(sdt({ tag: 'x', properties: '<w14:checkbox/>' }, run('☐')));
    expect(await filled(bare, 'true')).toContain('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>');
  });

  test('gets a new font even if the name of the old one contains >', async () => {
    const body = box('', '☒').replace('w:ascii="MS Gothic"/>', 'w:ascii="a>b"/>');
    expect(body).toContain('a>b');
    for (const style of ['<w:b/>', '']) {
      const result = await filled(body.replace('<w:b/>', style), 'true');
      expect(result).toMatch(/<w:rPr><w:rFonts w:ascii="MS Gothic"[^>]*\/>(?:<w:b\/>)?<\/w:rPr>/);
    }
  });

  test('rejects a value that is neither yes nor no', async () => {
    await expect(filled(box('', '☐'), 'maybe')).rejects.toMatchObject(refusal('must be true or false'));
  });
});

describe('a list', () => {
  const items =
    '<w:listItem w:displayText="Germany" w:value="DE"/><w:listItem w:displayText="France" w:value="FR"/>';
  const list = (name: string) =>
    p(sdt({ tag: 'x', properties: `<w:${name} w:lastValue="DE">${items}</w:${name}>` }, run('Germany')));

  test.each(['France', 'FR'])(
    'shows the text of the item given as %s, and stores its value',
    async (value) => {
      const result = await filled(list('dropDownList'), value);
      expect(result).toContain('<w:dropDownList w:lastValue="FR">');
      expect(result).toContain('>France</w:t>');
    },
  );

  test('rejects a value that is not a choice, and lists its choices', async () => {
    await expect(filled(list('dropDownList'), 'Spain')).rejects.toMatchObject(refusal('“Germany”, “France”'));
    expect(await filled(list('dropDownList'), '')).not.toContain('>Germany</w:t>');
  });

  test('that is a combo box accepts any text', async () => {
    expect(await filled(list('comboBox'), 'Spain')).toMatch(/w:lastValue="Spain".*>Spain<\/w:t>/);
  });
});

describe('a date', () => {
  const date = (format: string, language: string) =>
    p(
      sdt(
        {
          tag: 'x',
          properties: `<w:date w:fullDate="2001-01-01T00:00:00Z"><w:dateFormat w:val="${format}"/><w:lid w:val="${language}"/></w:date>`,
        },
        run('old'),
      ),
    );

  test.each([
    ['dddd, MMMM d, yyyy', 'en-US', '2026-03-05', 'Thursday, March 5, 2026'],
    ['d. MMMM yyyy', 'de-DE', '2026-03-05', '5. März 2026'],
    ['d MMMM yyyy', 'ru-RU', '2026-03-05', '5 марта 2026'],
    ['dd/MM/yy', 'en-GB', '2026-03-05', '05/03/26'],
    ['ddd d MMM', 'fr-FR', '2026-03-05', 'jeu. 5 mars'],
    ['yyyy-MM-dd HH:mm', 'en-US', '2026-03-05T09:07:00Z', '2026-03-05 09:07'],
    ['h:mm am/pm', 'en-US', '2026-03-05T21:07', '9:07 PM'],
    ["'on' d.M.", 'no language', '2026-03-05', 'on 5.3.'],
  ])('with the format %s (%s) shows %s as %s', async (format, language, value, shown) => {
    const result = await filled(date(format, language), value);
    expect(result).toContain(`>${shown}</w:t>`);
    expect(result).toMatch(/w:fullDate="2026-03-05T\d\d:\d\d:00Z"/);
  });

  test('with an overlong format is shown as given', async () => {
    expect(await filled(date('dddd'.repeat(100), 'en-US'), '2026-03-05')).toContain('>2026-03-05</w:t>');
  });

  testInWhole('fills twenty thousand controls as fast as other text', async () => {
    const startedAt = process.cpuUsage();
    const result = await filled(date('dddd, d. MMMM yyyy', 'de-DE').repeat(20_000), '2026-03-05');
    expect(result.split('Donnerstag, 5. März 2026')).toHaveLength(20_001);
    expect(cpuMsSince(startedAt)).toBeLessThan(8_000);
  });

  test.each([
    'next week',
    '2026-02-30',
    '2026-13-01',
    '2026-02-03T10:75',
    '2026-02-03T10:00:61',
    '0000-01-01',
  ])('that is invalid, “%s”, is shown as given and not stored', async (value) => {
    const result = await filled(date('d.M.yyyy', 'de-DE'), value);
    expect(result).toContain(`>${value}</w:t>`);
    expect(result).not.toContain('fullDate');
  });
});

test('text in a picture control changes it to a text control', async () => {
  expect(await filled(p(sdt({ tag: 'x', properties: '<w:picture/>' }, run('old'))), 'new')).not.toContain(
    'w:picture',
  );
});
