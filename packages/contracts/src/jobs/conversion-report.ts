import { z } from 'zod';

const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative();

/** Maximum length of the lists in a report. The counts beside them are complete. */
export const REPORT_ITEMS_MAX = 100;
export const REPORT_TEXT_CHARS_MAX = 200;

/**
 * How LibreOffice loads a document: by its Writer without a user interface, or by LibreOfficeKit, which takes more time.
 */
export const DOCUMENT_LOADERS = ['writer', 'libreofficekit'] as const;
export type DocumentLoader = (typeof DOCUMENT_LOADERS)[number];

const text = z.string().max(REPORT_TEXT_CHARS_MAX);

const fontList = z
  .array(z.object({ asked: text, used: text.optional() }))
  .max(REPORT_ITEMS_MAX)
  .optional();

/** The report of a conversion: losses, findings and timings. */
export const conversionReport = z.object({
  pages: count.describe('Number of pages of the result, or of the layout if the result has no pages'),
  warnings: count.describe('Number of items of the document that differ or are missing in the result'),
  fonts: z
    .object({
      replaced: fontList.describe(
        'Fonts that are not installed, and their replacements of other widths. Absent if the engine does not report them',
      ),
      sameWidths: fontList.describe(
        'Fonts that others of the same widths replace: lines break at the same words. Not a warning',
      ),
      missingScripts: z
        .array(text)
        .max(REPORT_ITEMS_MAX)
        .describe('Scripts of the text that no installed font supports, and emoji'),
    })
    .describe('The layout may differ where a font was replaced'),
  conformance: z
    .object({ missing: z.array(z.object({ what: text, count })) })
    .optional()
    .describe('What a PDF/A or PDF/UA lacks of what it claims'),
  dropped: z
    .object({
      count,
      items: z.array(z.object({ what: text, part: text, detail: text.optional() })).max(REPORT_ITEMS_MAX),
    })
    .describe('Content that was removed from the document: external links, objects, active fields'),
  signatureFields: z
    .array(z.object({ wanted: text, name: text.optional() }))
    .max(REPORT_ITEMS_MAX)
    .optional()
    .describe(
      'The fields that a PDF got for its signers, in the order of the document, and the names that they were to have. A place on no page has no name',
    ),
  macros: z.boolean().describe('True if the document has macros. Macros are never run'),
  revisions: z.object({
    insertions: count,
    deletions: count,
    moves: count,
    formatting: count,
    shown: z.enum(['final', 'original', 'markup']),
  }),
  comments: z.object({ count, shown: z.enum(['hide', 'margin']) }),
  fields: z.object({
    updated: z.enum(['none', 'toc', 'all']),
    frozen: count.describe('Number of fields that keep their stored text'),
    kinds: z.record(text, count).describe('The same by the name of the field').default({}),
  }),
  engine: z.object({
    name: text,
    attempts: count,
    loader: z
      .enum(DOCUMENT_LOADERS)
      .optional()
      .catch(undefined)
      .describe('How the engine loaded the document. Absent if it has only one way'),
  }),
  timings: z
    .object({
      gateMs: milliseconds,
      waitMs: milliseconds,
      loadMs: milliseconds.optional(),
      updateMs: milliseconds.optional(),
      exportMs: milliseconds.optional(),
      engineMs: milliseconds,
      totalMs: milliseconds,
    })
    .describe('Milliseconds: sanitizing the document, the wait for an engine, its stages, and the total'),
});
export type ConversionReport = z.infer<typeof conversionReport>;
