import {
  MERGED_DOCUMENTS_MAX,
  mergeBreak,
  mergeHeaders,
  mergeOptions,
} from '@scriptorium/contracts/jobs/merge';
import { validate } from '@scriptorium/shared/http/validation';
import { z } from 'zod';
import { BODY_BOUNDS } from '../middleware/json-bounds.ts';
import { parseJson } from '../middleware/receive-json.ts';
import { listOf } from './bounded-list.ts';
import { hasOneSource, ONE_SOURCE_META, oneSource, SOURCE } from './document-source.ts';

/** The query of `POST /v1/merge`. */
export const mergeQuery = z.strictObject({
  to: z.enum(['docx', 'pdf']).default('docx').describe('Format of the result'),
});

const document = z
  .strictObject({
    ...SOURCE,
    break: mergeBreak.optional().describe('Overrides `options.break`. Ignored for the first document'),
    headers: mergeHeaders.optional().describe('Overrides `options.headers`. Ignored for the first document'),
  })
  .refine(hasOneSource, oneSource)
  .meta({ id: 'MergeDocument', ...ONE_SOURCE_META });

/** The part `options` of a form, and of the body. */
export const mergeOptionsPart = z.strictObject(mergeOptions).meta({ id: 'MergeOptions' });
export type MergeOptions = z.output<typeof mergeOptionsPart>;

/** The body of `POST /v1/merge`. */
export const mergeRequest = z
  .strictObject({
    documents: listOf(document, MERGED_DOCUMENTS_MAX).describe(
      'The documents in their order: DOCX, and PDF if the result is a PDF',
    ),
    options: mergeOptionsPart.prefault({}),
  })
  .meta({ id: 'MergeRequest' });
export type MergeRequest = z.output<typeof mergeRequest>;
export type MergeDocument = MergeRequest['documents'][number];

/** Reads the part `options` of a form. Throws VALIDATION_ERROR. */
export function readOptionsPart(text: Buffer | undefined): MergeOptions {
  if (text === undefined) return mergeOptionsPart.parse({});
  const value = parseJson(text, BODY_BOUNDS, 'options');
  return validate(mergeOptionsPart, value, { within: 'options' });
}
