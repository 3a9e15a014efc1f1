import type { FieldValue } from '@scriptorium/docx-template/fields';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import type { Reply } from '../http/context.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { abortOnDisconnect } from './abort-on-disconnect.ts';
import type { AnnotateRequest } from './annotate-request.ts';
import type { DocumentSource } from './document-source.ts';
import { fieldValuesOf, imagesOf } from './field-values.ts';
import { loadDocument } from './load-document.ts';
import { fetchedFilesMax, loadFiles, type NamedFiles } from './load-files.ts';
import type { LoadedImages } from './load-images.ts';

/** The parts for loading the bytes that a request contains or names. */
export interface Loading {
  /** Fetches for the owner of the key: their fetches at a time are bounded. */
  fetcherOf(response: Reply): Fetcher;
  budget: ByteBudget;
  limits: {
    uploadBytesMax: number;
    imageBytesMax: number;
    imagesBytesMax: number;
    /** All documents of a merge, and all that are inserted into one. */
    mergeBytesMax: number;
  };
}

export interface LoadedRequest {
  source: Buffer;
  fieldValues: FieldValue[];
  images: Buffer;
}

export async function loadAnnotateRequest(
  { document, fields }: AnnotateRequest,
  loading: Loading,
  response: Reply,
): Promise<LoadedRequest> {
  const { source, images } = await loadWithFiles(
    document,
    { images: imagesOf(fields), documents: new Map() },
    loading,
    response,
  );
  return { source, images: images.bytes, fieldValues: fieldValuesOf(fields, images.places) };
}

export async function loadWithFiles(
  document: DocumentSource,
  named: NamedFiles,
  loading: Loading,
  response: Reply,
): Promise<{ source: Buffer; images: LoadedImages }> {
  const { limits } = loading;
  const ofFiles = { ...limits, documentsBytesMax: limits.mergeBytesMax };
  const filesBytes = fetchedFilesMax(named, ofFiles);
  const bytesMax = documentBytesMax(document, limits) + filesBytes;
  return fetchCharged(loading, response, bytesMax, async (fetching) => {
    const [source, images] = await Promise.all([
      loadDocument(document, { ...limits, ...fetching }),
      loadFiles(named, { ...ofFiles, ...fetching }),
    ]);
    const bytes =
      (document.url === undefined ? 0 : source.length) + Math.min(filesBytes, images.bytes.length);
    return { loaded: { source, images }, bytes };
  });
}

export async function loadSource(
  document: DocumentSource,
  loading: Loading,
  response: Reply,
): Promise<Buffer> {
  const { limits } = loading;
  return fetchCharged(loading, response, documentBytesMax(document, limits), async (fetching) => {
    const source = await loadDocument(document, { ...limits, ...fetching });
    return { loaded: source, bytes: source.length };
  });
}

const documentBytesMax = ({ url }: DocumentSource, { uploadBytesMax }: Loading['limits']): number =>
  url === undefined ? 0 : uploadBytesMax;

/**
 * Runs `load` with a fetcher whose bytes are charged as they arrive, until `bytes` is known. The body is already counted. `load`
 * rejects with OVERLOADED or CONCURRENCY_LIMIT without room, and when the caller disconnects or the deadline passes.
 */
export async function fetchCharged<Loaded>(
  { fetcherOf, budget }: Loading,
  response: Reply,
  bytesMax: number,
  load: (fetching: { fetcher: Fetcher; signal: AbortSignal }) => Promise<{ loaded: Loaded; bytes: number }>,
): Promise<Loaded> {
  return abortOnDisconnect(response.locals, async (signal) => {
    const fetcher = fetcherOf(response);
    if (bytesMax === 0) return (await load({ fetcher, signal })).loaded;
    const refused = new AbortController();
    const holding = budget.open(response, bytesMax, (error) => refused.abort(error));
    const charged: Fetcher = {
      fetch: (url, options) =>
        fetcher.fetch(url, { ...options, onBytes: (bytes) => void holding.add(bytes) }),
    };
    try {
      const either = AbortSignal.any([signal, refused.signal]);
      const { loaded, bytes } = await load({ fetcher: charged, signal: either });
      refused.signal.throwIfAborted();
      holding.settle(bytes);
      return loaded;
    } catch (error) {
      holding.settle(0);
      throw error;
    }
  });
}
