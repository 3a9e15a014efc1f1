import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Longest list in a report. The counts beside it are complete. */
export const UNMATCHED_NAMED_MAX = 100;

/** Active content that is removed from documents; of PDF forms, their XFA and the rights that a reader grants. */
export const activeContent = z.enum(['fields', 'external-content', 'remote-template', 'xfa', 'usage-rights']);

/** How a template is filled. */
export const annotation = z.object({
  onMissing: z.enum(['ignore', 'error']),
  flatten: z.boolean(),
});
export type Annotation = z.infer<typeof annotation>;

/** The result of filling a template. */
export const annotateReport = z.object({
  /** Number of filled content controls and placeholders, except those inside content that another field replaced. */
  filled: count,
  unmatched: z.object({
    count,
    /** The first indexes in the caller's `fields`. */
    fields: z.array(count).max(UNMATCHED_NAMED_MAX),
  }),
  /** Number of marks in braces that are still in the text. Workers of earlier versions do not report it. */
  remaining: count.default(0),
  /** The document had digital signatures. They were removed, because filling invalidates them. */
  signaturesRemoved: z.boolean(),
  /** The document had macros. They were removed. */
  macrosRemoved: z.boolean(),
  /** A table has several rows that could be its template row. Workers of earlier versions do not report it. */
  templateRowGuessed: z.boolean().default(false),
  /** The document had hyperlinks without a target, or with one that is not safe to follow. They were removed, and their text stays. */
  linksRemoved: z.boolean().default(false),
  /** The document had parts to which no relationship leads. They were removed. */
  partsRemoved: z.boolean().default(false),
  /** Active content of the document, which was removed. */
  contentRemoved: z.array(activeContent).default([]),
  /** Scripts of a PDF form would compute or show something. */
  scriptsSkipped: z.boolean().optional(),
  /** Milliseconds in the worker. */
  runMs: z.number().nonnegative(),
});
export type AnnotateReport = z.infer<typeof annotateReport>;
