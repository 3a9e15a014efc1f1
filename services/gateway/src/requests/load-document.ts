import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, renamed } from '@scriptorium/contracts/errors';
import { FetchError } from '@scriptorium/fetching/error';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { invalid } from '@scriptorium/shared/http/validation';
import { BASE64_ISSUE, decodeBase64, decodedBytes, parseDataUri } from './base64.ts';
import type { DocumentSource } from './document-source.ts';

const FETCHES_AT_A_TIME_MAX = 4;

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
  const bytes = await bytesOf(source, loading);
  if (bytes.length === 0) throw new AppError('INVALID_FILE_FORMAT', 'The document is empty.');
  return bytes;
}

function bytesOf({ base64, url = '', upload }: DocumentSource, loading: DocumentLoading) {
  if (upload !== undefined) return upload.bytes;
  return base64 === undefined ? fetchDocument(url, loading) : decodeDocument(base64, loading.uploadBytesMax);
}

/**
 * Returns the bytes of several documents at paths of the request, in their order. Each address is fetched once. Takes the
 * base64 out of `sources`, so that a document is in memory only once. Throws the errors of `loadDocument` with the path of
 * the document, and PAYLOAD_TOO_LARGE for all together.
 */
export async function loadAllDocuments(
  sources: DocumentSource[],
  loading: DocumentLoading,
  { bytesMax, pathOf }: { bytesMax: number; pathOf(at: number): string },
): Promise<Buffer[]> {
  const documents: Buffer[] = [];
  const places = new Map<string, number[]>();
  let bytes = 0;
  const add = (document: Buffer, at: number): void => {
    bytes += document.length;
    if (bytes > bytesMax)
      throw new AppError('PAYLOAD_TOO_LARGE', `The documents exceed the limit of ${bytesMax} bytes in all.`);
    documents[at] = document;
  };
  for (const [at, source] of sources.entries()) {
    if (source.url !== undefined) places.set(source.url, [...(places.get(source.url) ?? []), at]);
    else {
      add(await loadDocument(source, loading).catch(namePlace(pathOf(at))), at);
      source.base64 = undefined;
      // Decoding takes up to some 50 ms, during which no other request is served.
      await nextTurn();
    }
  }
  const queue = places.entries();
  const work = async (): Promise<void> => {
    for (const [url, at] of queue) {
      const document = await loadDocument({ url }, loading).catch(namePlace(pathOf(at[0] ?? 0)));
      for (const place of at) add(document, place);
    }
  };
  await Promise.all(Array.from({ length: FETCHES_AT_A_TIME_MAX }, work));
  return documents;
}

/** Throws an error about one document with its path in the request. */
function namePlace(place: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.code === 'DEADLINE_EXCEEDED') throw error;
    if (error.details !== undefined) throw renamed(error, (field) => field.replace(/^document\b/, place));
    const { code, message, cause } = error;
    throw new AppError(code, message, { cause, details: [{ field: place, issue: message }] });
  };
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
