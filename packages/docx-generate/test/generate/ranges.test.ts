import { describe, expect, it } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));
const cell = (content: string) => `<w:tc><w:tcPr/>${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map((text) => cell(line(text))).join('')}</w:tr>`;
const table = (...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>${rows.join('')}</w:tbl>`;
const items = [{ name: 'Ada' }, { name: 'Grace' }];

describe('the range of a loop', () => {
  it('is the text between its marks in one paragraph', async () => {
    const { shown } = await fromBody(line('Names:{#items} {name},{/items} end'), { items });
    expect(shown()).toEqual(['Names: Ada, Grace, end']);
  });

  it('is the text between marks that are split over runs with different properties', async () => {
    const body = p(
      run('a{#it', '<w:b/>') +
        run('ems}[', '<w:i/>') +
        run('{na') +
        run('me}]{/', '<w:u w:val="single"/>') +
        run('items}z'),
    );
    const { shown, xml } = await fromBody(body, { items });
    expect(shown()).toEqual(['a[Ada][Grace]z']);
    expect(xml().match(/<w:i\/><\/w:rPr><w:t[^>]*>\[<\/w:t>/g)?.length).toBe(2);
  });

  it('is the paragraphs between paragraphs that hold only its marks, which go', async () => {
    const body =
      line('before') + line('{#items}') + line('{name}') + line('—') + line(' {/items} ') + line('after');
    const { shown } = await fromBody(body, { items });
    expect(shown()).toEqual(['before', 'Ada', '—', 'Grace', '—', 'after']);
  });

  it('is the text across paragraphs if a mark shares its paragraph', async () => {
    const body = line('Start {#items}name:') + line('{name}; {/items}end');
    expect((await fromBody(body, { items })).shown()).toEqual(['Start name:', 'Ada; name:', 'Grace; end']);
    expect((await fromBody(body, { items: [] })).shown()).toEqual(['Start end']);
  });

  it('is the row whose cells hold its marks', async () => {
    const body = table(row('Name', 'No.'), row('{#items}{name}', '{.}{/items}'.replace('{.}', '{name}')));
    const { shown } = await fromBody(body, { items });
    expect(shown()).toEqual(['|Name|No.|', '|Ada|Ada|', '|Grace|Grace|']);
  });

  it('is the rows from mark to mark of one table', async () => {
    const body = table(row('{#items}{name}', 'first'), row('second', '{name}{/items}'), row('total', '2'));
    const { shown } = await fromBody(body, { items });
    expect(shown()).toEqual(['|Ada|first|', '|second|Ada|', '|Grace|first|', '|second|Grace|', '|total|2|']);
  });

  it('omits rows that hold only marks', async () => {
    const body = table(
      row('{%tr for i in items %}', ''),
      row('{{ i.name }}', 'x'),
      row('', '{%tr endfor %}'),
    );
    expect((await fromBody(body, { items })).shown()).toEqual(['|Ada|x|', '|Grace|x|']);
  });

  it('is the content of one cell', async () => {
    const body = table(
      `<w:tr>${cell(line('{#items}') + line('{name}') + line('{/items}'))}${cell(line('b'))}</w:tr>`,
    );
    expect((await fromBody(body, { items })).xml()).toMatch(/Ada.*<\/w:p>.*Grace.*<\/w:p><\/w:tc>/);
  });

  it('is the smallest siblings that hold both marks, if nothing else fits', async () => {
    const body = line('x') + table(row('{#items}{name}', 'a')) + line('{name}{/items}') + line('y');
    const { shown } = await fromBody(body, { items });
    expect(shown()).toEqual(['x', '|Ada|a|', 'Ada', '|Grace|a|', 'Grace', 'y']);
  });

  it('may hold tables, loops and conditions', async () => {
    const inner = table(row('{#rows}{.}', '{/rows}'));
    const body = line('{#groups}') + line('{name}') + inner + line('{^rows}none{/rows}') + line('{/groups}');
    const groups = [
      { name: 'one', rows: ['a', 'b'] },
      { name: 'two', rows: [] },
    ];
    expect((await fromBody(body, { groups })).shown()).toEqual(['one', '|a||', '|b||', '', 'two', 'none']);
  });
});

describe('a range without content', () => {
  it('leaves a table out that has no row left', async () => {
    const body = line('a') + table(row('{#items}{name}', '{/items}')) + line('b');
    expect((await fromBody(body, { items: [] })).shown()).toEqual(['a', 'b']);
  });

  it('keeps an empty paragraph in a cell', async () => {
    const body = table(
      `<w:tr>${cell(line('{#items}') + line('{name}') + line('{/items}'))}${cell(line('b'))}</w:tr>`,
    );
    const { shown } = await fromBody(body, { items: [] });
    expect(shown()).toEqual(['||b|']);
  });

  it('keeps the break of a section with other content', async () => {
    const section = '<w:sectPr><w:pgSz w:w="16000" w:h="11000" w:orient="landscape"/></w:sectPr>';
    const body =
      line('wide') + line('{#items}') + line('{name}') + p('', section) + line('{/items}') + line('tall');
    const { shown, xml } = await fromBody(body, { items: [] });
    expect(shown()).toEqual(['wide', '', 'tall']);
    expect(xml()).toContain('landscape');
  });

  it('takes a section along that it holds whole', async () => {
    const section = '<w:sectPr><w:pgSz w:w="16000" w:h="11000" w:orient="landscape"/></w:sectPr>';
    const body =
      p('', '<w:sectPr/>') +
      line('{#items}') +
      line('{name}') +
      p('', section) +
      line('{/items}') +
      line('tall');
    const { xml } = await fromBody(body, { items: [] });
    expect(xml()).not.toContain('landscape');
  });
});

describe('a vertical merge', () => {
  const merged = (text: string, merge: string) => `<w:tc><w:tcPr>${merge}</w:tcPr>${line(text)}</w:tc>`;
  const [begin, goOn] = ['<w:vMerge w:val="restart"/>', '<w:vMerge/>'];
  const body = table(
    `<w:tr>${merged('group', begin)}${cell(line('{#a}first{/a}'))}</w:tr>`,
    `<w:tr>${merged('', goOn)}${cell(line('{#items}{name}{/items}'))}</w:tr>`,
  );

  it('begins in the first row that is left', async () => {
    const rows = table(
      `<w:tr>${merged('{%tr if a %}', '')}${cell(line(''))}</w:tr>`,
      `<w:tr>${merged('group', begin)}${cell(line('first'))}</w:tr>`,
      `<w:tr>${merged('{%tr endif %}', '')}${cell(line(''))}</w:tr>`,
      `<w:tr>${merged('rest', goOn)}${cell(line('second'))}</w:tr>`,
      `<w:tr>${merged('', goOn)}${cell(line('third'))}</w:tr>`,
    );
    expect((await fromBody(rows, { a: true })).xml().match(/<w:vMerge[^>]*>/g)).toEqual([begin, goOn, goOn]);
    expect((await fromBody(rows, { a: false })).xml().match(/<w:vMerge[^>]*>/g)).toEqual([begin, goOn]);
  });

  it('stays as it is where the row in which it begins stays', async () => {
    expect((await fromBody(body, { a: true, items })).xml().match(/<w:vMerge[^>]*>/g)).toEqual([begin, goOn]);
  });
});

describe('marks without a partner', () => {
  it('are all reported with part, place and text', async () => {
    const body = line('{#a}x') + table(row('{/b}', 'y'), row('z', '{/c}'));
    const { code, details } = await refusal(body, {});
    expect(code).toBe('TEMPLATE_INVALID');
    expect(details?.map(({ field }) => field)).toEqual([
      'word/document.xml:paragraph[1]',
      'word/document.xml:table[1]/row[2]/cell[2]/paragraph[1]',
    ]);
    expect(details?.map(({ issue }) => issue).join('\n')).toMatch(/\{#a\}[\s\S]*\{\/c\}/);
  });
});
