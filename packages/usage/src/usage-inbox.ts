import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';

export const OPERATIONS = ['convert', 'annotate', 'inspect', 'sign', 'verify'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Epoch milliseconds, and the document, as `documentOf` gives it. */
const occurrence = z.tuple([z.number().int(), z.string().length(36)]);

/** One payload of opens as it was accepted, or one API operation. */
const entrySchema = z.union([
  z.object({
    license: z.string(),
    /** Pairs, for a name may be `__proto__`. */
    metadata: z.array(z.tuple([z.string(), z.string()])).optional(),
    opens: z.array(occurrence),
  }),
  z.object({
    /** Hash of the API key's owner, in hexadecimal. */
    owner: z.string(),
    operation: z.enum(OPERATIONS),
    /** The request: one that is written twice counts once. */
    request: occurrence,
  }),
]);

/** One payload of opens as it was accepted, or one API operation. */
export type UsageEntry = z.infer<typeof entrySchema>;

const entriesSchema = z.array(entrySchema);

/** A document or request in the form in which it is counted: 128 bits of the SHA-256 of its identifier, as a UUID. */
export function documentOf(identifier: string): string {
  const hex = hash('sha256', identifier, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Resolves once the entries will be counted whatever happens. A rejection leaves open whether they will: writing opens again
 * could count them twice, operations not.
 */
export async function appendUsage(
  database: Pick<Pool, 'query'>,
  entries: readonly UsageEntry[],
): Promise<void> {
  // At the commit, whatever the server's default: what has been answered must outlive it.
  await database.query(
    `INSERT INTO usage_inbox (entries) SELECT $1 FROM set_config('synchronous_commit', 'on', true)`,
    [JSON.stringify(entries)],
  );
}

/** The entries of one row of the inbox. */
export const parseEntries = (text: string): UsageEntry[] => entriesSchema.parse(JSON.parse(text));

/** Age of the oldest entries that are not counted yet, in whole seconds; 0 where there are none. */
export async function inboxAgeSeconds(database: Pool): Promise<number> {
  const { rows } = await database.query<{ age: number | null }>(
    `SELECT extract(epoch FROM now() - accepted_at)::int AS age FROM usage_inbox ORDER BY id LIMIT 1`,
  );
  return Math.max(0, rows[0]?.age ?? 0);
}
