import { afterAll, describe, expect, it } from '@jest/globals';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { testInWhole } from '@scriptorium/testing/extent';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { Office, Page, wordsOf } from '@scriptorium/testing/rendered-page';
import {
  type ChartMarkup,
  chartParagraph,
  chartTemplate,
  fill,
  marker,
  oneChart,
  PLOTS,
  points,
  series,
} from '../fixtures/charts.ts';
import { cellsOf, chart, chartsOf, shown } from './chart-reading.ts';
import { generated } from './generated.ts';

describe('charts in loops', () => {
  const inLoop = (title: string, isMarkedAlt = false): Buffer => {
    const plots: ChartMarkup['plots'] = PLOTS.column?.(series(0)) ?? '';
    const body =
      p(run('{#list}')) + chartParagraph('chart1', isMarkedAlt ? 'descr="{chart}"' : '') + p(run('{/list}'));
    return chartTemplate(body, [{ title, plots }]);
  };

  testInWhole('have their own data, workbook and style in each copy', async () => {
    const list = [1, 2, 3].map((value) => ({ chart: chart([[value, value * 2, null]]) }));
    const found = await chartsOf(await generated(inLoop('Sales', true), { list }));
    expect(found.map(({ xml }) => shown(xml)[0]?.values)).toEqual([
      ['1', '2'],
      ['2', '4'],
      ['3', '6'],
    ]);
    for (const kind of ['package', 'chartStyle'])
      expect(new Set(found.map(({ to }) => to(kind).name)).size).toBe(3);
    const sheets = await Promise.all(found.map(({ to }) => cellsOf(to('package').bytes)));
    expect(sheets.map((cells) => cells.get('B2'))).toEqual(['1', '2', '3']);
  });

  it('have their own parts even if nothing in them is marked', async () => {
    const found = await chartsOf(await generated(inLoop('Sales'), { list: [1, 2, 3] }));
    for (const own of [
      found.map(({ part }) => part),
      found.map(({ to }) => to('package')),
      found.map(({ to }) => to('chartStyle')),
    ])
      expect(new Set(own.map(({ name }) => name)).size).toBe(3);
    expect(new Set(found.map(({ xml }) => xml)).size).toBe(1);
    expect(found.map(({ to }) => to('package').bytes.toString())).toEqual(
      Array(3).fill('the old workbook 1'),
    );
  });

  it('read the marks of their titles in the scope of the copy', async () => {
    const found = await chartsOf(
      await generated(inLoop('{name}'), { list: [{ name: 'one' }, { name: 'two' }] }),
    );
    expect(found.map(({ xml }) => /<a:t>(.*?)<\/a:t>/.exec(xml)?.[1])).toEqual(['one', 'two']);
  });

  it('exceed the bound of parts with an error that says so', async () => {
    const list = Array(3_000).fill(1);
    await expect(generated(inLoop('Sales'), { list })).rejects.toThrow(OoxmlError);
  });
});

describe('a chart in LibreOffice', () => {
  const office = new Office();
  afterAll(() => office.close());

  testInWhole.each(['column', 'pie', 'scatter'])('shows the data of a %s chart', async (kind) => {
    const isPoints = kind === 'scatter';
    const values = isPoints
      ? [
          { x: 1, y: 20 },
          { x: 2, y: 40 },
        ]
      : [20, 40];
    const own = { name: 'Share', values, ...(kind === 'column' && { color: '#12AB34' }) };
    const data = {
      $chart: { title: 'Results', ...(!isPoints && { categories: ['Left', 'Right'] }), series: [own] },
    };
    const look = kind === 'pie' ? points(['FF0000', '12AB34']) : isPoints ? marker('12AB34') : fill('FF0000');
    const { bytes } = await generated(oneChart(kind, series(0, look, '', isPoints)), { chart: data });
    const pdf = office.convert(bytes, 'pdf');
    expect(wordsOf(pdf).map(({ word }) => word)).toEqual(
      expect.arrayContaining(['Results', ...(kind === 'column' ? ['Left', 'Right'] : [])]),
    );
    expect(new Page(pdf).areaOf([0x12, 0xab, 0x34])).toBeDefined();
  });

  testInWhole('shows series of points of which a later one is longer', async () => {
    const values = [1, 2, 3].map((x) => ({ x, y: x }));
    const list = [
      { color: '#12AB34', values: values.slice(1) },
      { color: '#AA1234', values },
    ];
    const template = oneChart('scatter', series(0, marker('0000FF'), '', true));
    const { bytes } = await generated(template, { chart: { $chart: { series: list } } });
    const page = new Page(office.convert(bytes, 'pdf'));
    expect([page.areaOf([0x12, 0xab, 0x34]), page.areaOf([0xaa, 0x12, 0x34])]).not.toContain(undefined);
  });

  testInWhole('shows dates as the data has them', async () => {
    const data = {
      $chart: { categories: ['2024-01-15', '2024-02-15'], series: [{ name: 'n', values: [1, 2] }] },
    };
    const { bytes } = await generated(oneChart('column', series(0)), { chart: data });
    const words = wordsOf(office.convert(bytes, 'pdf')).map(({ word }) => word);
    expect(words).toEqual(expect.arrayContaining(['2024-01-15', '2024-02-15']));
  });
});
