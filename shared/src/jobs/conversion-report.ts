import { z } from 'zod';

const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative();

/** Longest lists in a report; the counts beside them are whole. */
export const REPORT_ITEMS_MAX = 100;
export const REPORT_TEXT_CHARS_MAX = 200;

const text = z.string().max(REPORT_TEXT_CHARS_MAX);

/** What a conversion did to a document: what it could not keep, what it found, and where the time went. */
export const conversionReport = z.object({
  pages: count.describe('Pages of the result; of the document as laid out where the result has none'),
  warnings: count.describe('Things of the document that the result does not show as they were'),
  fonts: z
    .object({
      replaced: z
        .array(z.object({ asked: text, used: text.optional() }))
        .max(REPORT_ITEMS_MAX)
        .optional()
        .describe(
          'Fonts that are not installed, and what stands in their place; absent where the engine cannot tell',
        ),
      missingScripts: z
        .array(text)
        .max(REPORT_ITEMS_MAX)
        .describe('Scripts of the text that no installed font has'),
    })
    .describe('What the page looks like may differ where a font was replaced'),
  dropped: z
    .object({
      count,
      items: z.array(z.object({ what: text, part: text, detail: text.optional() })).max(REPORT_ITEMS_MAX),
    })
    .describe('What was taken out of the document: links to the outside, objects, active fields'),
  macros: z.boolean().describe('The document had macros; they were not run'),
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
    frozen: count.describe('Dates and times that keep the text they last showed'),
  }),
  engine: z.object({ name: text, attempts: count }),
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
    .describe('Milliseconds: the check of the document, the wait for an engine, its stages, and the whole'),
});
export type ConversionReport = z.infer<typeof conversionReport>;
