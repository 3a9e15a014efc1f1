import { PASSWORD_SOURCES, type SourceFormat, TEXT_SOURCES } from '@scriptorium/sanitizer/sources';
import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';
import { conversionReport } from './conversion-report.ts';
import { CONVERT_OPTIONS, type ConvertOption, PARSED_OPTIONS, PDF_OPTIONS } from './convert-options.ts';
import { signRequest } from './sign.ts';
import { TARGET_FORMATS, type TargetFormat } from './target-formats.ts';

const FORMATS = Object.keys(TARGET_FORMATS) as TargetFormat[];

export const TARGET_CONTENT_TYPES = Object.fromEntries(
  FORMATS.map((format) => [format, TARGET_FORMATS[format].contentType]),
) as { [Format in TargetFormat]: (typeof TARGET_FORMATS)[Format]['contentType'] };

/** A client may send an option that does not suit the formats, if it asks for nothing. */
const asksFor = (name: ConvertOption, value: unknown): boolean =>
  value !== (CONVERT_OPTIONS[name].safeParse(undefined).data ?? CONVERT_OPTIONS[name].meta()?.default);

/** PDF/A and PDF/UA of the engine always have tags. */
function requireTags(
  { tagged, pdfa, pdfua }: { tagged: boolean; pdfa?: unknown; pdfua: boolean },
  context: z.RefinementCtx,
): void {
  if (tagged || !(pdfa || pdfua)) return;
  context.addIssue({ code: 'custom', path: ['tagged'], message: 'must be true with `pdfa` or `pdfua`' });
}

/** The options of a conversion in the query of a request. */
export const convertOptions = z.strictObject(CONVERT_OPTIONS).superRefine((options, context) => {
  requireTags(options, context);
  const { from, to, pages } = options;
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const name of Object.keys(options) as ConvertOption[]) {
    if (!asksFor(name, options[name])) continue;
    const { 'x-from': sources, 'x-to': targets } = CONVERT_OPTIONS[name].meta() ?? {};
    if (targets && !targets.includes(to)) refuse(name, `requires ${namesOf('to', targets)}`);
    else if (sources && !sources.includes(from)) refuse(name, `requires ${namesOf('from', sources)}`);
  }
  if (to === 'png' && pages !== undefined && !/^\d+$/.test(pages))
    refuse('pages', 'must be one page with `to=png`');
  if (!hasIndexes(from) && !PAGE_TARGETS.includes(to))
    refuse('to', `\`${to}\` is not possible with \`from=${from}\`; use \`pdf\` or \`png\``);
});

const namesOf = (parameter: string, formats: readonly string[]): string =>
  formats.map((format) => `\`${parameter}=${format}\``).join(' or ');

/** Why a document of a format has no password; undefined if it may have one. */
export const issueOfPassword = (from: SourceFormat): string | undefined =>
  PASSWORD_SOURCES.includes(from) ? undefined : `requires ${namesOf('from', PASSWORD_SOURCES)}`;

/** Whether documents of a format may have indexes and fields that can be updated. */
export const hasIndexes = (from: SourceFormat): boolean => TEXT_SOURCES.includes(from);

/** Targets of spreadsheets and presentations. */
const PAGE_TARGETS: readonly TargetFormat[] = ['pdf', 'png'];

/** The options of a conversion in a JSON body, from DOCX to PDF. */
export const pdfOptions = z.strictObject(PDF_OPTIONS).superRefine(requireTags);

/** The parsed options that a worker gets. */
export const conversion = z.object(PARSED_OPTIONS);
export type Conversion = z.infer<typeof conversion>;

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
