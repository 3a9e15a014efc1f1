import { childOf, descendantsOf, type Edit, escapeXml, type XmlNode } from '@scriptorium/ooxml/xml';
import { type ChartTree, element, namespaceOf, numberIn, sourceOf } from './chart-tree.ts';
import { baseOf, type Color, edited, mainColor, Palette, recoloring, solidFill } from './colors.ts';
import { type ChartColumns, type Column, headingOf, rangeOf, type SeriesColumns } from './columns.ts';

/** How the values of a kind of chart are written: with categories, or as points. */
export type Family = 'category' | 'scatter' | 'bubble';

/** The look of a series. */
export interface Look {
  /** A series of the template. Undefined if the plot has none. */
  node: XmlNode | undefined;
  /** It is the template's series for this place, not the pattern of a further one. */
  isOwn: boolean;
  family: Family;
  /** It is shown as a line or as markers. */
  isLine: boolean;
  /** The color that replaces the look's own. */
  color: Color | undefined;
}

/** What the data replaces, or what belongs to the old data. */
const REPLACED = new Set(
  ['idx', 'order', 'tx', 'cat', 'val', 'xVal', 'yVal', 'bubbleSize', 'extLst', 'dPt', 'spPr', 'marker'].map(
    (name) => `c:${name}`,
  ),
);
/** Children after the values (ECMA-376-1 §21.2.2.170 and the types of series in dml-chart.xsd). */
const AFTER_VALUES = new Set(['c:shape', 'c:smooth', 'c:bubble3D']);
/** Word's line of a new chart: 2.25 pt in EMU. */
const LINE_WIDTH = 28_575;

/** The data of a series, which is not part of its look. */
const DATA = new Set(['c:tx', 'c:cat', 'c:val', 'c:xVal', 'c:yVal', 'c:bubbleSize', 'c:extLst']);

/** Characters of a look, at most, where it shows this many points. */
export function lookChars({ node }: Look, points: number): number {
  const children = (node?.children ?? []).filter(({ name }) => !DATA.has(name));
  const own = children.reduce((sum, { start, end }) => sum + end - start, 0);
  const point = children.find(({ name }) => name === 'c:dPt');
  return own + (point === undefined ? 0 : (point.end - point.start) * points);
}

/** A `c:ser` with this number, in the look of a series of the template. */
export function seriesElement(chart: ChartTree, look: Look, data: ChartColumns, index: number): string {
  const series = data.series[index] as SeriesColumns;
  const children = look.node?.children ?? [];
  const rest = children.filter(({ name }) => !REPLACED.has(name) && !AFTER_VALUES.has(name));
  const after = children.filter(({ name }) => AFTER_VALUES.has(name));
  return element(
    chart,
    'ser',
    {},
    [
      element(chart, 'idx', { val: index }),
      element(chart, 'order', { val: index }),
      element(chart, 'tx', {}, texts(chart, headingOf(series.values), [series.name])),
      shape(chart, look),
      ...beforePoints(chart, look, rest),
      ...pointLooks(chart, look, series.points),
      ...afterPoints(rest).map((child) => kept(chart, look, child, series.points)),
      ...values(chart, look.family, series, data.columns),
      ...after.map((child) => sourceOf(chart, child)),
    ].join(''),
  );
}

const BEFORE_POINTS = new Set(['c:invertIfNegative', 'c:pictureOptions', 'c:explosion']);

function beforePoints(chart: ChartTree, look: Look, rest: readonly XmlNode[]): string[] {
  const own = rest.filter(({ name }) => BEFORE_POINTS.has(name)).map((child) => sourceOf(chart, child));
  return [marker(chart, look), ...own];
}

function afterPoints(rest: readonly XmlNode[]): XmlNode[] {
  return rest.filter(({ name }) => !BEFORE_POINTS.has(name));
}

function values(
  chart: ChartTree,
  family: Family,
  { values: at, across, sizes }: SeriesColumns,
  columns: readonly Column[],
): string[] {
  const isCategory = family === 'category';
  const reference = (name: string, index: number) => {
    const column = columns[index] as Column;
    return element(chart, name, {}, cached(chart, rangeOf(index, column.cells.length), column));
  };
  return [
    across === undefined ? '' : reference(isCategory ? 'cat' : 'xVal', across),
    reference(isCategory ? 'val' : 'yVal', at),
    family === 'bubble' && sizes !== undefined ? reference('bubbleSize', sizes) : '',
  ];
}

function cached(chart: ChartTree, range: string, { cells, format }: Column): string {
  if (format === undefined) return texts(chart, range, cells);
  const code = element(chart, 'formatCode', {}, escapeXml(format));
  const cache = element(chart, 'numCache', {}, code + points(chart, cells));
  return element(chart, 'numRef', {}, element(chart, 'f', {}, range) + cache);
}

function texts(chart: ChartTree, range: string, cells: readonly (string | number | null)[]): string {
  const cache = element(chart, 'strCache', {}, points(chart, cells));
  return element(chart, 'strRef', {}, element(chart, 'f', {}, range) + cache);
}

function points(chart: ChartTree, cells: readonly (string | number | null)[]): string {
  const list = cells.map((cell, idx) =>
    cell === null ? '' : element(chart, 'pt', { idx }, element(chart, 'v', {}, escapeXml(String(cell)))),
  );
  return element(chart, 'ptCount', { val: cells.length }) + list.join('');
}

function colorOf({ node }: Look): XmlNode | undefined {
  const shown = ['c:spPr', 'c:marker'].map((name) => node && childOf(node, name));
  return mainColor(shown.filter((child) => child !== undefined));
}

/** The `c:spPr` of a series. Without one, programs choose the color by the number of the series. */
function shape(chart: ChartTree, look: Look): string {
  const own = look.node && childOf(look.node, 'c:spPr');
  const from = colorOf(look);
  if (look.color === undefined || from !== undefined)
    return own === undefined ? '' : recolored(chart, look, own, from);
  const fill = solidFill(chart, look.color);
  const line = `<a:ln xmlns:a="${namespaceOf(chart, 'a')}" w="${LINE_WIDTH}" cap="rnd">${fill}<a:round/></a:ln>`;
  // A scatter chart may show markers only: then its shape has no line.
  if (own !== undefined && look.family === 'scatter') return sourceOf(chart, own);
  return element(chart, 'spPr', {}, look.isLine ? line : fill);
}

function marker(chart: ChartTree, look: Look): string {
  const own = look.node && childOf(look.node, 'c:marker');
  const from = colorOf(look);
  if (look.color === undefined || from !== undefined)
    return own === undefined ? '' : recolored(chart, look, own, from);
  if (look.family !== 'scatter') return own === undefined ? '' : sourceOf(chart, own);
  const fill = solidFill(chart, look.color);
  const shown = element(chart, 'spPr', {}, fill);
  const kinds = (own?.children ?? []).filter(({ name }) => name === 'c:symbol' || name === 'c:size');
  return element(chart, 'marker', {}, kinds.map((child) => sourceOf(chart, child)).join('') + shown);
}

function recolored(chart: ChartTree, { color }: Look, node: XmlNode, from: XmlNode | undefined): string {
  if (color === undefined || from === undefined) return sourceOf(chart, node);
  return edited(chart, node, recoloring(chart, node, from, color));
}

/** The looks of single points. Where the template has one for each of its points, further points get one, too. */
function pointLooks(chart: ChartTree, { node, isOwn }: Look, count: number): string[] {
  const own = (node?.children ?? []).filter(({ name }) => name === 'c:dPt');
  const [first] = own;
  const isVaried = own.length > 1 && own.every((point, index) => numberIn(point, 'c:idx') === index);
  if (first === undefined || (!isOwn && !isVaried)) return [];
  const looks = own
    .filter((point) => (numberIn(point, 'c:idx') ?? count) < count)
    .map((point) => pointLook(chart, point, numberIn(point, 'c:idx') ?? 0, undefined));
  if (!isVaried) return looks;
  const used = own.map((point) => mainColor([point])).filter((color) => color !== undefined);
  const palette = new Palette(used[0] && baseOf(used[0]), used.map(baseOf));
  for (let index = own.length; index < count; index++)
    looks.push(pointLook(chart, first, index, palette.next()));
  return looks;
}

function pointLook(chart: ChartTree, point: XmlNode, index: number, color: Color | undefined): string {
  const from = mainColor([point]);
  const edits: Edit[] =
    color === undefined || from === undefined ? [] : recoloring(chart, point, from, color);
  for (const { name, start, end } of point.children)
    if (name === 'c:idx') edits.push({ start, end, text: element(chart, 'idx', { val: index }) });
    else if (name === 'c:extLst') edits.push({ start, end, text: '' });
  return edited(chart, point, edits);
}

/** A child of a series without what belongs to points of the old data. */
function kept(chart: ChartTree, { isOwn }: Look, child: XmlNode, count: number): string {
  if (child.name === 'c:errBars')
    return [...descendantsOf(child)].some(({ name }) => name === 'c:f') ? '' : sourceOf(chart, child);
  if (child.name !== 'c:dLbls') return sourceOf(chart, child);
  const stale = child.children.filter(
    (label) =>
      label.name === 'c:dLbl' &&
      (!isOwn || (numberIn(label, 'c:idx') ?? count) >= count || childOf(label, 'c:tx') !== undefined),
  );
  const source = edited(
    chart,
    child,
    stale.map(({ start, end }) => ({ start, end, text: '' })),
  );
  // Labels from cells of the old workbook.
  return source.replace(/(showDataLabelsRange\s[^>]*?val=["'])(?:1|true)/g, '$10');
}
