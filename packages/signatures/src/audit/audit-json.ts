import { z } from 'zod';
import { AUDIT_EVENTS } from '../sign-request.ts';

/** Identifies a record and how its chain is computed. Its values never change within a version. */
export const SCHEMA = {
  schema: 'scriptorium-audit',
  version: 1,
  hashAlgorithm: 'SHA-256',
  canonicalization: 'RFC 8785',
  chain:
    'h[0] = inputSha256; h[i] = SHA-256(h[i-1] || JCS({data, timestamp, type} of entry i)), h as raw bytes',
} as const;

/** Well above the size of a record made here. Limits the entries checked in a document's record. */
const ENTRIES_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const entry = z.strictObject({
  type: z.enum(['document', ...AUDIT_EVENTS]),
  timestamp: z.string(),
  data: z.unknown().optional(),
  hash: sha256,
});
export type AuditEntry = z.infer<typeof entry>;

const schema = z.strictObject({
  schema: z.literal(SCHEMA.schema),
  version: z.literal(SCHEMA.version),
  hashAlgorithm: z.literal(SCHEMA.hashAlgorithm),
  canonicalization: z.literal(SCHEMA.canonicalization),
  chain: z.literal(SCHEMA.chain),
  id: z.string().regex(/^aud_[a-z2-7]{26}$/),
  inputSha256: sha256,
  entries: z.array(entry).min(1),
  hash: sha256,
});
/** Contains everything needed to verify the chain without this service. `auditRecord` defines the hashes. */
export type AuditRecord = z.infer<typeof schema>;

/** Name of the embedded file. */
export const AUDIT_FILE_NAME = 'audit.json';

/** Returns the embedded file: indented JSON in UTF-8, because people read it too. */
export function auditJson(record: AuditRecord): Buffer {
  return Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
}

/**
 * Reads the record in an `audit.json`. Returns undefined if it is invalid, too large, or of another version. Does not
 * check its chain.
 */
export function readAuditJson(bytes: Uint8Array): AuditRecord | undefined {
  const json = bytes.length > BYTES_MAX ? undefined : parseJson(bytes);
  // Validation of a million invalid entries would produce a huge error.
  const entries: unknown = (json as { entries?: unknown } | null | undefined)?.entries;
  if (Array.isArray(entries) && entries.length > ENTRIES_MAX) return undefined;
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
