import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Longest list in a report; the counts beside it are whole. */
export const UNMATCHED_NAMED_MAX = 100;

/** How a template is filled. */
export const annotation = z.object({
  onMissing: z.enum(['ignore', 'error']),
  flatten: z.boolean(),
});
export type Annotation = z.infer<typeof annotation>;

/** What filling a template did. */
export const annotateReport = z.object({
  /** Content controls and placeholders that were filled, but for those in what another one has replaced. */
  filled: count,
  unmatched: z.object({
    count,
    /** Places in the caller's `fields`, the first of them. */
    fields: z.array(count).max(UNMATCHED_NAMED_MAX),
  }),
  /** The document carried digital signatures, which filling breaks: they were taken out. */
  signaturesRemoved: z.boolean(),
  /** It carried macros, which were taken out. */
  macrosRemoved: z.boolean(),
  /** Milliseconds in the worker. */
  runMs: z.number().nonnegative(),
});
export type AnnotateReport = z.infer<typeof annotateReport>;
