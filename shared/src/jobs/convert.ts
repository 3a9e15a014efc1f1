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
  to: z.enum(FORMATS).default('pdf').describe('Format of the result; `png` is the first page'),
  ...FORMAT_OPTIONS,
  revisions: z
    .enum(['final', 'original', 'markup'])
    .default('markup')
    .describe('Tracked changes: all accepted, all rejected, or shown as changes'),
  updateFields: z
    .enum(['none', 'toc', 'all'])
    .default('none')
    .describe('What is computed anew: nothing (fields show their stored text), tables of contents, or all'),
  strictFonts: trueOrFalse.describe('Refuse a document whose fonts are not all installed'),
};

const DEFAULTS: Readonly<Record<string, unknown>> = z.object(FORMAT_OPTIONS).parse({});

/** The conversion's options as a caller gives them in the query. */
export const convertOptions = z.strictObject(shape).superRefine((options, context) => {
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const [name, value] of Object.entries(options)) {
    const formats = formatsWith(name);
    if (formats.length > 0 && !formats.includes(options.to) && value !== DEFAULTS[name])
      refuse(name, `is an option of ${formats.map((format) => `\`to=${format}\``).join(' and ')}`);
  }
  if (options.from !== 'docx' && options.revisions !== 'markup')
    refuse('revisions', '`final` and `original` are options of `from=docx`');
});

/** The same schemas for what has been parsed: a switch is a boolean then. */
type Parsed<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodPipe<z.ZodType, infer Out> ? Out : Shape[Name];
};
const parsed = Object.fromEntries(
  Object.entries<z.ZodType>(shape).map(([name, schema]) => [
    name,
    schema instanceof z.ZodPipe ? schema.def.out : schema,
  ]),
) as Parsed<typeof shape>;

/** The same, parsed: what a worker gets. */
export const conversion = z.object(parsed);
export type Conversion = z.infer<typeof conversion>;

export const convertJob = defineJob({
  name: 'convert',
  input: z.object({
    source: blobRef,
    options: conversion,
    /** The PDF goes on to the signer, with no second trip through the gateway. */
    thenSign: signRequest.optional(),
  }),
  output: z.object({ result: blobRef, contentType: z.string(), report: conversionReport }),
  timeoutMs: 600_000,
});
