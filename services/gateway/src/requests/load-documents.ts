import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, renamed } from '@scriptorium/shared/errors';
import type { Reply } from '../context.ts';
import { abortOnDisconnect } from './abort-on-disconnect.ts';
import type { DocumentSource } from './document-source.ts';
import { type DocumentLoading, loadDocument } from './load-document.ts';
import type { Loading } from './load-request.ts';

const FETCHES_AT_A_TIME_MAX = 4;

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
      return await loadAll(sources, loading, bytesMax);
    } finally {
      stop.abort();
    }
  });
  keep(
    documents.filter((_, at) => sources[at]?.url !== undefined).reduce((sum, { length }) => sum + length, 0),
  );
  return documents;
}

async function loadAll(
  sources: DocumentSource[],
  loading: DocumentLoading,
  bytesMax: number,
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
      add(await loadDocument(source, loading).catch(namePlace(at)), at);
      source.base64 = undefined;
      // Decoding takes up to some 50 ms, during which no other request is served.
      await nextTurn();
    }
  }
  const queue = places.entries();
  const work = async (): Promise<void> => {
    for (const [url, at] of queue) {
      const document = await loadDocument({ url }, loading).catch(namePlace(at[0] ?? 0));
      for (const place of at) add(document, place);
    }
  };
  await Promise.all(Array.from({ length: FETCHES_AT_A_TIME_MAX }, work));
  return documents;
}

/** Throws an error about one document with its path in the request. */
function namePlace(at: number): (error: unknown) => never {
  const place = `documents[${at}]`;
  return (error) => {
    if (!(error instanceof AppError) || error.code === 'DEADLINE_EXCEEDED') throw error;
    if (error.details !== undefined) throw renamed(error, (field) => field.replace(/^document\b/, place));
    const { code, message, cause } = error;
    throw new AppError(code, message, { cause, details: [{ field: place, issue: message }] });
  };
}
