import type { AuditEntry } from './audit-json.ts';
import { lineHeight, type Sheet, type Style, wrap } from './sheet.ts';
import { shownJson, shownTime } from './shown-text.ts';

const HEAD: Style = { face: 'bold', size: 8, gray: 0.25 };
const CELL: Style = { face: 'regular', size: 8, gray: 0 };
const MONO: Style = { face: 'mono', size: 7, gray: 0.25 };

const DATA_CHARS_MAX = 300;
const DATA_LINES_MAX = 4;
/** A prefix is enough to compare; the last hash is shown in full below. */
const HASH_CHARS_SHOWN = 16;
const GAP = 8;
const ROW_PADDING = 3;

/** The events of an audit trail, as people read them. */
export const EVENT_NAMES: Record<AuditEntry['type'], string> = {
  document: 'Document received',
  ready: 'Ready',
  scroll: 'Scrolled',
  field_change: 'Field changed',
  submit: 'Submitted',
};

interface Column {
  title: string;
  x: number;
  width: number;
  style: Style;
}

/** The cells of an event, without characters that mislead. */
export type EventRow = Record<'number' | 'event' | 'time' | 'data' | 'hash', string>;

type Columns = Record<keyof EventRow, Column>;

/** Draws the entries as a table and repeats its header on each page. */
export function eventTable(sheet: Sheet, events: readonly EventRow[]): void {
  const columns = columnsOf(sheet);
  drawHead(sheet, columns);
  sheet.onNewPage = () => drawHead(sheet, columns);
  for (const event of events) drawEvent(sheet, columns, event);
  sheet.onNewPage = undefined;
  sheet.rule(0.8, 0);
}

function columnsOf(sheet: Sheet): Columns {
  const widths = {
    number: sheet.measure('0000', CELL),
    event: sheet.measure(EVENT_NAMES.document, CELL) + 2,
    time: sheet.measure('2026-00-00 00:00:00.000 +00:00', CELL) + 2,
    hash: sheet.measure('0'.repeat(HASH_CHARS_SHOWN), MONO) + sheet.measure('…', MONO) + 4,
  };
  const isNarrow = sheet.width < 440;
  // On a narrow page the time wraps between date and time of day.
  if (isNarrow) widths.time = sheet.measure('00:00:00.000 +00:00', CELL) + 2;
  if (isNarrow) widths.hash /= 2;
  const taken = widths.number + widths.event + widths.time + widths.hash + 4 * GAP;
  let x = sheet.left;
  const column = (title: string, width: number, style: Style): Column => {
    const placed = { title, x, width, style };
    x += width + GAP;
    return placed;
  };
  return {
    number: column('#', widths.number, CELL),
    event: column('Event', widths.event, CELL),
    time: column('Time', widths.time, CELL),
    data: column('Data', Math.max(sheet.width - taken, 40), CELL),
    hash: column('Hash', widths.hash, MONO),
  };
}

function drawHead(sheet: Sheet, columns: Columns): void {
  const height = lineHeight(HEAD) + 2 * ROW_PADDING;
  sheet.rule(0.8, 0);
  sheet.page.bars.push({
    x: sheet.left,
    y: sheet.y + 0.8,
    width: sheet.width,
    height: height - 0.8,
    gray: 0.95,
  });
  for (const { title, x } of Object.values(columns)) sheet.text(title, x + 2, sheet.y + ROW_PADDING, HEAD);
  sheet.y += height;
}

function drawEvent(sheet: Sheet, columns: Columns, cells: EventRow): void {
  const wrapped = Object.entries(columns).map(([name, column]) => {
    const text = cells[name as keyof EventRow];
    const linesMax = name === 'hash' ? 1 : DATA_LINES_MAX;
    return { column, lines: wrap(text, column.style, column.width - 2, sheet.measure, linesMax) };
  });
  const height = Math.max(...wrapped.map(({ lines }) => lines.length)) * lineHeight(CELL) + 2 * ROW_PADDING;
  sheet.need(height);
  sheet.rule(0.4, 0.8);
  for (const { column, lines } of wrapped) {
    const drop = (CELL.size - column.style.size) * 0.8;
    sheet.lines(lines, column.x + 2, sheet.y + ROW_PADDING + drop, column.style);
  }
  sheet.y += height;
}

/** Returns an entry of a record as a row. The data of the first entry are shown above the table. */
export function eventRow(
  { type, timestamp, data, hash }: AuditEntry,
  index: number,
  zone?: Intl.DateTimeFormat,
): EventRow {
  const shown = data === undefined ? '' : shownJson(data, DATA_CHARS_MAX);
  return {
    number: String(index + 1),
    event: EVENT_NAMES[type],
    time: shownTime(timestamp, zone),
    data: type === 'document' ? 'As above' : shown,
    hash,
  };
}
