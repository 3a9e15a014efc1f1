import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';

export const OPERATIONS = [
  'convert',
  'annotate',
  'generate',
  'merge',
  'inspect',
  'sign',
  'augment',
  'verify',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Epoch milliseconds, and the document as returned by `documentOf`. */
const occurrence = z.tuple([z.number().int(), z.string().length(36)]);

/** One payload of opens as it was accepted, or one API operation. */
const entrySchema = z.union([
  z.object({
    license: z.string(),
    /** Pairs, because a name may be `__proto__`. */
    metadata: z.array(z.tuple([z.string(), z.string()])).optional(),
    opens: z.array(occurrence),
  }),
  z.object({
    /** Hash of the API key's owner, in hexadecimal. */
    owner: z.string(),
    operation: z.enum(OPERATIONS),
    /** The request. If it is written twice, it counts once. */
    request: occurrence,
  }),
]);

/** One payload of opens as it was accepted, or one API operation. */
export type UsageEntry = z.infer<typeof entrySchema>;

const entriesSchema = z.array(entrySchema);

/** The form in which a document or request is counted: 128 bits of the SHA-256 of its identifier, as a UUID. */
export function documentOf(identifier: string): string {
  const hex = hash('sha256', identifier, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Resolves when the entries are durably stored and will be counted. After a rejection the outcome is unknown: repeating
 * the call may count opens twice, but not operations.
 */
export async function appendUsage(
  database: Pick<Pool, 'query'>,
  entries: readonly UsageEntry[],
): Promise<void> {
  // Durable at commit regardless of the server's default, because accepted entries must survive a crash.
  await database.query(
    `INSERT INTO usage_inbox (entries) SELECT $1 FROM set_config('synchronous_commit', 'on', true)`,
    [JSON.stringify(entries)],
  );
}

/** The entries of one row of the inbox. */
export const parseEntries = (text: string): UsageEntry[] => entriesSchema.parse(JSON.parse(text));

/** Age of the oldest entries that are not counted yet, in whole seconds. 0 if there are none. */
export async function inboxAgeSeconds(database: Pool): Promise<number> {
  const { rows } = await database.query<{ age: number | null }>(
    `SELECT extract(epoch FROM now() - accepted_at)::int AS age FROM usage_inbox ORDER BY id LIMIT 1`,
  );
  return Math.max(0, rows[0]?.age ?? 0);
}
