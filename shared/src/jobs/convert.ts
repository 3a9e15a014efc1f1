import { SOURCE_FORMATS } from '@scriptorium/sanitizer/sources';
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
  to: z.enum(FORMATS).default('pdf').describe('Format of the result. `png` is an image of the first page'),
  ...FORMAT_OPTIONS,
  revisions: z
    .enum(['final', 'original', 'markup'])
    .default('markup')
    .describe('Tracked changes: all accepted, all rejected, or shown as changes'),
  updateFields: z
    .enum(['none', 'toc', 'all'])
    .default('none')
    .describe('Fields to update: none (fields keep their stored text), tables of contents, or all'),
  strictFonts: trueOrFalse.describe('Reject a document if one of its fonts is not installed'),
};

const DEFAULTS: Readonly<Record<string, unknown>> = z.object(FORMAT_OPTIONS).parse({});

/** The options of a conversion in the query of a request. */
export const convertOptions = z.strictObject(shape).superRefine((options, context) => {
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const [name, value] of Object.entries(options)) {
    const formats = formatsWith(name);
    if (formats.length > 0 && !formats.includes(options.to) && value !== DEFAULTS[name])
      refuse(name, `requires ${formats.map((format) => `\`to=${format}\``).join(' or ')}`);
  }
  if (options.from !== 'docx' && options.revisions !== 'markup')
    refuse('revisions', '`final` and `original` require `from=docx`');
});

/** The same schemas for parsed options, in which a switch is a boolean. */
type Parsed<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodPipe<z.ZodType, infer Out> ? Out : Shape[Name];
};
const parsed = Object.fromEntries(
  Object.entries<z.ZodType>(shape).map(([name, schema]) => [
    name,
    schema instanceof z.ZodPipe ? schema.def.out : schema,
  ]),
) as Parsed<typeof shape>;

/** The parsed options that a worker gets. */
export const conversion = z.object(parsed);
export type Conversion = z.infer<typeof conversion>;

const {
  from: _from,
  to: _to,
  ...jsonShape
} = Object.fromEntries(
  Object.entries<z.ZodType>(shape).map(([name, schema]) => [name, inJson(schema)]),
) as Parsed<typeof shape>;

/** In JSON, a switch is a boolean. */
function inJson(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodPipe)) return schema;
  const out = schema.def.out as z.ZodType;
  return out.default(schema.parse(undefined)).describe(schema.description ?? '');
}

/** The options of a conversion in a JSON body, from DOCX to PDF. */
export const pdfOptions = z.strictObject(jsonShape);

export const convertJob = defineJob({
  name: 'convert',
  input: z.object({
    source: blobRef,
    options: conversion,
    /** If set, the converter forwards the PDF to the signer without a second trip through the gateway. */
    thenSign: signRequest.optional(),
  }),
  output: z.object({ result: blobRef, contentType: z.string(), report: conversionReport }),
  timeoutMs: 600_000,
});
