import { describe, expect, it, test } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const WIDTH = 2000;
const cell = (text: string) =>
  `<w:tc><w:tcPr><w:tcW w:w="${WIDTH}" w:type="dxa"/></w:tcPr>${p(run(text))}</w:tc>`;
const table = (...rows: string[][]) => {
  const columns = rows[0]?.map(() => `<w:gridCol w:w="${WIDTH}"/>`).join('');
  const body = rows.map((cells) => `<w:tr>${cells.map(cell).join('')}</w:tr>`).join('');
  return `<w:tbl><w:tblPr/><w:tblGrid>${columns}</w:tblGrid>${body}</w:tbl>`;
};

/** Tables whose columns repeat, in each language: the years and the sums of a list. */
const TABLES: readonly (readonly [language: string, body: string])[] = [
  [
    'jinja',
    table(
      ['Year', '{%tc for x in xs %}', '{{ x.y }}', '{%tc endfor %}'],
      ['Sum', '{%tc for x in xs %}', '{{ x.s }}', '{%tc endfor %}'],
    ),
  ],
  ['curly', table(['Year', '{-w:tc xs}{y}{/xs}'], ['Sum', '{-w:tc xs}{s}{/xs}'])],
  ['easy-template-x', table(['Year', '{#xs [loopOver: "column"]}{y}'], ['Sum', '{s}{/xs}'])],
  ['carbone', table(['Year', '{d.xs[i].y}', '{d.xs[i+1].y}'], ['Sum', '{d.xs[i].s}', '{d.xs[i+1].s}'])],
  [
    'command',
    table(
      ['Year', '+++FOR x IN xs+++', '+++= $x.y+++', '+++END-FOR x+++'],
      ['Sum', '+++FOR x IN xs+++', '+++= $x.s+++', '+++END-FOR x+++'],
    ),
  ],
];

describe.each(TABLES)('the columns of a table in %s', (_, body) => {
  const columns = body.match(/<w:gridCol /g)?.length ?? 0;

  test.each([1, 2, 3, 12])('are %d items in all rows, on a grid of the same width', async (count) => {
    const xs = Array.from({ length: count }, (_, at) => ({ y: 2000 + at, s: at }));
    const { shown, xml, report } = await fromBody(body, { xs });
    expect(shown()).toEqual([
      `|Year|${xs.map(({ y }) => y).join('|')}|`,
      `|Sum|${xs.map(({ s }) => s).join('|')}|`,
    ]);
    expect(report.unmatched.count).toBe(0);
    const grid = [...xml().matchAll(/<w:gridCol w:w="(\d+)"/g)].map(([, width]) => Number(width));
    expect(grid).toHaveLength(count + 1);
    expect(grid.reduce((a, b) => a + b)).toBe(columns * WIDTH);
  });
});

it('columns of a table in a table repeat, too', async () => {
  const inner = table(['{%tc for x in xs %}', '{{ x }}', '{%tc endfor %}']);
  const { shown } = await fromBody(`<w:tbl><w:tblPr/><w:tr><w:tc>${inner}${p('')}</w:tc></w:tr></w:tbl>`, {
    xs: [1, 2],
  });
  expect(shown().join('')).toContain('|1|2|');
});

describe('items of a list in Carbone', () => {
  it('repeat again behind the example of the next item', async () => {
    const line = p(run('{d.xs[i].y},{d.xs[i+1].y}'));
    const rows = table(['{d.xs[i].y}'], ['{d.xs[i+1].y}']);
    const xs = [{ y: 1 }, { y: 2 }];
    expect((await fromBody(line + line + rows + rows, { xs })).shown()).toEqual([
      ...['1,2,', '1,2,', '|1|', '|2|', '|1|', '|2|'],
    ]);
  });

  it('that stand behind the example of the next item without one of their own are a mistake', async () => {
    const { details } = await refusal(p(run('{d.xs[i].y} {d.xs[i+1].y} {d.xs[i].s}')), {});
    expect(details).toMatchObject([
      { issue: expect.stringMatching(/second mark with \[i\+1\].*\{d.xs\[i\].s\}/) },
    ]);
  });
});
