import { describe, expect, it } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive } from '@scriptorium/ooxml/zip';
import { chartParagraph, chartTemplate, fill, oneChart, PLOTS, series } from '../fixtures/charts.ts';
import { CATEGORIES, cellsIn, cellsOf, chart, chartsOf, shown } from './chart-reading.ts';
import { generated } from './generated.ts';

describe('the data of a chart', () => {
  const isPoints = (kind: string) => kind === 'scatter' || kind === 'bubble';
  const kinds = Object.keys(PLOTS).filter((kind) => kind !== 'surface');

  it.each(kinds)('is replaced in a %s chart, and its workbook says the same', async (kind) => {
    const list = Array.from({ length: kind === 'pie' ? 1 : 4 }, (_, index) => ({
      name: `Region ${index + 1}`,
      values: Array.from({ length: 3 }, (_item, at) =>
        isPoints(kind) ? { x: at + index, y: at * 2, size: at + 1 } : at * 10 + index,
      ),
    }));
    const data = { $chart: { ...(!isPoints(kind) && { categories: CATEGORIES }), series: list } };
    const template = oneChart(kind, series(0, fill('accent1'), '', isPoints(kind)));
    const [found] = await chartsOf(await generated(template, { chart: data }));
    const result = shown(found?.xml ?? '');
    const expected = list.map(({ name, values }) => ({
      name,
      across: isPoints(kind) ? values.map((value) => String((value as { x: number }).x)) : CATEGORIES,
      values: values.map((value) => String(typeof value === 'object' ? value.y : value)),
    }));
    expect(result).toMatchObject(expected);
    expect(found?.xml).not.toMatch(/987|sample/i);
    const cells = await cellsOf(found?.to('package').bytes ?? Buffer.alloc(0));
    for (const { name, across, values, ranges } of result) {
      const [nameAt = '', acrossAt = '', valuesAt = '', sizesAt] = ranges;
      expect([cellsIn(cells, nameAt), cellsIn(cells, acrossAt), cellsIn(cells, valuesAt)]).toEqual([
        [name],
        across,
        values,
      ]);
      expect(sizesAt === undefined ? [] : cellsIn(cells, sizesAt)).toEqual(
        kind === 'bubble' ? ['1', '2', '3'] : [],
      );
    }
  });

  it('keeps empty points empty', async () => {
    const [found] = await chartsOf(
      await generated(oneChart('line', series(0)), { chart: chart([[1, null, 3]]) }),
    );
    expect(found?.xml).toContain(
      '<c:ptCount val="3"/><c:pt idx="0"><c:v>1</c:v></c:pt><c:pt idx="2"><c:v>3</c:v></c:pt>',
    );
  });

  it('keeps the looks of series, and gives further ones accents that no other has', async () => {
    const template = oneChart('column', series(0, fill('accent2')) + series(1, fill('AA0000')));
    const values = [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ];
    const [found] = await chartsOf(await generated(template, { chart: chart(values) }));
    const colors = shown(found?.xml ?? '').map(
      ({ source }) => /<c:spPr>.*?Clr[^>]* val="(\w+)"/.exec(source)?.[1],
    );
    expect(colors.slice(0, 2)).toEqual(['accent2', 'AA0000']);
    expect(new Set(colors).size).toBe(4);
    expect(colors.slice(2).every((color) => color?.startsWith('accent'))).toBe(true);
  });

  it.each(['column', 'line', 'scatter'])('paints a series of a %s chart in its own color', async (kind) => {
    const point = kind === 'scatter';
    const values = point ? [{ x: 1, y: 2 }] : [5];
    for (const look of ['', fill('accent1')]) {
      const data = { $chart: { categories: ['a'], series: [{ name: 'n', values, color: '#12ab34' }] } };
      const [found] = await chartsOf(
        await generated(oneChart(kind, series(0, look, '', point)), { chart: data }),
      );
      expect(shown(found?.xml ?? '')[0]?.source).toContain('val="12AB34"');
    }
  });

  it('writes ISO dates as numbers with a date format, which the axis shows', async () => {
    const data = {
      $chart: { categories: ['2024-02-29', '2024-03-01'], series: [{ name: 'n', values: [1, 2] }] },
    };
    const [found] = await chartsOf(await generated(oneChart('column', series(0)), { chart: data }));
    expect(found?.xml).toContain(
      '<c:formatCode>yyyy-mm-dd</c:formatCode><c:ptCount val="2"/><c:pt idx="0"><c:v>45351</c:v>',
    );
    expect(found?.xml).toContain('<c:numFmt formatCode="yyyy-mm-dd" sourceLinked="1"/>');
    const cells = await cellsOf(found?.to('package').bytes ?? Buffer.alloc(0));
    expect(cellsIn(cells, 'Sheet1!$A$2:$A$3')).toEqual(['45351', '45352']);
  });

  it('reads texts that only look like dates as texts', async () => {
    const data = {
      $chart: { categories: ['2024-02-30', '2024-03-01'], series: [{ name: 'n', values: [1, 2] }] },
    };
    const [found] = await chartsOf(await generated(oneChart('column', series(0)), { chart: data }));
    expect(shown(found?.xml ?? '')[0]?.across).toEqual(['2024-02-30', '2024-03-01']);
  });

  it('reads the charts of easy-template-x', async () => {
    const data = {
      _type: 'chart',
      title: 'Sales',
      categories: { names: ['a', 'b'] },
      series: [{ name: 'n', values: [1, 2] }],
    };
    const [found] = await chartsOf(await generated(oneChart('column', series(0)), { chart: data }));
    expect(shown(found?.xml ?? '')).toMatchObject([{ name: 'n', across: ['a', 'b'], values: ['1', '2'] }]);
    expect(found?.xml).toContain('<a:t>Sales</a:t>');
  });

  it('removes the old workbook', async () => {
    const result = await generated(oneChart('column', series(0)), { chart: chart([[1, 2, 3]]) });
    const names = [...(await readArchive(result.bytes, new Budget())).keys()].filter((name) =>
      name.endsWith('.xlsx'),
    );
    expect(names).toHaveLength(1);
    const [found] = await chartsOf(result);
    expect(found?.to('package').bytes.toString('latin1', 0, 2)).toBe('PK');
  });
});

describe('the mark of a chart', () => {
  it('gives its place to the title, or the title goes', async () => {
    const named = await chartsOf(
      await generated(oneChart('column', series(0)), { chart: chart([[1, 2, 3]], { title: 'A < B' }) }),
    );
    expect(named[0]?.xml).toContain('<a:t>A &lt; B</a:t>');
    const [unnamed] = await chartsOf(
      await generated(oneChart('column', series(0)), { chart: chart([[1, 2, 3]]) }),
    );
    expect(unnamed?.xml).not.toContain('<c:title>');
    expect(unnamed?.xml).toContain('<c:autoTitleDeleted val="1"/>');
  });

  it.each(['descr', 'title'])('may be the attribute %s of its drawing', async (attribute) => {
    const template = chartTemplate(chartParagraph('chart1', `${attribute}="{chart}"`), [
      { title: 'Fixed', plots: PLOTS.line?.(series(0)) ?? '' },
    ]);
    const result = await generated(template, { chart: chart([[4, 5, 6]], { title: 'Growth' }) });
    const [found] = await chartsOf(result);
    expect(shown(found?.xml ?? '')).toMatchObject([{ values: ['4', '5', '6'] }]);
    expect(found?.xml).toContain('<a:t>Fixed</a:t>');
    expect(result.xml()).toContain(`${attribute}="Growth"`);
  });

  it('may share the title with a text', async () => {
    const template = chartTemplate(chartParagraph('chart1'), [
      { title: 'Sales {chart}', plots: PLOTS.line?.(series(0)) ?? '' },
    ]);
    const [found] = await chartsOf(
      await generated(template, { chart: chart([[4, 5, 6]], { title: '2024' }) }),
    );
    expect(found?.xml).toContain('<a:t>Sales 2024</a:t>');
    expect(shown(found?.xml ?? '')).toMatchObject([{ values: ['4', '5', '6'] }]);
  });

  it('keeps the sample data if the data has no value for it', async () => {
    const result = await generated(oneChart('column', series(0)), {});
    const [found] = await chartsOf(result);
    expect(shown(found?.xml ?? '')).toMatchObject([{ values: ['987.5'] }]);
    expect(result.report.unmatched.names).toEqual(['data.chart']);
  });

  it('stays an ordinary text for a text', async () => {
    const [found] = await chartsOf(await generated(oneChart('column', series(0)), { chart: 'Only a title' }));
    expect(found?.xml).toContain('<a:t>Only a title</a:t>');
    expect(shown(found?.xml ?? '')).toMatchObject([{ name: 'Sample 0', values: ['987.5'] }]);
  });
});
