import { activeContent } from '@scriptorium/docx-template/annotation';
import { z } from 'zod';
import { SYNTAXES } from './generate/instruction.ts';

const count = z.number().int().nonnegative();

/** Longest list in a report. The count beside it is complete. */
export const UNMATCHED_NAMED_MAX = 100;

const TAG_CHARS_MAX = 100;
const DELIMITER_CHARS_MAX = 10;
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const delimiter = z
  .string()
  .min(1, 'must not be empty')
  .max(DELIMITER_CHARS_MAX, `must have at most ${DELIMITER_CHARS_MAX} characters`);

/** How a template is filled with data. */
export const generation = z.object({
  locale: z
    .string()
    .max(TAG_CHARS_MAX, `must have at most ${TAG_CHARS_MAX} characters`)
    .refine(isLocale, 'must be a language tag (BCP 47) such as `de-CH`, of a language with known formats')
    .optional()
    .describe('Language of numbers and dates (BCP 47). By default the language of the template'),
  timeZone: z
    .string()
    .max(TAG_CHARS_MAX, `must have at most ${TAG_CHARS_MAX} characters`)
    .refine(isTimeZone, 'must be a time zone such as `Europe/Berlin`')
    .default('UTC')
    .describe('Time zone of dates and times (IANA)'),
  currency: z
    .string()
    .refine((code) => CURRENCIES.has(code), 'must be a currency code (ISO 4217) such as `EUR`')
    .optional()
    .describe('Currency of amounts for which the template names none (ISO 4217)'),
  delimiters: z
    .tuple([delimiter, delimiter], 'must be a list of two texts')
    .refine(([open, close]) => open !== close, 'must be two different texts')
    .optional()
    .describe('Start and end of a mark. By default those that the template uses'),
  onMissing: z
    .enum(['empty', 'error', 'keep'])
    .default('empty')
    .describe(
      'Marks without a value: `empty` removes them, `keep` leaves them as they are, `error` rejects the request',
    ),
  onUnused: z
    .enum(['report', 'error'])
    .default('report')
    .describe(
      'Properties of `data` that no mark reads: `report` counts them in the answer, `error` rejects the request',
    ),
  syntax: z
    .enum(['auto', ...SYNTAXES])
    .default('auto')
    .describe('The language of the marks. `auto` decides by what the template uses'),
});
export type Generation = z.infer<typeof generation>;

/** The result of filling a template with data or with fields. */
export const generateReport = z.object({
  /** Number of places of the document that were filled. */
  filled: count,
  unmatched: z.object({
    count,
    /** The first paths of what is missing: `data.customer.name`, or `fields[3]` of the caller's fields. */
    names: z.array(z.string()).max(UNMATCHED_NAMED_MAX),
  }),
  /** The properties of the data that no mark reads, and the first paths of them: `data.note`, `data.items[0].vat`. */
  unused: z.object({ count, names: z.array(z.string()).max(UNMATCHED_NAMED_MAX) }).optional(),
  /** With fields: the number of marks in braces that are still in the text. */
  remaining: count.optional(),
  /** The document had digital signatures. They were removed, because filling invalidates them. */
  signaturesRemoved: z.boolean(),
  /** The document had macros. They were removed. */
  macrosRemoved: z.boolean(),
  /** With fields: a table has several rows that could be its template row. */
  templateRowGuessed: z.boolean().optional(),
  /** The document had hyperlinks without a target, or with one that is not safe to follow. They were removed, and their text stays. */
  linksRemoved: z.boolean(),
  /** The document had parts to which no relationship leads. They were removed. */
  partsRemoved: z.boolean(),
  /** Active content of the document and of those inserted, which was removed. */
  contentRemoved: z.array(activeContent).default([]),
  /** Scripts of a PDF form would compute or show something. */
  scriptsSkipped: z.boolean().optional(),
  /** Milliseconds in the worker. */
  runMs: z.number().nonnegative(),
});
export type GenerateReport = z.infer<typeof generateReport>;

function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length === 1;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
