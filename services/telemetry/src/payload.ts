import { invalid, validate } from '@scriptorium/shared/http/validation';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
/** Maximum difference between the clocks of a caller and this service. */
const SKEW_MS_MAX = 48 * HOUR_MS;
const EVENTS_MAX = 100;
const DETAILS_MAX = 20;

const METADATA_KEYS_MAX = 1_000;
const METADATA_DEPTH_MAX = 20;
const METADATA_BYTES_MAX = 24 * 1024;
/** Limits of the pairs by which opens are counted. Pairs with longer keys are ignored, and longer values are truncated. */
const KEY_CHARS_MAX = 100;
const VALUE_CHARS_MAX = 200;

/** Checked before `Date.parse`, which accepts many other texts. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** W3CDTF, the format of `dcterms:created` (ECMA-376-2 §11.1). Some writers omit the time zone. */
const W3C_TIME = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

const isoTime = z
  .string()
  .max(40, 'must have at most 40 characters')
  .refine((text) => ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)), 'must be an ISO 8601 time')
  .transform((text) => Date.parse(text));

/** Accepts any identifier of visible ASCII: it is hashed, and accounts that migrate have identifiers of their own. */
const documentId = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 characters of visible ASCII');

const openEvent = z.object({
  timestamp: isoTime,
  documentId,
  documentCreatedAt: z
    .string()
    .max(40, 'must have at most 40 characters')
    .refine((text) => text === '' || W3C_TIME.test(text), 'must be a time or empty')
    .nullish(),
});

const metadata = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .superRefine((value, context) => {
    const message = metadataIssue(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .transform(labelsOf);

const payload = z.object({
  clientVersion: z.string().max(100, 'must have at most 100 characters').optional(),
  // Not stored, since counting does not need it.
  browserInfo: z.looseObject({}).nullish(),
  metadata: metadata.nullish(),
  events: z
    .array(openEvent)
    .min(1, 'must have at least one event')
    .max(EVENTS_MAX, `must have at most ${EVENTS_MAX} events`),
});

/** Document opens of a request. */
export interface Opens {
  /** Epoch milliseconds, within 48 hours of now. */
  events: { at: number; documentId: string }[];
  /** The pairs whose value is a string, a number or a boolean. */
  metadata: [name: string, value: string][];
}

/** Throws VALIDATION_ERROR, which names the invalid fields without their values. `now` is in epoch milliseconds. */
export function parsePayload(bytes: Uint8Array, now: number): Opens {
  const { events, metadata } = validate(payload, parseJson(bytes), { describe, detailsMax: DETAILS_MAX });
  return {
    events: events.map(({ timestamp, documentId }) => ({
      at: Math.min(Math.max(timestamp, now - SKEW_MS_MAX), now + SKEW_MS_MAX),
      documentId,
    })),
    metadata: metadata ?? [],
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw invalid([{ field: 'body', issue: 'is not JSON in UTF-8' }]);
  }
}

function describe(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_type' ? `must be of type ${issue.expected}` : undefined;
}

function metadataIssue(value: Record<string, unknown>): string | null {
  if (Object.keys(value).length > METADATA_KEYS_MAX) return `must have at most ${METADATA_KEYS_MAX} keys`;
  if (isDeeper(value, METADATA_DEPTH_MAX)) return `must have at most ${METADATA_DEPTH_MAX} levels`;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > METADATA_BYTES_MAX ? `must have at most ${METADATA_BYTES_MAX} bytes of JSON` : null;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Ignores unsuitable pairs instead of rejecting the opens. PostgreSQL texts must not contain NUL. */
function labelsOf(metadata: Record<string, unknown>): [string, string][] {
  return Object.entries(metadata)
    .filter(
      ([key, value]) => key.length <= KEY_CHARS_MAX && ['string', 'number', 'boolean'].includes(typeof value),
    )
    .map(([key, value]): [string, string] => [key, String(value).slice(0, VALUE_CHARS_MAX)])
    .filter((pair) => !pair.some((text) => text.includes('\0')))
    .map(([key, value]) => [key.toWellFormed(), value.toWellFormed()]);
}
