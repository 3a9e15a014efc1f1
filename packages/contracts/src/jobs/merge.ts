import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';
import { conversion } from './convert.ts';

/** Documents of one request. */
export const MERGED_DOCUMENTS_MAX = 100;

export const mergeBreak = z.enum(['page', 'odd', 'even', 'continuous']);
export const mergeHeaders = z.enum(['keep', 'first']);

/** The options of a merge in a request, and of its job. */
export const mergeOptions = {
  break: mergeBreak
    .default('page')
    .describe('Where a document begins: on a new page, on an odd or even page, or below the one before it'),
  headers: mergeHeaders
    .default('keep')
    .describe('Headers and footers: each document keeps its own, or all have those of the first'),
  styles: z
    .enum(['keep', 'first'])
    .default('keep')
    .describe(
      'Each document looks as it did, or a style takes the look of the style of the same name in the first',
    ),
  numbering: z
    .enum(['keep', 'continue'])
    .default('keep')
    .describe('Lists and captions count as they did, or go on from the document before'),
  pageNumbers: z
    .enum(['keep', 'continue', 'restart'])
    .default('keep')
    .describe('Page numbers: as the documents say, on through all documents, or from 1 in each'),
};

/** What a result lacks or has otherwise. Without `document`, the place in the request from 0, it is about all. */
export const mergeWarning = z.strictObject({
  document: z.number().int().nonnegative().optional(),
  code: z.string(),
  message: z.string(),
});
export type MergeWarning = z.infer<typeof mergeWarning>;

/** Merges DOCX documents into one. */
export const mergeJob = defineJob({
  name: 'merge',
  role: 'annotator',
  input: z.object({
    documents: z
      .array(z.object({ source: blobRef, break: mergeBreak.optional(), headers: mergeHeaders.optional() }))
      .min(1)
      .max(MERGED_DOCUMENTS_MAX),
    /** The place of the first of them in the request. Errors and warnings count from there. */
    first: z.number().int().nonnegative(),
    options: z.object(mergeOptions),
    /** If set, the annotator forwards the document to the converter, without a second trip through the gateway. */
    thenConvert: conversion.optional(),
  }),
  output: z.object({ result: blobRef, warnings: z.array(mergeWarning), runMs: z.number().nonnegative() }),
  timeoutMs: 120_000,
});

/** Joins PDFs into one: those of the caller, and those that the service made of runs of DOCX documents. */
export const joinJob = defineJob({
  name: 'join',
  role: 'annotator',
  input: z.object({
    parts: z
      .array(
        z.object({
          source: blobRef,
          /** The place in the request, of the first document if it was made of several. */
          document: z.number().int().nonnegative(),
          isMade: z.boolean(),
        }),
      )
      .min(1)
      .max(MERGED_DOCUMENTS_MAX),
    /** Maximum size of the result. */
    bytesMax: z.number().int().positive(),
    /** The title of the result if its first document has none. */
    titleIfNone: z.string(),
  }),
  output: z.object({
    result: blobRef,
    pages: z.number().int().nonnegative(),
    warnings: z.array(mergeWarning),
    runMs: z.number().nonnegative(),
  }),
  timeoutMs: 120_000,
});
