import type { BlobStore } from '../blob/store.ts';
import { inSpan, type OpenSpan, type SpanStart } from './trace.ts';

const STORE: SpanStart = { kind: 'client', attributes: { 'db.system.name': 'redis' } };

/** Runs a command that stores `bytes` bytes in a span. */
export function putInSpan<T>(bytes: number, put: () => Promise<T>): Promise<T> {
  return inSpan('put document', STORE, (span) => {
    reportBytes(span, bytes);
    return put();
  });
}

function getInSpan(get: () => Promise<Buffer | null>): Promise<Buffer | null> {
  return inSpan('get document', STORE, async (span) => {
    const bytes = await get();
    reportBytes(span, bytes?.length ?? 0);
    return bytes;
  });
}

function reportBytes(span: OpenSpan | undefined, bytes: number): void {
  span?.set({ 'scriptorium.bytes': bytes });
}

/** Wraps a store in spans. `remove` has none, since it runs after the answer. Nor has `renew`, since it is not part of a job. */
export function tracedBlobs(store: BlobStore): BlobStore {
  return {
    put: (key, bytes, ttlMs) => putInSpan(bytes.length, () => store.put(key, bytes, ttlMs)),
    get: (key) => getInSpan(() => store.get(key)),
    take: (key, bytes) => getInSpan(() => store.take(key, bytes)),
    remove: (keys) => store.remove(keys),
    renew: (key, ttlMs) => store.renew(key, ttlMs),
  };
}
