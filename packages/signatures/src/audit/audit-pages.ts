import { AUDIT_FILE_NAME, type AuditRecord } from './audit-json.ts';
import {
  type AuditRow,
  CODE,
  cellsOf,
  drawRow,
  footers,
  heading,
  LEAD,
  type Picture,
  section,
  sheetWithFooter,
  title,
} from './audit-rows.ts';
import { eventRow, eventTable } from './event-table.ts';
import { lineHeight, type Measure, type Page, type PageSize, type Sheet, wrap } from './sheet.ts';
import { offsetFormat, shownJson, shownText, shownTime } from './shown-text.ts';

/** Maximum rows of metadata on a page; `audit.json` has all. */
const METADATA_ROWS_MAX = 40;

/** What the pages show beside the record. */
export interface AuditLook {
  /** Time zone of all times (IANA), by default UTC. */
  timeZone?: string | undefined;
  /** The pictures of the signatures, in their order. */
  pictures?: readonly (Picture | undefined)[];
}

/**
 * Lays out the pages of a record: what was signed, by whom, the events before it, and how to check it. Each page is `size`,
 * in points, and numbered at its foot. Long values are cut with an ellipsis; `audit.json` has the full values.
 */
export function auditPages(
  record: AuditRecord,
  size: PageSize,
  measure: Measure,
  { timeZone, pictures = [] }: AuditLook = {},
): Page[] {
  const zone = timeZone === undefined ? undefined : offsetFormat(timeZone);
  const sheet = sheetWithFooter(size, measure);
  const document = documentOf(record);
  title(
    sheet,
    'Audit trail',
    'What was signed, by whom, and the events before it. This part belongs to the preceding document and is sealed with it.',
  );
  section(sheet, 'Document', documentRows(record, document, zone, timeZone));
  const signers = (one: SignatureData, index: number) => signerRows(one.signer, zone, pictures[index]);
  if (!document.signatures) section(sheet, 'Signer', signers(document, 0));
  for (const [index, one] of (document.signatures ?? []).entries())
    section(sheet, `Signature ${index + 1}`, [
      ...rowsOf(one, { field: 'Field', ...SIGNATURE_LABELS }),
      ...signers(one, index),
    ]);
  section(sheet, 'Metadata', metadataRows(document.metadata));
  heading(sheet, 'Events', 60);
  eventTable(
    sheet,
    record.entries.map((entry, index) => eventRow(entry, index, zone)),
  );
  seal(sheet, record);
  footers(sheet, size, `Audit trail ${record.id}`);
  return sheet.pages;
}

interface SignatureData {
  signer?: Record<string, unknown>;
  [key: string]: unknown;
}

interface DocumentData extends SignatureData {
  /** If there are several. */
  signatures?: SignatureData[];
  metadata?: Record<string, unknown>;
}

const SIGNATURE_LABELS = { reason: 'Reason', location: 'Location', level: 'Signature level' };

function documentOf(record: AuditRecord): DocumentData {
  return (record.entries[0]?.data ?? {}) as DocumentData;
}

function documentRows(
  record: AuditRecord,
  document: DocumentData,
  zone: Intl.DateTimeFormat | undefined,
  timeZone: string | undefined,
): AuditRow[] {
  return [
    ...rowsOf(document, { documentName: 'Name', pageCount: 'Pages before signing' }),
    { label: 'Record', value: record.id, style: CODE },
    { label: 'Recorded', value: shownTime(record.entries[0]?.timestamp ?? '', zone) },
    ...rowsOf({ timeZone }, { timeZone: 'Time zone' }),
    { label: 'SHA-256 before signing', value: record.inputSha256, style: CODE },
    ...rowsOf(document, { eventId: 'Event id', ...SIGNATURE_LABELS }),
  ];
}

function signerRows(
  signer: Record<string, unknown> | undefined,
  zone: Intl.DateTimeFormat | undefined,
  picture: Picture | undefined,
): AuditRow[] {
  const times = rowsOf(signer ?? {}, { sentAt: 'Sent', viewedAt: 'Viewed', signedAt: 'Signed' });
  return [
    ...rowsOf(signer ?? {}, SIGNER_LABELS),
    ...times.map((row) => ({ ...row, value: shownTime(row.value, zone) })),
    ...(picture ? [{ label: 'Signature', value: '', picture }] : []),
  ];
}

const SIGNER_LABELS = {
  name: 'Name',
  email: 'E-mail',
  authentication: 'Authentication',
  consent: 'Consent',
  ip: 'IP address',
  userAgent: 'User agent',
};

/** Returns rows for the members that are present, with display labels. */
function rowsOf(values: Record<string, unknown>, labels: Record<string, string>): AuditRow[] {
  return Object.entries(labels)
    .filter(([name]) => values[name] !== undefined)
    .map(([name, label]) => ({ label, value: shownText(String(values[name])) }));
}

function metadataRows(metadata: Record<string, unknown> | undefined): AuditRow[] {
  const entries = Object.entries(metadata ?? {});
  const rows = entries
    .slice(0, METADATA_ROWS_MAX)
    .map(([name, value]) => ({ label: shownText(name, 120), value: shownJson(value) }));
  const rest = entries.length - rows.length;
  return rest > 0 ? [...rows, { label: '…', value: `${rest} more in ${AUDIT_FILE_NAME}` }] : rows;
}

function seal(sheet: Sheet, record: AuditRecord): void {
  const how =
    `To check this record, send the document to POST /v1/verify. Without this service: the attached file ${AUDIT_FILE_NAME} ` +
    'has every entry in full. Each hash is the SHA-256 of the hash before it, as bytes, and of the entry as canonical ' +
    'JSON (RFC 8785); the first goes on from the SHA-256 of the document before signing.';
  const lines = wrap(how, LEAD, sheet.width, sheet.measure);
  const row = cellsOf(sheet, { label: 'Final hash (SHA-256)', value: record.hash, style: CODE });
  heading(sheet, 'Seal', row.height + 8 + lines.length * lineHeight(LEAD));
  drawRow(sheet, row);
  sheet.rule(0.4, 0.75);
  sheet.y += 8;
  sheet.y += sheet.lines(lines, sheet.left, sheet.y, LEAD);
}
