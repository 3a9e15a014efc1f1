import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Reply } from '../http/context.ts';
import type { BatchHead, batchQuery, OutputForm } from '../requests/batch-request.ts';
import type { BatchParts } from './batch-parts.ts';
import { ndjsonOutput } from './ndjson-output.ts';
import type { BatchOutput } from './outcomes.ts';
import { pdfOutput } from './pdf-output.ts';
import type { BatchOptions } from './run-batch.ts';
import { zipOutput } from './zip-output.ts';

type Query = z.output<typeof batchQuery>;

/** The form of each media type that a caller can accept, in the order of preference. */
const FORMS: Record<string, OutputForm> = {
  'application/x-ndjson': 'ndjson',
  'application/zip': 'zip',
  'application/pdf': 'pdf',
};

/** Returns the form that the query or `Accept` selects. Throws VALIDATION_ERROR if it is not possible. */
export function outputForm({ output, to }: Query, request: Request): OutputForm {
  const accepted = request.accepts(Object.keys(FORMS));
  const form = output ?? FORMS[accepted || ''] ?? 'ndjson';
  if (form === 'pdf' && to !== 'pdf')
    throw invalid([
      output === undefined
        ? { field: 'headers.accept', issue: 'includes `application/pdf`, which requires `to=pdf`' }
        : { field: 'query.output', issue: '`pdf` requires `to=pdf`' },
    ]);
  return form;
}

/** Returns the options of a batch as its output needs them. */
export function optionsFor(form: OutputForm, { onError, ...options }: BatchHead['options']): BatchOptions {
  return form === 'pdf'
    ? { ...options, onError: onError ?? 'stop', order: 'input' }
    : { ...options, onError: onError ?? 'continue' };
}

/** Makes the output of a batch. Nothing has been sent before. */
export function outputFor(
  form: OutputForm,
  { response, query, parts }: { response: Reply; query: Query; parts: BatchParts },
): BatchOutput {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Vary', 'Accept');
  // A proxy must pass each row on at once.
  response.setHeader('X-Accel-Buffering', 'no');
  if (form === 'zip') return zipOutput(response, parts.documents.blobs, query.to);
  if (form === 'pdf') return pdfOutput(response, parts);
  return ndjsonOutput(response, parts.documents.blobs, query.to);
}
