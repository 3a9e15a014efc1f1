import { PLAIN_REASONS } from '@scriptorium/contracts/jobs/rows';
import { signReply } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { answeredDocument } from '../documents/answer.ts';
import { errorCode, errorDetail } from '../documents/error-groups.ts';
import { fillingReport, fillingReportOf } from '../documents/filling.ts';
import type { FinishedDocument } from './pack-client.ts';

const count = z.number().int().nonnegative();

const rowReportSchema = z.strictObject({
  ...fillingReport.shape,
  pages: count.optional().describe('With `to=pdf`: the number of pages'),
  conversionWarnings: count.optional().describe('With `to=pdf`: as `X-Conversion-Warnings`'),
});

type RowReport = z.output<typeof rowReportSchema>;

const error = z.strictObject({
  code: errorCode,
  error: z.string(),
  message: z.string(),
  details: z.array(errorDetail).optional(),
});

const row = { index: count, id: z.union([z.string(), z.number()]).optional() };

const ways = z
  .strictObject({
    fast: count,
    plain: count,
    reasons: z.partialRecord(z.enum(PLAIN_REASONS), count).describe('Why rows were plain, with their number'),
  })
  .describe(
    'With `to=pdf`: the number of documents that were put into a loaded form, and of those that were loaded each',
  );

/** The lines of an answer: one for each row, and the last one. */
export const batchLine = z
  .union([
    z.strictObject({
      ...row,
      document: answeredDocument,
      report: rowReportSchema,
      ...z.object(signReply.shape).partial().shape,
    }),
    z.strictObject({ ...row, error }),
    z
      .strictObject({
        summary: z.strictObject({ rows: count, done: count, failed: count, ways: ways.optional() }),
      })
      .describe('The last line. Without it, the answer is not whole'),
    z
      .strictObject({ error, nextIndex: count, answered: z.array(count).optional() })
      .describe(
        'The last line of a batch that ended early: `nextIndex` is the first row without an answer, `answered` lists later rows with one',
      ),
  ])
  .meta({ id: 'BatchLine' });

/** The report of a row. */
export function rowReport({ report, conversion }: FinishedDocument): RowReport {
  return {
    ...fillingReportOf(report),
    ...(conversion && { pages: conversion.pages, conversionWarnings: conversion.warnings }),
  };
}
