import {
  AUTO_DELIMITER,
  PAPER_SOURCES,
  PAPERS,
  PASSWORD_SOURCES,
  SOURCE_FORMATS,
  type SourceFormat,
  TEXT_SOURCES,
  WORD_SOURCES,
} from '@scriptorium/sanitizer/sources';
import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';
import { conversionReport } from './conversion-report.ts';
import { signRequest } from './sign.ts';
import {
  FORMAT_OPTIONS,
  formatsWith,
  TARGET_FORMATS,
  type TargetFormat,
  trueOrFalse,
} from './target-formats.ts';

const FORMATS = Object.keys(TARGET_FORMATS) as TargetFormat[];

export const TARGET_CONTENT_TYPES = Object.fromEntries(
  FORMATS.map((format) => [format, TARGET_FORMATS[format].contentType]),
) as { [Format in TargetFormat]: (typeof TARGET_FORMATS)[Format]['contentType'] };

const shape = {
  from: z.enum(SOURCE_FORMATS).describe('Format of the uploaded file'),
  to: z.enum(FORMATS).default('pdf').describe('Format of the result. `png` is an image of one page'),
  ...FORMAT_OPTIONS,
  revisions: z
    .enum(['final', 'original', 'markup'])
    .default('markup')
    .describe('Tracked changes: all accepted, all rejected, or shown as changes'),
  updateFields: z
    .enum(['none', 'toc', 'all'])
    .default('none')
    .describe('Fields to update: none (fields keep their stored text), tables of contents, or all'),
  paper: z
    .enum(PAPERS)
    .optional()
    .describe('Paper of a page, a Markdown text, a text or a CSV, which name none'),
  delimiter: z
    .string()
    .regex(/^(auto|[^"\r\n])$/, 'must be `auto` or one character, and neither a quote nor a line end')
    .optional()
    .meta({ default: AUTO_DELIMITER })
    .describe('What separates the fields of a CSV: `auto` to detect it, or one character'),
  strictFonts: trueOrFalse.describe('Reject a document if one of its fonts is not installed'),
};

/** A client may send an option that does not suit the formats, if it asks for nothing. */
const asksFor = (name: keyof typeof shape, value: unknown): boolean =>
  value !== (shape[name].safeParse(undefined).data ?? shape[name].meta()?.default);

/** PDF/A and PDF/UA of the engine always have tags. */
function requireTags(
  { tagged, pdfa, pdfua }: { tagged: boolean; pdfa?: unknown; pdfua: boolean },
  context: z.RefinementCtx,
): void {
  if (tagged || !(pdfa || pdfua)) return;
  context.addIssue({ code: 'custom', path: ['tagged'], message: 'must be true with `pdfa` or `pdfua`' });
}

/** The options of a conversion in the query of a request. */
export const convertOptions = z.strictObject(shape).superRefine((options, context) => {
  requireTags(options, context);
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const [name, value] of Object.entries(options)) {
    const formats = formatsWith(name);
    if (formats.length > 0 && !formats.includes(options.to) && asksFor(name as keyof typeof shape, value))
      refuse(name, `requires ${formats.map((format) => `\`to=${format}\``).join(' or ')}`);
  }
  if (options.to === 'png' && options.pages !== undefined && !/^\d+$/.test(options.pages))
    refuse('pages', 'must be one page with `to=png`');
  if (options.paper !== undefined && !PAPER_SOURCES.includes(options.from))
    refuse('paper', `requires ${namesOf(PAPER_SOURCES)}`);
  if ((options.delimiter ?? AUTO_DELIMITER) !== AUTO_DELIMITER && options.from !== 'csv')
    refuse('delimiter', 'requires `from=csv`');
  if (!WORD_SOURCES.includes(options.from) && options.revisions !== 'markup')
    refuse('revisions', `\`final\` and \`original\` require ${namesOf(WORD_SOURCES)}`);
  if (!hasIndexes(options.from)) requirePages(options, refuse);
});

const namesOf = (sources: readonly string[]): string =>
  sources.map((source) => `\`from=${source}\``).join(' or ');

/** Why a document of a format has no password; undefined if it may have one. */
export const issueOfPassword = (from: SourceFormat): string | undefined =>
  PASSWORD_SOURCES.includes(from) ? undefined : `requires ${namesOf(PASSWORD_SOURCES)}`;

/** Whether documents of a format may have indexes and fields that can be updated. */
export const hasIndexes = (from: SourceFormat): boolean => TEXT_SOURCES.includes(from);

/** Targets of spreadsheets and presentations. */
const PAGE_TARGETS: readonly TargetFormat[] = ['pdf', 'png'];

/** Refuses what only texts have. */
function requirePages(
  {
    from,
    to,
    comments,
    updateFields,
  }: { from: SourceFormat; to: TargetFormat; comments: string; updateFields: string },
  refuse: (name: string, message: string) => void,
): void {
  if (!PAGE_TARGETS.includes(to))
    refuse('to', `\`${to}\` is not possible with \`from=${from}\`; use \`pdf\` or \`png\``);
  if (comments !== 'hide') refuse('comments', `\`margin\` is not possible with \`from=${from}\``);
  if (updateFields !== 'none')
    refuse('updateFields', `\`${updateFields}\` is not possible with \`from=${from}\``);
}

/** The same schemas for parsed options, in which a switch is a boolean and a number a number. */
type ParsedSchema<Schema> =
  Schema extends z.ZodPipe<z.ZodType, infer Out>
    ? Out
    : Schema extends z.ZodOptional<z.ZodPipe<z.ZodType, infer Out extends z.ZodType>>
      ? z.ZodOptional<Out>
      : Schema;
type Parsed<Shape> = { [Name in keyof Shape]: ParsedSchema<Shape[Name]> };

function parsedOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) return schema.def.out as z.ZodType;
  if (!(schema instanceof z.ZodOptional) || !(schema.def.innerType instanceof z.ZodPipe)) return schema;
  return z.optional(schema.def.innerType.def.out as z.ZodType);
}

const parsed = Object.fromEntries(
  Object.entries<z.ZodType>(shape).map(([name, schema]) => [name, parsedOf(schema)]),
) as Parsed<typeof shape>;

/** The parsed options that a worker gets. */
export const conversion = z.object(parsed);
export type Conversion = z.infer<typeof conversion>;

const {
  from: _from,
  to: _to,
  paper: _paper,
  delimiter: _delimiter,
  dpi: _dpi,
  ...jsonShape
} = Object.fromEntries(
  Object.entries<z.ZodType>(shape).map(([name, schema]) => [name, inJson(schema)]),
) as Parsed<typeof shape>;

/** In JSON, a switch is a boolean with its default, and a number a number. */
function inJson(schema: z.ZodType): z.ZodType {
  const out = parsedOf(schema);
  if (out === schema) return schema;
  const value = schema instanceof z.ZodPipe ? out.default(schema.parse(undefined)) : out;
  return value.describe(schema.description ?? '');
}

/** The options of a conversion in a JSON body, from DOCX to PDF. */
export const pdfOptions = z.strictObject(jsonShape).superRefine(requireTags);

export const convertJob = defineJob({
  name: 'convert',
  role: 'converter',
  input: z.object({
    source: blobRef,
    options: conversion,
    /** The title of a PDF/UA if the document has none. */
    title: z.string().max(250).optional(),
    /** A pack: a `finishing` as JSON, and the attachments. */
    finishing: blobRef.optional(),
    /** The `conversionPasswords` as JSON, sealed for the converter. */
    passwordBox: z.string().optional(),
    /** If set, the converter forwards the PDF to the signer without a second trip through the gateway. */
    thenSign: signRequest.optional(),
  }),
  output: z.object({ result: blobRef, contentType: z.string(), report: conversionReport }),
  timeoutMs: 600_000,
});
