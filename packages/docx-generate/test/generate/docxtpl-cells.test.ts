import { describe, expect, it, test } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));
const cell = (text: string, properties = '') =>
  `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/>${properties}</w:tcPr>${line(text)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map((text) => cell(text)).join('')}</w:tr>`;
const table = (columns: number, ...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid>${'<w:gridCol w:w="2000"/>'.repeat(columns)}</w:tblGrid>${rows.join('')}</w:tbl>${p('')}`;
const spans = (xml: string) =>
  [...xml.matchAll(/<w:gridSpan w:val="(\d+)"/g)].map(([, columns]) => Number(columns));
const items = [{ no: 1 }, { no: 2 }, { no: 3 }];

describe('a mark of docxtpl for its cell', () => {
  it('merges the cells of a loop over rows', async () => {
    const body = table(
      2,
      row('{%tr for i in items %}', ''),
      row('{% vm %}{{ kind }}', '{{ i.no }}'),
      row('{%tr endfor %}', ''),
    );
    const { shown, xml } = await fromBody(body, { kind: 'K', items });
    expect(shown().filter((block) => block !== '')).toEqual(['|K|1|', '||2|', '||3|']);
    expect(xml().match(/<w:vMerge w:val="\w+"\/>/g)).toEqual([
      '<w:vMerge w:val="restart"/>',
      ...Array(2).fill('<w:vMerge w:val="continue"/>'),
    ]);
  });

  it('merges the cells of a loop over columns', async () => {
    const head = row('A', '{%tc for i in items %}', '{% hm %}Numbers', '{%tc endfor %}');
    const body = table(4, head, row('B', '{%tc for i in items %}', '{{ i.no }}', '{%tc endfor %}'));
    const { shown, xml } = await fromBody(body, { items });
    expect(shown().filter((block) => block !== '')).toEqual(['|A|Numbers|', '|B|1|2|3|']);
    expect([spans(xml()), xml().match(/<w:gridCol /g)?.length]).toEqual([[3], 4]);
  });

  it('joins columns, and fills the cell', async () => {
    const body = table(3, row('{% colspan n %}Whole'), row('{% cellbg bg %}{{ a }}', 'b', 'c'));
    const { shown, xml } = await fromBody(body, { n: 3, bg: '#ff0000', a: 'a' }, { onUnused: 'error' });
    expect(shown().filter((block) => block !== '')).toEqual(['|Whole|', '|a|b|c|']);
    expect([spans(xml()), xml().match(/w:fill="([^"]*)"/)?.[1]]).toEqual([[3], 'ff0000']);
  });

  it('needs a number of columns and a color', async () => {
    const body = table(2, row('{% colspan n %}x', '{% cellbg bg %}y'));
    const { details } = await refusal(body, { n: 0, bg: 'red' });
    expect(details).toEqual([
      {
        field: 'data.n',
        issue: 'must be a whole number from 1 to 63, because {% colspan n %} joins columns',
      },
      { field: 'data.bg', issue: 'must be a color such as FF0000, because {% cellbg bg %} fills a cell' },
    ]);
  });

  it('must be in a table', async () => {
    const { details } = await refusal(line('{% vm %}{{ a }}'), {});
    expect(details?.[0]?.issue).toMatch(/^It is not in a cell of a table/);
  });
});

test.each([
  ['{% set total = price * 2 %}{{ total }}', '4'],
  ['{% set x = 1 %}{% for i in xs %}{% set x = i %}{{ x }}{% endfor %}{{ x }}', 'ab1'],
  ['{% set x = 1 %}{% if price %}{% set x = 5 %}{% endif %}{{ x }}', '5'],
  ['{% set x = price %}{{ x }}{% set x = x + 1 %}{{ x }}', '23'],
])('an assignment is known in the rest of its loop, or of the part: %s', async (text, shown) => {
  const data = { price: 2, xs: ['a', 'b'] };
  const filled = await fromBody(line(text), data, { onMissing: 'error' });
  expect(filled.shown()).toEqual([shown]);
});

it('an assignment may take its paragraph along, and other forms of it are refused', async () => {
  const { shown, report } = await fromBody(
    line('{%p set x = a %}') + line('{{ x.b }}'),
    { a: { b: 1 } },
    { onUnused: 'error' },
  );
  expect([shown(), report.unmatched.count]).toEqual([['1'], 0]);
  const { details } = await refusal(line('{% set a, b = c %}{{ a }}'), {});
  expect(details?.[0]?.issue).toMatch(/^This form of “set” is not supported/);
});
