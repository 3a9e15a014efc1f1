import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';
import { conversionReport } from './conversion-report.ts';
import { signRequest } from './sign.ts';

export const SOURCE_FORMATS = ['docx', 'odt', 'rtf', 'doc', 'html', 'md', 'txt'] as const;
export const TARGET_FORMATS = ['pdf', 'docx', 'odt', 'html', 'txt', 'png'] as const;

export const TARGET_CONTENT_TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  png: 'image/png',
} as const satisfies Record<(typeof TARGET_FORMATS)[number], string>;

/** Pages by number and range, in any order: `1-3,5` or `7-`. */
const PAGE_LIST = /^[1-9]\d{0,4}(-([1-9]\d{0,4})?)?(,[1-9]\d{0,4}(-([1-9]\d{0,4})?)?)*$/;
const PAGE_LIST_CHARS_MAX = 200;

function isPageList(text: string): boolean {
  if (!PAGE_LIST.test(text)) return false;
  return text.split(',').every((range) => {
    const [first, last] = range.split('-');
    return last === undefined || last === '' || Number(first) <= Number(last);
  });
}

const trueOrFalse = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

const shape = {
  from: z.enum(SOURCE_FORMATS).describe('Format of the uploaded file'),
  to: z.enum(TARGET_FORMATS).default('pdf').describe('Format of the result; `png` is the first page'),
  pdfa: z.enum(['1b', '2b', '3b']).optional().describe('PDF/A level of the result (ISO 19005)'),
  pdfua: trueOrFalse.describe('PDF/UA: tagged for assistive technology (ISO 14289)'),
  pages: z
    .string()
    .max(PAGE_LIST_CHARS_MAX)
    .refine(isPageList, 'must be page numbers and ranges such as `1-3,5` or `7-`')
    .optional()
    .describe('Pages of the result: numbers and ranges such as `1-3,5` or `7-`; all by default'),
  revisions: z
    .enum(['final', 'original', 'markup'])
    .default('markup')
    .describe('Tracked changes: all accepted, all rejected, or shown as changes'),
  comments: z.enum(['hide', 'margin']).default('hide').describe('Comments: left out, or in the margin'),
  updateFields: z
    .enum(['none', 'toc', 'all'])
    .default('none')
    .describe('What is computed anew: nothing (fields show their stored text), tables of contents, or all'),
  strictFonts: trueOrFalse.describe('Refuse a document whose fonts are not all installed'),
};

/** Options that only a PDF can have. */
const PDF_OPTIONS = ['pdfa', 'pdfua', 'pages', 'comments'] as const;

/** The conversion's options as a caller gives them in the query. */
export const convertOptions = z.strictObject(shape).superRefine((options, context) => {
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const name of PDF_OPTIONS)
    if (options.to !== 'pdf' && options[name] && options[name] !== 'hide')
      refuse(name, 'is an option of `to=pdf`');
  if (options.from !== 'docx' && options.revisions !== 'markup')
    refuse('revisions', '`final` and `original` are options of `from=docx`');
});

/** The same, parsed: what a worker gets. */
export const conversion = z.object({
  ...shape,
  pdfua: z.boolean(),
  strictFonts: z.boolean(),
});
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
