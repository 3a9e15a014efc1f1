import { describe, expect, it } from '@jest/globals';
import { TemplateError } from '@scriptorium/docx-template/error';
import type { Json } from '@scriptorium/expressions/expression';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { chartTemplate, oneChart, series } from '../fixtures/charts.ts';
import { chart } from './chart-reading.ts';
import { generated } from './generated.ts';

async function issuesOf(template: Buffer, data: Json): Promise<string[]> {
  try {
    await generated(template, data);
  } catch (error) {
    if (error instanceof TemplateError)
      return (error.details ?? []).map(({ field, issue }) => `${field} ${issue}`);
    throw error;
  }
  return [];
}

describe('data that a chart cannot show', () => {
  const column = oneChart('column', series(0));
  const cases: [what: string, template: Buffer, value: Json, issue: RegExp][] = [
    [
      'too few values',
      column,
      chart([[1, 2]]),
      /^data\.chart\.\$chart\.series\[0\]\.values has 2 entries, but there are 3 categories$/,
    ],
    [
      'a text as a value',
      column,
      { $chart: { categories: ['a'], series: [{ values: ['x'] }] } },
      /^data\.chart\.\$chart\.series\[0\]\.values\[0\] must be a number/,
    ],
    ['too many series', column, chart(Array(101).fill([1, 2, 3])), /series may have at most 100 series/],
    [
      'too many points',
      column,
      { $chart: { series: Array(11).fill({ values: Array(1_000).fill(1) }) } },
      /series may have at most 10000 points in all/,
    ],
    [
      'points in a chart of categories',
      column,
      { $chart: { categories: ['a'], series: [{ values: [{ x: 1, y: 1 }] }] } },
      /values\[0\] must be a number or null/,
    ],
    [
      'no categories',
      column,
      { $chart: { series: [{ values: [1] }] } },
      /\$chart\.categories is missing, but the chart “Chart 7”/,
    ],
    [
      'numbers in a scatter chart',
      oneChart('scatter', series(0, '', '', true)),
      chart([[1, 2, 3]]),
      /values\[0\] must be a point/,
    ],
    [
      'bubbles without sizes',
      oneChart('bubble', series(0, '', '', true)),
      { $chart: { series: [{ values: [{ x: 1, y: 1 }] }] } },
      /values\[0\]\.size is missing/,
    ],
    [
      'two series in a pie',
      oneChart('pie', series(0)),
      chart([
        [1, 2, 3],
        [1, 2, 3],
      ]),
      /series\[1\] is one too many/,
    ],
    [
      'a kind that is not supported',
      oneChart('surface', series(0)),
      chart([[1, 2, 3]]),
      /cannot fill the chart “Chart 7” \(word\/charts\/chart1\.xml\).*surfaceChart/,
    ],
  ];

  it.each(cases)('is refused with its path: %s', async (_, template, value, issue) => {
    const issues = await issuesOf(template, { chart: value });
    expect(issues).not.toHaveLength(0);
    for (const found of issues) expect(found).toMatch(issue);
  });

  it('is refused in running text', async () => {
    const template = chartTemplate(p(run('{chart}')), []);
    expect(await issuesOf(template, { chart: chart([[1, 2, 3]]) })).toEqual([
      expect.stringContaining('must stand in the title'),
    ]);
  });
});
