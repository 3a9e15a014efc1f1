import { AUDIT_FILE_NAME, type AuditRecord } from './audit-json.ts';
import { eventTable } from './event-table.ts';
import { lineHeight, type Measure, type Page, type PageSize, Sheet, type Style, wrap } from './sheet.ts';
import { shownJson, shownText, shownTime } from './shown-text.ts';

const TITLE: Style = { face: 'bold', size: 18, gray: 0 };
const LEAD: Style = { face: 'regular', size: 9, gray: 0.35 };
const HEADING: Style = { face: 'bold', size: 10.5, gray: 0 };
const LABEL: Style = { face: 'regular', size: 8.5, gray: 0.4 };
const VALUE: Style = { face: 'regular', size: 9, gray: 0 };
const HASH: Style = { face: 'mono', size: 8, gray: 0 };
const FOOTER: Style = { face: 'regular', size: 7.5, gray: 0.4 };

const MARGIN_MAX = 54;
const LABEL_WIDTH_MAX = 110;
/** Maximum rows of metadata on a page; `audit.json` has all. */
const METADATA_ROWS_MAX = 40;
const VALUE_LINES_MAX = 6;

const ROW_PADDING = 3;

interface Row {
  label: string;
  value: string;
  style?: Style;
}

/**
 * Lays out the pages of a record: what was signed, by whom, the events before it, and how to check it. Each page is `size`,
 * in points, and numbered at its foot. Long values are cut with an ellipsis; `audit.json` has the full values.
 */
export function auditPages(record: AuditRecord, size: PageSize, measure: Measure): Page[] {
  const side = Math.min(MARGIN_MAX, size.width / 11);
  const sheet = new Sheet(size, { top: side, bottom: side + 2 * lineHeight(FOOTER), side }, measure);
  const document = documentOf(record);
  title(sheet);
  section(sheet, 'Document', documentRows(record, document));
  section(sheet, 'Signer', signerRows(document.signer));
  section(sheet, 'Metadata', metadataRows(document.metadata));
  heading(sheet, 'Events', 60);
  eventTable(sheet, record.entries);
  seal(sheet, record);
  footers(sheet.pages, size, side, record.id, measure);
  return sheet.pages;
}

interface DocumentData {
  signer?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  [key: string]: unknown;
}

function documentOf(record: AuditRecord): DocumentData {
  return (record.entries[0]?.data ?? {}) as DocumentData;
}

function title(sheet: Sheet): void {
  sheet.text('Audit trail', sheet.left, sheet.y, TITLE);
  sheet.y += lineHeight(TITLE) + 2;
  const lead =
    'What was signed, by whom, and the events before it. This part belongs to the preceding document and is sealed with it.';
  sheet.y += sheet.lines(wrap(lead, LEAD, sheet.width, sheet.measure), sheet.left, sheet.y, LEAD) + 8;
  sheet.rule(1.2, 0);
  sheet.y += 4;
}

function documentRows(record: AuditRecord, document: DocumentData): Row[] {
  return [
    { label: 'Record', value: record.id, style: HASH },
    { label: 'Recorded', value: shownTime(record.entries[0]?.timestamp ?? '') },
    { label: 'SHA-256 before signing', value: record.inputSha256, style: HASH },
    ...rowsOf(document, {
      eventId: 'Event id',
      reason: 'Reason',
      location: 'Location',
      level: 'Signature level',
    }),
  ];
}

function signerRows(signer: Record<string, unknown> | undefined): Row[] {
  return rowsOf(signer ?? {}, { name: 'Name', email: 'E-mail', ip: 'IP address', userAgent: 'User agent' });
}

/** Returns rows for the members that are present, with display labels. */
function rowsOf(values: Record<string, unknown>, labels: Record<string, string>): Row[] {
  return Object.entries(labels)
    .filter(([name]) => values[name] !== undefined)
    .map(([name, label]) => ({ label, value: shownText(String(values[name])) }));
}

function metadataRows(metadata: Record<string, unknown> | undefined): Row[] {
  const entries = Object.entries(metadata ?? {});
  const rows = entries
    .slice(0, METADATA_ROWS_MAX)
    .map(([name, value]) => ({ label: shownText(name, 120), value: shownJson(value) }));
  const rest = entries.length - rows.length;
  return rest > 0 ? [...rows, { label: '…', value: `${rest} more in ${AUDIT_FILE_NAME}` }] : rows;
}

function heading(sheet: Sheet, text: string, heightBelow: number): void {
  sheet.need(14 + lineHeight(HEADING) + heightBelow);
  sheet.y += 14;
  sheet.text(text, sheet.left, sheet.y, HEADING);
  sheet.y += lineHeight(HEADING) + 3;
}

function section(sheet: Sheet, name: string, rows: Row[]): void {
  const cells = rows.map((row) => cellsOf(sheet, row));
  const [first] = cells;
  if (!first) return;
  heading(sheet, name, first.height);
  for (const row of cells) drawRow(sheet, row);
  sheet.rule(0.4, 0.75);
}

interface Cells {
  labels: string[];
  values: string[];
  valueX: number;
  style: Style;
  height: number;
}

function cellsOf(sheet: Sheet, { label, value, style = VALUE }: Row): Cells {
  const labelWidth = Math.min(LABEL_WIDTH_MAX, sheet.width / 3);
  const labels = wrap(label, LABEL, labelWidth - 8, sheet.measure, 3);
  const values = wrap(value, style, sheet.width - labelWidth, sheet.measure, VALUE_LINES_MAX);
  const lines = Math.max(
    labels.length * lineHeight(LABEL),
    values.length * lineHeight(style),
    lineHeight(VALUE),
  );
  return { labels, values, valueX: sheet.left + labelWidth, style, height: lines + 2 * ROW_PADDING };
}

function drawRow(sheet: Sheet, { labels, values, valueX, style, height }: Cells): void {
  sheet.need(height);
  sheet.rule(0.4, 0.75);
  const y = sheet.y + ROW_PADDING;
  sheet.lines(labels, sheet.left, y + VALUE.size - LABEL.size, LABEL);
  sheet.lines(values, valueX, y + VALUE.size - style.size, style);
  sheet.y += height;
}

function seal(sheet: Sheet, record: AuditRecord): void {
  const how =
    `To check this record, send the document to POST /v1/verify. Without this service: the attached file ${AUDIT_FILE_NAME} ` +
    'has every entry in full. Each hash is the SHA-256 of the hash before it, as bytes, and of the entry as canonical ' +
    'JSON (RFC 8785); the first goes on from the SHA-256 of the document before signing.';
  const lines = wrap(how, LEAD, sheet.width, sheet.measure);
  const row = cellsOf(sheet, { label: 'Final hash (SHA-256)', value: record.hash, style: HASH });
  heading(sheet, 'Seal', row.height + 8 + lines.length * lineHeight(LEAD));
  drawRow(sheet, row);
  sheet.rule(0.4, 0.75);
  sheet.y += 8;
  sheet.y += sheet.lines(lines, sheet.left, sheet.y, LEAD);
}

function footers(pages: Page[], size: PageSize, side: number, id: string, measure: Measure): void {
  const y = size.height - side;
  for (const [index, page] of pages.entries()) {
    const number = `Page ${index + 1} of ${pages.length}`;
    page.bars.push({
      x: side,
      y: y - lineHeight(FOOTER) - 4,
      width: size.width - 2 * side,
      height: 0.4,
      gray: 0.75,
    });
    page.texts.push({ x: side, y, text: `Audit trail ${id}`, style: FOOTER });
    page.texts.push({ x: size.width - side - measure(number, FOOTER), y, text: number, style: FOOTER });
  }
}
