import { createHash } from 'node:crypto';
import type { AuditEvent, SignerIdentity, Signing, SignWarning } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import { type AuditEntry, type AuditRecord, SCHEMA } from './audit-json.ts';
import { canonicalJson } from './jcs.ts';

/** Clocks of browsers and servers differ; a smaller difference does not count as future. */
const CLOCK_SKEW_MS_MAX = 60_000;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/;

/** The start of a chain. */
export interface AuditOrigin {
  /** Unique id of the record, such as `aud_…`. */
  id: string;
  /** SHA-256 of the document as received, hexadecimal. */
  inputSha256: string;
  now: Date;
  /** Version of this service. */
  version: string;
  /** Pages of the document as received, if it is a PDF. */
  pageCount?: number | undefined;
}

type Entry = Omit<AuditEntry, 'hash'>;

/**
 * Creates the record of the events before a signature, as a chain of hashes that anyone can recompute:
 *
 * - h[0] is the SHA-256 of the document as received, `inputSha256`.
 * - Entry 1 is of type `document` and describes what was signed and by whom. It has the record's `id`, `inputSha256`,
 *   `documentName`, `pageCount`, `signer`, `eventId`, `metadata`, `level`, `reason`, `location`, and `service` with its
 *   version. Missing values are left out.
 *   If there are several signatures, `signatures` has the `field`, `signer`, `level`, `reason` and `location` of each instead.
 *   The caller's events follow in the order given.
 * - h[i] = SHA-256(h[i-1] ‖ JCS(entry i)): the 32 raw bytes of the previous hash, then the UTF-8 bytes of the canonical
 *   form (RFC 8785) of `{"data", "timestamp", "type"}`. `data` is left out if not given. `hash` of an entry is h[i] in
 *   lower-case hexadecimal, and `hash` of the record is the last one.
 *
 * Times out of order or in the future are kept and reported with the warnings AUDIT_ORDER and AUDIT_FUTURE. Throws
 * UNPROCESSABLE without a `submit` event, and VALIDATION_ERROR for an invalid timestamp or for data that canonical JSON
 * cannot represent.
 */
export function auditRecord(
  signing: Signing,
  origin: AuditOrigin,
): { record: AuditRecord; warnings: SignWarning[] } {
  const events = signing.auditTrail ?? [];
  if (!events.some(({ type }) => type === 'submit')) {
    throw new SignatureError('UNPROCESSABLE', 'The audit trail has no event of type `submit`.');
  }
  const { id } = origin;
  const first = documentEntry(id, signing, origin);
  const entries = [{ entry: first, path: '' }, ...events.map(asEntry)];
  const sealed: AuditEntry[] = [];
  let hash = origin.inputSha256;
  for (const { entry, path } of entries) {
    hash = nextHash(hash, entry, path);
    sealed.push({ ...entry, hash });
  }
  const record = { ...SCHEMA, id, inputSha256: origin.inputSha256, entries: sealed, hash };
  return { record, warnings: timeWarnings(momentsOf(signing), origin.now) };
}

/** The first invalid entry of a record: its index, and why. */
export interface BrokenEntry {
  index: number;
  /** `hash`: differs from the chain; `document`: differs from the record's id and document; `end`: entries are missing. */
  reason: 'hash' | 'document' | 'end';
}

/**
 * Recomputes the chain of a record. Returns undefined if it is intact. Without a signature over it, a record proves
 * nothing.
 */
export function checkRecord(record: AuditRecord): BrokenEntry | undefined {
  let hash = record.inputSha256;
  for (const [index, { hash: claimed, ...entry }] of record.entries.entries()) {
    if ((entry.type === 'document') !== (index === 0)) return { index, reason: 'document' };
    if (index === 0 && !isOfRecord(entry.data, record)) return { index, reason: 'document' };
    hash = hashOrNone(hash, entry);
    if (hash !== claimed) return { index, reason: 'hash' };
  }
  const isWhole = record.entries.length > 0 && hash === record.hash;
  return isWhole ? undefined : { index: record.entries.length, reason: 'end' };
}

function isOfRecord(data: unknown, record: AuditRecord): boolean {
  const { id, inputSha256 } = (data ?? {}) as { id?: unknown; inputSha256?: unknown };
  return id === record.id && inputSha256 === record.inputSha256;
}

/** Returns an empty string if the entry has no canonical form, since no hash can match it. */
function hashOrNone(before: string, entry: Entry): string {
  try {
    return nextHash(before, entry, '');
  } catch (error) {
    if (error instanceof SignatureError) return '';
    throw error;
  }
}

function nextHash(before: string, { type, timestamp, data }: Entry, path: string): string {
  const dataPath = path === '' ? '' : `${path}.data`;
  // The members are written here in canonical order, so that an issue names the path in the request.
  const members = data === undefined ? [] : [`"data":${canonicalJson(data, dataPath)}`];
  members.push(`"timestamp":${canonicalJson(timestamp, `${path}.timestamp`)}`);
  members.push(`"type":${canonicalJson(type, `${path}.type`)}`);
  return createHash('sha256')
    .update(Buffer.from(before, 'hex'))
    .update(`{${members.join(',')}}`)
    .digest('hex');
}

/** Leaves out missing values. */
const given = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function documentEntry(
  id: string,
  signing: Signing,
  { inputSha256, now, version, pageCount }: AuditOrigin,
): Entry {
  const { documentName, signer, eventId, metadata, level, reason, location } = signing;
  const signatures = signing.signatures?.map(({ field, signer, level, reason, location }) =>
    given({ field, signer, level, reason, location }),
  );
  const stated = signatures ? { signatures } : { signer, level, reason, location };
  const data = {
    id,
    inputSha256,
    ...given({ documentName, pageCount, ...stated, eventId, metadata }),
    service: { name: 'scriptorium', version },
  };
  return { type: 'document', timestamp: now.toISOString(), data };
}

function asEntry({ type, timestamp, data }: AuditEvent, index: number): { entry: Entry; path: string } {
  const path = `auditTrail[${index}]`;
  if (Number.isNaN(timeOf(timestamp))) {
    const detail = { field: `${path}.timestamp`, issue: 'is not an ISO 8601 time' };
    throw new SignatureError('VALIDATION_ERROR', `${detail.field} ${detail.issue}.`, { details: [detail] });
  }
  return { entry: data === undefined ? { type, timestamp } : { type, timestamp, data }, path };
}

/** Returns milliseconds since 1970, or NaN if the text is not an ISO 8601 time. A time without a zone is taken as UTC. */
function timeOf(timestamp: string): number {
  const [, , , zone] = ISO_8601.exec(timestamp) ?? [null];
  if (zone === null) return Number.NaN;
  return Date.parse(`${timestamp.replace(',', '.')}${zone === undefined ? 'Z' : ''}`);
}

/** A time of a request, and its path. */
interface Moment {
  path: string;
  time: number;
}

const SIGNER_TIMES = ['sentAt', 'viewedAt', 'signedAt'] as const;

/** The times of a request that should follow each other: those of the events, and those of each signer. */
function momentsOf({ auditTrail = [], signer, signatures }: Signing): Moment[][] {
  const ofSigner = (identity: SignerIdentity | undefined, path: string) =>
    SIGNER_TIMES.flatMap((name) => {
      const time = identity?.[name];
      return time === undefined ? [] : [{ path: `${path}.${name}`, time: timeOf(time) }];
    });
  return [
    auditTrail.map(({ timestamp }, at) => ({ path: `auditTrail[${at}].timestamp`, time: timeOf(timestamp) })),
    ...(signatures?.map((one, at) => ofSigner(one.signer, `signatures[${at}].signer`)) ?? [
      ofSigner(signer, 'signer'),
    ]),
  ];
}

function timeWarnings(orders: readonly Moment[][], now: Date): SignWarning[] {
  const late = orders
    .flatMap((order) => order.filter(({ time }, at) => time < (order[at - 1]?.time ?? time)))
    .at(0);
  const future = orders.flat().find(({ time }) => time > now.getTime() + CLOCK_SKEW_MS_MAX);
  const warnings: SignWarning[] = [];
  if (late) {
    const message = `${late.path} is earlier than the time before it; the given order was kept.`;
    warnings.push({ code: 'AUDIT_ORDER', message });
  }
  if (future) warnings.push({ code: 'AUDIT_FUTURE', message: `${future.path} is in the future.` });
  return warnings;
}
