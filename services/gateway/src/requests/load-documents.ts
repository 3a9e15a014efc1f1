import type { Reply } from '../context.ts';
import { abortOnDisconnect } from './abort-on-disconnect.ts';
import type { DocumentSource } from './document-source.ts';
import { FETCHES_AT_A_TIME_MAX, loadAllDocuments } from './load-document.ts';
import type { Loading } from './load-request.ts';

/**
 * Returns the bytes of several documents in their order. Each address is fetched once. Takes the base64 out of `sources`, so
 * that a document is in memory only once. Throws the errors of `loadDocument` with the place of the document, and
 * PAYLOAD_TOO_LARGE for all together.
 */
export async function loadDocuments(
  sources: DocumentSource[],
  { fetcher, budget, limits }: Loading,
  response: Reply,
): Promise<Buffer[]> {
  const bytesMax = limits.mergeBytesMax;
  const uploadBytesMax = Math.min(limits.uploadBytesMax, bytesMax);
  const addresses = new Set(sources.flatMap(({ url }) => url ?? []));
  const fetchedMax = addresses.size * uploadBytesMax;
  const keep = budget.hold(response, Math.min(fetchedMax, bytesMax + FETCHES_AT_A_TIME_MAX * uploadBytesMax));
  const documents = await abortOnDisconnect(response.locals, async (signal) => {
    const stop = new AbortController();
    const loading = { fetcher, uploadBytesMax, signal: AbortSignal.any([signal, stop.signal]) };
    try {
      return await loadAllDocuments(sources, loading, { bytesMax, pathOf: (at) => `documents[${at}]` });
    } finally {
      stop.abort();
    }
  });
  keep(
    documents.filter((_, at) => sources[at]?.url !== undefined).reduce((sum, { length }) => sum + length, 0),
  );
  return documents;
}
