import { invalid, validate } from '@scriptorium/shared/http/validation';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
/** How far a caller's clock may be from this one. */
const SKEW_MS_MAX = 48 * HOUR_MS;
const EVENTS_MAX = 100;
const DETAILS_MAX = 20;

const METADATA_KEYS_MAX = 1_000;
const METADATA_DEPTH_MAX = 20;
const METADATA_BYTES_MAX = 24 * 1024;
/** Of what opens are told apart by; longer keys are passed over, and longer values cut. */
const KEY_CHARS_MAX = 100;
const VALUE_CHARS_MAX = 200;

/** Before Date reads it: Date takes much else, and would make days of it. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** W3CDTF, which `dcterms:created` is written in (ECMA-376-2 §11.1). Some writers leave out the zone. */
const W3C_TIME = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

const isoTime = z
  .string()
  .max(40, 'may have at most 40 characters')
  .refine((text) => ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)), 'must be an ISO 8601 time')
  .transform((text) => Date.parse(text));

/** Any identifier of visible ASCII counts, whatever its form: it is hashed, and accounts that migrate bring theirs. */
const documentId = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 characters of visible ASCII');

const openEvent = z.object({
  timestamp: isoTime,
  documentId,
  documentCreatedAt: z
    .string()
    .max(40, 'may have at most 40 characters')
    .refine((text) => text === '' || W3C_TIME.test(text), 'must be a time, or empty')
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
  clientVersion: z.string().max(100, 'may have at most 100 characters').optional(),
  // Not kept: a count needs no browser and no page.
  browserInfo: z.looseObject({}).nullish(),
  metadata: metadata.nullish(),
  events: z
    .array(openEvent)
    .min(1, 'must have at least one event')
    .max(EVENTS_MAX, `may have at most ${EVENTS_MAX} events`),
});

/** Document opens as they were sent. */
export interface Opens {
  /** Epoch milliseconds, within 48 hours of now. */
  events: { at: number; documentId: string }[];
  /** Those of its pairs whose value is a text, a number or a truth value. */
  metadata: [name: string, value: string][];
}

/** Throws VALIDATION_ERROR, which names what is at fault and repeats nothing of it. `now` is in epoch milliseconds. */
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
  if (Object.keys(value).length > METADATA_KEYS_MAX) return `may have at most ${METADATA_KEYS_MAX} keys`;
  if (isDeeper(value, METADATA_DEPTH_MAX)) return `may be at most ${METADATA_DEPTH_MAX} levels deep`;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > METADATA_BYTES_MAX ? `may have at most ${METADATA_BYTES_MAX} bytes as JSON` : null;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** A pair that no opens can be told apart by is passed over: it must not cost the count. PostgreSQL's texts hold no NUL. */
function labelsOf(metadata: Record<string, unknown>): [string, string][] {
  return Object.entries(metadata)
    .filter(
      ([key, value]) => key.length <= KEY_CHARS_MAX && ['string', 'number', 'boolean'].includes(typeof value),
    )
    .map(([key, value]): [string, string] => [key, String(value).slice(0, VALUE_CHARS_MAX)])
    .filter((pair) => !pair.some((text) => text.includes('\0')))
    .map(([key, value]) => [key.toWellFormed(), value.toWellFormed()]);
}
