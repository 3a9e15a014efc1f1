import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Longest list in a report; the counts beside it are whole. */
export const UNMATCHED_NAMED_MAX = 100;

/** Where an image lies in the blob of all images of a request. */
const imageRef = z.object({ start: count, bytes: count });

const colour = z.string().regex(/^#[0-9a-f]{6}$/);
/** Pixels of 1/96 inch. */
const pixels = z.number().positive();
const dimensions = z.object({ width: pixels.optional(), height: pixels.optional() });
const target = { id: z.string().optional(), group: z.string().optional() };

/** One field to fill, as a worker gets it; its place in the list is its number in the caller's `fields`. */
export const fieldValue = z.discriminatedUnion('type', [
  z.object({
    ...target,
    type: z.literal('text'),
    value: z.string(),
    options: z.object({ keepTextNodeStyles: z.boolean() }),
  }),
  z.object({
    ...target,
    type: z.literal('table'),
    value: z.array(z.array(z.string())),
    options: z.object({ copyRowStyle: z.boolean() }),
  }),
  z.object({
    ...target,
    type: z.literal('image'),
    value: imageRef,
    options: z.object({ dimensions: dimensions.optional() }),
  }),
  z.object({
    ...target,
    type: z.literal('signature'),
    value: imageRef,
    options: z.object({
      dimensions: dimensions.optional(),
      arcElement: z.object({ color: colour.optional() }).optional(),
      topLabel: z.object({ color: colour.optional() }).optional(),
      bottomLabel: z.object({ color: colour.optional(), text: z.string().optional() }).optional(),
    }),
  }),
]);
export type FieldValue = z.infer<typeof fieldValue>;
export type FieldValueOf<Type extends FieldValue['type']> = Extract<FieldValue, { type: Type }>;

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
