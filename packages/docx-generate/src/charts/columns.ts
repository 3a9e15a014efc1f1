import { type Category, type ChartValue, isPoint, namesIn, type Point } from '../values/chart.ts';

const GENERAL = 'General';
const DATE_FORMAT = 'yyyy-mm-dd';
const TIME_FORMAT = 'yyyy-mm-dd hh:mm';
const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;
const DAY_MS = 86_400_000;
/** Serial numbers before this day depend on the spreadsheet, which counts a day that 1900 did not have. */
const FIRST_DAY = Date.UTC(1900, 2, 1);
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** One column of a chart's sheet: its heading, and one cell a point. */
export interface Column {
  heading: string;
  cells: readonly (string | number | null)[];
  /** The number format. Undefined for texts. */
  format: string | undefined;
}

/** The columns of one series, by their places in the sheet. */
export interface SeriesColumns {
  name: string;
  color: string | undefined;
  values: number;
  /** The categories or the x values. Undefined if the data has none. */
  across: number | undefined;
  sizes: number | undefined;
  points: number;
}

export interface ChartColumns {
  columns: readonly Column[];
  series: readonly SeriesColumns[];
}

/** What a template gives for a series. */
export interface SeriesFormat {
  values: string | undefined;
  across: string | undefined;
}

/** The sheet for the data of a chart. `formats` are those of the template, by series. */
export function columnsOf(
  { categories, series = [] }: ChartValue,
  formats: (index: number) => SeriesFormat,
  isFrom1904: boolean,
): ChartColumns {
  const columns: Column[] = [];
  const height = series.reduce((most, { values }) => Math.max(most, values.length), 0);
  // LibreOffice loses a series of points that is shorter than one after it.
  const padded = (cells: Column['cells']) => [...cells, ...Array<null>(height - cells.length).fill(null)];
  const add = (column: Column) => columns.push(column) - 1;
  const names = categories && namesIn(categories);
  const format = categories !== undefined && 'names' in categories ? categories.formatCode : undefined;
  const across = names && add(categoryColumn(names, format ?? formats(0).across, isFrom1904));
  const known = new Map<string, number>();
  const list = series.map((one, index): SeriesColumns => {
    const name = one.name ?? `Series ${index + 1}`;
    const own = {
      name,
      color: one.color?.replace('#', '').toUpperCase() ?? undefined,
      points: one.values.length,
    };
    const points = one.values.filter(isPoint);
    const valueFormat = formats(index).values ?? GENERAL;
    if (points.length === 0) {
      const cells = one.values.map((value) => (isPoint(value) ? null : value));
      return { ...own, values: add({ heading: name, cells, format: valueFormat }), across, sizes: undefined };
    }
    const shared = sharedColumn(points, known, () =>
      add({ heading: 'X', cells: padded(points.map(({ x }) => x)), format: GENERAL }),
    );
    const values = add({ heading: name, cells: padded(points.map(({ y }) => y)), format: valueFormat });
    const isSized = points.every(({ size }) => size !== undefined);
    const sizes = padded(points.map(({ size = null }) => size));
    return {
      ...own,
      values,
      across: shared,
      sizes: isSized ? add({ heading: 'Size', cells: sizes, format: GENERAL }) : undefined,
    };
  });
  return { columns, series: list };
}

/** Series with the same x values share their column, as spreadsheets have it. */
function sharedColumn(points: readonly Point[], known: Map<string, number>, add: () => number): number {
  const key = points.map(({ x }) => x).join(' ');
  const column = known.get(key) ?? add();
  known.set(key, column);
  return column;
}

function categoryColumn(names: readonly Category[], format: string | undefined, isFrom1904: boolean): Column {
  const given = names.filter((name) => name !== null);
  const dates = names.map((name) => (typeof name === 'string' ? serialOf(name, isFrom1904) : undefined));
  const isDated = given.length > 0 && dates.filter((date) => date !== undefined).length === given.length;
  if (isDated) {
    const hasTimes = dates.some((date) => date !== undefined && !Number.isInteger(date));
    const cells = dates.map((date) => date ?? null);
    return {
      heading: '',
      cells,
      format: isDateFormat(format) ? format : hasTimes ? TIME_FORMAT : DATE_FORMAT,
    };
  }
  if (given.length > 0 && given.every((name) => typeof name === 'number'))
    return { heading: '', cells: names, format: format ?? GENERAL };
  return { heading: '', cells: names.map((name) => name && String(name)), format: undefined };
}

/** Excel's own limit. */
const FORMAT_CHARS_MAX = 255;

/** Whether a number format shows days or times. */
export function isDateFormat(format: string | undefined): boolean {
  if (format === undefined || format.length > FORMAT_CHARS_MAX) return false;
  return /[dmyhs]/i.test(format.replace(/"[^"]*"|\\.|\[[^\]]*\]|General/gi, ''));
}

/** The serial number of an ISO date, with its time as written. Undefined for other texts. */
function serialOf(text: string, isFrom1904: boolean): number | undefined {
  const found = ISO_DATE.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const midnight = Date.UTC(year, month - 1, day);
  const isReal = new Date(midnight).toISOString().startsWith(text.slice(0, 'yyyy-mm-dd'.length));
  if (!isReal || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  if (midnight < (isFrom1904 ? EPOCH_1904 : FIRST_DAY)) return undefined;
  const days = (midnight - (isFrom1904 ? EPOCH_1904 : EPOCH_1900)) / DAY_MS;
  return days + (hours * 3_600 + minutes * 60 + seconds) / 86_400;
}

/** The cells of a column below its heading: `Sheet1!$B$2:$B$5`. */
export function rangeOf(column: number, cells: number): string {
  const letters = lettersOf(column);
  return `${SHEET}!$${letters}$2:$${letters}$${Math.max(cells, 1) + 1}`;
}

/** The heading of a column: `Sheet1!$B$1`. */
export function headingOf(column: number): string {
  return `${SHEET}!$${lettersOf(column)}$1`;
}

export const SHEET = 'Sheet1';

/** The name of a column, from 0: `A`, …, `Z`, `AA`. */
export function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}
