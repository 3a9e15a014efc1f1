import type { Reply } from '../http/context.ts';
import type { DocumentSource } from './document-source.ts';
import { loadAllDocuments } from './load-document.ts';
import { fetchCharged, type Loading } from './load-request.ts';

/**
 * Returns the bytes of several documents in their order. Each address is fetched once. Takes the base64 out of `sources`, so
 * that a document is in memory only once. By default, they are the documents of a merge. Throws the errors of `loadDocument` with the place of the document, and
 * PAYLOAD_TOO_LARGE for all together.
 */
export async function loadDocuments(
  sources: DocumentSource[],
  loading: Loading,
  response: Reply,
  {
    bytesMax = loading.limits.mergeBytesMax,
    pathOf = (at) => `documents[${at}]`,
  }: { bytesMax?: number; pathOf?(at: number): string } = {},
): Promise<Buffer[]> {
  const { limits } = loading;
  const uploadBytesMax = Math.min(limits.uploadBytesMax, bytesMax);
  const addresses = new Set(sources.flatMap(({ url }) => url ?? []));
  return fetchCharged(loading, response, addresses.size * uploadBytesMax, async ({ fetcher, signal }) => {
    const stop = new AbortController();
    try {
      const fetching = { fetcher, uploadBytesMax, signal: AbortSignal.any([signal, stop.signal]) };
      const documents = await loadAllDocuments(sources, fetching, { bytesMax, pathOf });
      const fetched = new Set(documents.filter((_, at) => sources[at]?.url !== undefined));
      return { loaded: documents, bytes: [...fetched].reduce((sum, { length }) => sum + length, 0) };
    } finally {
      stop.abort();
    }
  });
}
