import type { FieldIssue } from '@scriptorium/docx-template/error';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { attributeOf, childOf, descendantsOf, type Edit, type XmlNode } from '@scriptorium/ooxml/xml';
import { type ChartValue, isPoint } from '../values/chart.ts';
import { invalidValue, invalidValues } from '../values/value-kind.ts';
import { type ChartTree, element, namespaceOf, numberIn, textIn } from './chart-tree.ts';
import { baseOf, mainColor, Palette } from './colors.ts';
import { type ChartColumns, type Column, columnsOf, isDateFormat } from './columns.ts';
import { type Family, type Look, lookChars, seriesElement } from './series.ts';
import { workbookOf } from './workbook.ts';

interface Kind {
  family: Family;
  isLine?: true;
  /** It shows one series. */
  isSingle?: true;
  /** Its points have the colors. */
  isPie?: true;
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['c:barChart', { family: 'category' }],
  ['c:bar3DChart', { family: 'category' }],
  ['c:lineChart', { family: 'category', isLine: true }],
  ['c:line3DChart', { family: 'category' }],
  ['c:areaChart', { family: 'category' }],
  ['c:area3DChart', { family: 'category' }],
  ['c:radarChart', { family: 'category', isLine: true }],
  ['c:pieChart', { family: 'category', isSingle: true, isPie: true }],
  ['c:pie3DChart', { family: 'category', isSingle: true, isPie: true }],
  ['c:ofPieChart', { family: 'category', isSingle: true, isPie: true }],
  ['c:doughnutChart', { family: 'category', isPie: true }],
  ['c:scatterChart', { family: 'scatter', isLine: true }],
  ['c:bubbleChart', { family: 'bubble' }],
]);
/** What stands before the series of a plot (dml-chart.xsd). */
const BEFORE_SERIES = /^c:(?:barDir|grouping|varyColors|ofPieType|scatterStyle|radarStyle)$/;
const FORMAT_CHARS_MAX = 255;

interface Plot {
  node: XmlNode;
  kind: Kind;
  series: readonly XmlNode[];
}

/**
 * The edits that give a chart part other data, and the workbook with the same data. `relationship` is the id of the
 * relationship to that. Throws TemplateError VALIDATION_ERROR with paths of the value if the chart cannot show it;
 * `name` says which chart.
 */
export function fillChart(
  chart: ChartTree,
  value: ChartValue,
  { path, name, relationship }: { path: string; name: string; relationship: string },
): { edits: Edit[]; workbook: Buffer } {
  const plots = plotsOf(chart, path, name);
  const places = placesOf(plots, value.series?.length ?? 0);
  check(value, places, { path, name });
  const date1904 = childOf(chart.root, 'c:date1904');
  const isFrom1904 = date1904 !== undefined && !/^(?:0|false)$/.test(attributeOf(date1904, 'val') ?? '1');
  const data = columnsOf(value, (index) => formatsOf(chart, places[index]?.look), isFrom1904);
  const placed = plots.map((plot) => placedIn(plot, places, value));
  refuseLarge(chart, placed.flat(), data);
  const edits = [
    ...plots.flatMap((plot, index) => plotEdits(chart, plot, placed[index] ?? [], data)),
    ...partEdits(chart, data, relationship),
    ...axisEdits(chart, data),
  ];
  return { edits, workbook: workbookOf(data.columns, isFrom1904) };
}

/** A template may have a large look, of which each series gets a copy. */
function refuseLarge({ part }: ChartTree, placed: readonly Placed[], { series }: ChartColumns): void {
  const chars = placed.reduce((sum, { look, index }) => sum + lookChars(look, series[index]?.points ?? 0), 0);
  if (chars > BOUNDS.xmlBytesMax) throw boundPassed('xmlBytesMax', part.name);
}

/** The id of a chart's relationship to its workbook. */
export function workbookRelationship({ root }: ChartTree): string | undefined {
  const data = childOf(root, 'c:externalData');
  return data && attributeOf(data, 'r:id');
}

/** The edits that remove the title of a chart, so that no program invents another one. */
export function untitled(chart: ChartTree): Edit[] {
  const node = childOf(chart.root, 'c:chart');
  const title = node && childOf(node, 'c:title');
  if (node === undefined || title === undefined) return [];
  const known = childOf(node, 'c:autoTitleDeleted');
  const removed = element(chart, 'autoTitleDeleted', { val: 1 });
  if (known === undefined) return [{ start: title.start, end: title.end, text: removed }];
  return [
    { start: title.start, end: title.end, text: '' },
    { start: known.start, end: known.end, text: removed },
  ];
}

function plotsOf(chart: ChartTree, path: string, name: string): Plot[] {
  const node = childOf(chart.root, 'c:chart');
  const area = node && childOf(node, 'c:plotArea');
  const nodes = (area?.children ?? []).filter((child) => /^c:\w+Chart$/.test(child.name));
  const unknown = nodes.find((child) => !KINDS.has(child.name));
  if (unknown !== undefined || nodes.length === 0) {
    const kind = unknown?.name.slice('c:'.length) ?? 'unknown';
    throw invalidValue(path, `cannot fill ${name}: data of the kind ${kind} cannot be replaced`);
  }
  if (nodes.some(({ openEnd, end }) => openEnd === end))
    throw invalidValue(path, `cannot fill ${name}: it is empty`);
  return nodes.map((plot) => ({
    node: plot,
    kind: KINDS.get(plot.name) as Kind,
    series: plot.children.filter((child) => child.name === 'c:ser'),
  }));
}

/** The plot of each series of the data, and the series of the template that it looks like. */
interface SeriesPlace {
  plot: Plot;
  look: XmlNode | undefined;
  isOwn: boolean;
}

/** In the order in which the template shows its series. Further ones go to the plot of the last one. */
function placesOf(plots: readonly Plot[], count: number): SeriesPlace[] {
  const own = plots
    .flatMap((plot) => plot.series.map((node) => ({ plot, look: node, isOwn: true })))
    .sort((a, b) => (numberIn(a.look, 'c:order') ?? 0) - (numberIn(b.look, 'c:order') ?? 0));
  const plot = (own.at(-1)?.plot ?? plots[0]) as Plot;
  return Array.from(
    { length: count },
    (_, index) => own[index] ?? { plot, look: plot.series[0], isOwn: false },
  );
}

function check(
  { series = [], categories }: ChartValue,
  places: readonly SeriesPlace[],
  { path, name }: { path: string; name: string },
): void {
  const issues: FieldIssue[] = [];
  const add = (at: string, issue: string) => issues.push({ field: `${path}.${at}`, issue });
  const singles = new Set<Plot>();
  for (const [index, { values, color }] of series.entries()) {
    const { plot } = places[index] as SeriesPlace;
    const { family, isSingle, isPie } = plot.kind;
    const at = `series[${index}]`;
    if (isSingle && singles.has(plot)) add(at, `is one too many: ${name} shows one series`);
    singles.add(plot);
    if (isPie && color != null) add(`${at}.color`, `cannot be used: in ${name}, each point has its color`);
    if (family === 'category' && categories === undefined)
      add('categories', `is missing, but ${name} needs them`);
    const issue = family === 'category' ? 'must be a number or null' : 'must be a point with `x` and `y`';
    const wrong = values.findIndex((entry) => isPoint(entry) === (family === 'category'));
    if (wrong >= 0) add(`${at}.values[${wrong}]`, `${issue}, as ${name} shows it`);
    const unsized = values.findIndex((entry) => isPoint(entry) && entry.size === undefined);
    if (family === 'bubble' && wrong < 0 && unsized >= 0) add(`${at}.values[${unsized}].size`, 'is missing');
  }
  if (issues.length > 0) throw invalidValues(issues);
}

function formatsOf(
  chart: ChartTree,
  look: XmlNode | undefined,
): { values: string | undefined; across: string | undefined } {
  const formatIn = (...names: string[]) => {
    const node = look?.children.find(({ name }) => names.includes(name));
    const format = node && textIn(chart, node, 'c:formatCode');
    return format === undefined || format === '' || format.length > FORMAT_CHARS_MAX ? undefined : format;
  };
  return { values: formatIn('c:val', 'c:yVal'), across: formatIn('c:cat') };
}

type Placed = { index: number; look: Look };

function placedIn(plot: Plot, places: readonly SeriesPlace[], { series = [] }: ChartValue): Placed[] {
  const { family, isLine = false } = plot.kind;
  const bases = plot.series.map((node) => mainColor(shapesOf(node))).map((color) => color && baseOf(color));
  const isPlain = bases.length > 1 && new Set(bases).size === 1;
  const palette = new Palette(
    bases[0],
    bases.filter((base) => base !== undefined),
  );
  return places.flatMap((place, index) => {
    if (place.plot !== plot) return [];
    const own = series[index]?.color;
    const isCycled = !place.isOwn && !isPlain && bases[0] !== undefined && plot.kind.isPie === undefined;
    const cycled = isCycled ? palette.next() : undefined;
    const color = own == null ? cycled : { rgb: own.replace('#', '').toUpperCase() };
    return [{ index, look: { node: place.look, isOwn: place.isOwn, family, isLine, color } }];
  });
}

function shapesOf(series: XmlNode): XmlNode[] {
  return series.children.filter(({ name }) => name === 'c:spPr' || name === 'c:marker');
}

function plotEdits(
  chart: ChartTree,
  { node, series }: Plot,
  placed: readonly Placed[],
  data: ChartColumns,
): Edit[] {
  const text = placed.map(({ look, index }) => seriesElement(chart, look, data, index)).join('');
  const [first, ...others] = series;
  const at = node.children.findLast(({ name }) => BEFORE_SERIES.test(name))?.end ?? node.openEnd;
  const stale = node.children.filter(({ name }) => name === 'c:extLst');
  return [
    first === undefined ? { start: at, end: at, text } : { start: first.start, end: first.end, text },
    ...[...others, ...stale].map(({ start, end }) => ({ start, end, text: '' })),
  ];
}

/** The edits outside of the plots: the workbook, pivot tables, and hidden entries of the legend. */
function partEdits(chart: ChartTree, { series }: ChartColumns, relationship: string): Edit[] {
  const { root } = chart;
  const node = childOf(root, 'c:chart') as XmlNode;
  const namespace = namespaceOf(chart, 'r');
  const data = element(
    chart,
    'externalData',
    { 'xmlns:r': namespace, 'r:id': relationship },
    element(chart, 'autoUpdate', { val: 0 }),
  );
  const known = childOf(root, 'c:externalData');
  const at = root.children.findLast(({ name }) => /^c:(?:chart|spPr|txPr)$/.test(name))?.end ?? node.end;
  const legend = childOf(node, 'c:legend');
  const entries = series.reduce((most, { points }) => Math.max(most, points), series.length);
  const hidden = (legend?.children ?? []).filter(
    (entry) => entry.name === 'c:legendEntry' && (numberIn(entry, 'c:idx') ?? entries) >= entries,
  );
  const stale = [childOf(root, 'c:pivotSource'), childOf(node, 'c:pivotFmts'), ...hidden];
  return [
    { start: known?.start ?? at, end: known?.end ?? at, text: data },
    ...stale.filter((child) => child !== undefined).map(({ start, end }) => ({ start, end, text: '' })),
  ];
}

/**
 * Dates on an axis of categories keep one place each: a program that chose an axis of dates itself could round them to
 * months. An axis that would show dates as numbers takes their format. Axes of dates that get texts choose anew.
 */
function axisEdits(chart: ChartTree, { columns, series }: ChartColumns): Edit[] {
  const column = series[0]?.across;
  const across = column === undefined ? undefined : (columns[column] as Column);
  if (across === undefined) return [];
  const isDated = isDateFormat(across.format);
  const edits: Edit[] = [];
  for (const axis of descendantsOf(chart.root)) {
    if (axis.name !== 'c:catAx' && axis.name !== 'c:dateAx') continue;
    const format = childOf(axis, 'c:numFmt');
    const shown = format && attributeOf(format, 'formatCode');
    if (format !== undefined && isDated && !isDateFormat(shown)) {
      const linked = element(chart, 'numFmt', { formatCode: across.format ?? '', sourceLinked: 1 });
      edits.push({ start: format.start, end: format.end, text: linked });
    }
    if (isDated === (axis.name === 'c:catAx')) edits.push(automatic(chart, axis, isDated ? 0 : 1));
  }
  return edits;
}

/** The edit that lets an axis choose between categories and dates, or not. */
function automatic(chart: ChartTree, axis: XmlNode, val: 0 | 1): Edit {
  const known = childOf(axis, 'c:auto');
  const at =
    axis.children.findLast(({ name }) => /^c:cross(?:Ax|es|esAt)$/.test(name))?.end ?? axis.closeStart;
  return { start: known?.start ?? at, end: known?.end ?? at, text: element(chart, 'auto', { val }) };
}
