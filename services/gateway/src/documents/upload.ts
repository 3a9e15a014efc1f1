import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { z } from 'zod';
import type { JsonBounds } from '../middleware/json-bounds.ts';
import { takeFiles, takeText } from '../middleware/receive-files.ts';
import { parseJson } from '../middleware/receive-json.ts';
import type { DocumentSource } from '../requests/document-source.ts';

/** The part of a form with the JSON body of the operation, without its document. */
export const REQUEST_PART = 'request';

/** Stands for the file while the body is validated. */
const UPLOADED: DocumentSource = { base64: '' };

/**
 * Returns the body of a form: the part `request`, with the file as its `document`. Returns null if the request is not a form.
 * Paths of errors are those of the JSON body. Throws VALIDATION_ERROR.
 */
export function takeUpload<Body extends z.ZodObject>(
  request: Request,
  schema: Body,
  bounds: JsonBounds,
): z.output<Body> | null {
  const [upload] = takeFiles(request);
  if (upload === undefined) return null;
  const text = takeText(request, REQUEST_PART);
  const sent = text === undefined ? {} : parseJson(text, bounds, REQUEST_PART);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw invalid([{ field: REQUEST_PART, issue: 'must be an object' }]);
  if (Object.hasOwn(sent, 'document'))
    throw invalid([{ field: 'document', issue: 'is the part `file` of the form' }]);
  const body = validate(schema, { ...sent, document: UPLOADED });
  const document: DocumentSource = { upload };
  return { ...body, document } as z.output<Body>;
}
