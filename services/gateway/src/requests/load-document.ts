import { AppError } from '@scriptorium/shared/errors';
import { FetchError } from '@scriptorium/shared/fetch/fetch-error';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { invalid } from '@scriptorium/shared/http/validation';
import { BASE64_ISSUE, decodeBase64, decodedBytes, parseDataUri } from './base64.ts';
import type { DocumentSource } from './document-source.ts';

export interface DocumentLoading {
  fetcher: Fetcher;
  uploadBytesMax: number;
  signal: AbortSignal;
}

/**
 * Returns the bytes of the document of a request. A worker validates them. Throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE,
 * INVALID_FILE_FORMAT for an empty document, and DOCUMENT_FETCH_FAILED.
 */
export async function loadDocument(source: DocumentSource, loading: DocumentLoading): Promise<Buffer> {
  const bytes =
    source.base64 === undefined
      ? await fetchDocument(source.url ?? '', loading)
      : decodeDocument(source.base64, loading.uploadBytesMax);
  if (bytes.length === 0) throw new AppError('INVALID_FILE_FORMAT', 'The document is empty.');
  return bytes;
}

function decodeDocument(text: string, uploadBytesMax: number): Buffer {
  const refuse = (issue: string): AppError => invalid([{ field: 'document.base64', issue }]);
  const uri = parseDataUri(text);
  // The type is detected from the bytes. But a media type such as `image/png` is a mistake of the caller.
  if (uri !== null && uri.mediaType !== '' && !uri.mediaType.startsWith('application/'))
    throw refuse('is a data URI with a media type that is not a document');
  if (uri !== null && !uri.isBase64) throw refuse('is a data URI without `;base64`');
  const base64 = uri?.payload ?? text;
  if (decodedBytes(base64) > uploadBytesMax)
    throw new AppError('PAYLOAD_TOO_LARGE', `The document exceeds the limit of ${uploadBytesMax} bytes.`);
  const bytes = decodeBase64(base64);
  if (bytes === null) throw refuse(BASE64_ISSUE);
  return bytes;
}

async function fetchDocument(url: string, loading: DocumentLoading): Promise<Buffer> {
  try {
    return await loading.fetcher.fetch(url, { bytesMax: loading.uploadBytesMax, signal: loading.signal });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new AppError('DOCUMENT_FETCH_FAILED', error.message, {
      details: [{ field: 'document.url', issue: error.message }],
      cause: error,
    });
  }
}
