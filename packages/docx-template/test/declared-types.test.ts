import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { testInWhole } from '@scriptorium/testing/extent';
import { templateOf as wordTemplateOf } from '@scriptorium/testing/fixtures/templates/template';
import { control, paragraph, run as styledRun } from '@scriptorium/testing/fixtures/templates/word';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { shownTexts } from '@scriptorium/testing/office';
import type { FieldValueInput } from '../src/fields.ts';
import { fill, inspected, text } from './filling.ts';

const declared = (type: string, content: string) =>
  sdt({ id: 7, tag: { fieldId: 'x', fieldTypeShort: type } }, content);
const filledWith = (source: Buffer, value: string) => fill(source, [text({ id: 'x' }, value)]);

describe('a field declared as a checkbox', () => {
  const source = templateOf(p(declared('checkbox', run('☐'))));

  testInWhole.each([
    ['true', '☒'],
    ['false', '☐'],
    ['', '☐'],
  ])('shows %j as a box', async (value, shown) => {
    expect((await shownTexts([(await filledWith(source, value)).bytes]))[0]?.trim()).toBe(shown);
  });

  test('rejects another text, and is listed as a checkbox', async () => {
    await expect(filledWith(source, 'maybe')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await inspected(source)).fields[0]?.options.control).toBe('checkbox');
  });
});

describe('a field declared as HTML', () => {
  const HTML =
    '<!-- c --><style>p{}</style><p>Dear <b>Ada</b> &amp; <i>Bob</i>,</p><p>a &lt; b<br>next</p><ul><li>one<li>two</ul><script>alert(1)</script>end';

  testInWhole('shows paragraphs, and bold and italic text', async () => {
    const source = templateOf(declared('html', p(run('old', '<w:color w:val="C00000"/>'))));
    const { xml, bytes } = await filledWith(source, HTML);
    expect((await shownTexts([bytes]))[0]).toMatch(
      /^Dear Ada & Bob,\na ?< ?b\nnext\n\s*•\s+one\n\s*•\s+two\nend\s*$/,
    );
    expect(xml()).toContain(run('Ada', '<w:b/><w:color w:val="C00000"/>'));
    expect(xml()).toContain(run('Bob', '<w:i/><w:color w:val="C00000"/>'));
  });

  testInWhole('in a paragraph shows lines', async () => {
    const { bytes } = await filledWith(templateOf(p(run('See ') + declared('html', run('old')))), HTML);
    expect((await shownTexts([bytes]))[0]).toMatch(/See Dear Ada & Bob,\na ?< ?b\nnext/);
  });

  testInWhole.each([
    '',
    '<',
    '<b',
    '<!--',
    '</p></b>',
    'a < b > c',
    '&#0;&bogus;',
    '<u>x</u><b></b>',
    '<p>'.repeat(5_000),
  ])('is valid for %j', async (value) => {
    const source = templateOf(declared('html', p(run('old', '<w:b/><w:u w:val="single"/>'))));
    expect((await filledWith(source, value)).report.filled).toBe(1);
  });
});

describe('a field declared as a link', () => {
  testInWhole('shows an address as a hyperlink', async () => {
    for (const body of [p(declared('link', run('old'))), declared('link', p(run('old')))]) {
      const { xml, bytes } = await filledWith(templateOf(body), 'https://example.com/?a=1&b=2');
      const { main } = await openPackage(bytes);
      const link = main.relationships.list.find(({ kind }) => kind === 'hyperlink');
      expect(link).toMatchObject({ target: 'https://example.com/?a=1&b=2', isExternal: true });
      expect(xml()).toContain(`r:id="${link?.id}"`);
      expect((await shownTexts([bytes]))[0]?.trim()).toBe('https://example.com/?a=1&b=2');
    }
  });

  testInWhole.each(['see our page', 'javascript:alert(1)', 'file:///etc/passwd', ''])(
    'shows %j as text',
    async (value) => {
      const { xml } = await filledWith(templateOf(p(declared('link', run('old')))), value);
      expect(xml()).not.toContain('hyperlink');
    },
  );
});

describe('a repeating section of paragraphs', () => {
  const item = (id: number, text: string) =>
    control(
      { id, kind: '<w15:repeatingSectionItem/>' },
      paragraph(styledRun(text, '<w:b/>'), '<w:jc w:val="right"/>'),
    );
  const source = wordTemplateOf({
    body:
      control({ tag: 'x', id: 1, kind: '<w15:repeatingSection/>' }, item(2, 'one') + item(3, 'two')) +
      paragraph('Below'),
  });

  test.each([
    ['the lines of a text', { id: 'x', type: 'text', value: 'a\nb\nc', options: {} }],
    ['the rows of a table', { id: 'x', type: 'table', value: [['a'], ['b'], ['c']], options: {} }],
  ] satisfies [string, FieldValueInput][])('has an item for each of %s', async (_, field) => {
    const { xml, bytes } = await fill(source, [field]);
    expect(xml().match(/<w15:repeatingSectionItem\/>/g)).toHaveLength(3);
    expect(xml()).toContain('<w15:repeatingSection/>');
    expect(xml()).not.toContain('<w:tbl>');
    expect(xml().match(/<w:jc w:val="right"\/>/g)).toHaveLength(3);
    expect((await shownTexts([bytes]))[0]).toMatch(/a\s+b\s+c\s+Below/);
    const flat = await fill(source, [field], { flatten: true });
    expect(flat.xml()).not.toContain('<w:sdt>');
  });

  test('keeps one empty item without a value', async () => {
    const { xml } = await fill(source, [{ id: 'x', type: 'table', value: [], options: {} }]);
    expect(xml().match(/<w15:repeatingSectionItem\/>/g)).toHaveLength(1);
    expect(xml()).not.toMatch(/>one<|>two</);
  });
});

describe('a value', () => {
  test('with U+000B has a line break in the paragraph, in a control, a cell and a placeholder', async () => {
    const source = templateOf(sdt({ id: 7, tag: 'x' }, p(run('old'))) + p(run('{x}')) + p(run('{y}')));
    const { xml } = await fill(source, [text({ id: 'x' }, 'a\vb'), text({ id: 'y' }, 'c\vd')]);
    expect(xml().match(/<w:br\/>/g)).toHaveLength(2);
    expect(xml()).not.toContain('\v');
    const rows = await fill(templateOf(sdt({ id: 7, tag: 'x' }, p(run('old'))) + p('')), [
      { id: 'x', type: 'table', value: [['a\vb']], options: {} },
    ]);
    expect(rows.xml()).toMatch(/a<\/w:t><w:br\/><w:t[^>]*>b/);
  });
});
