import type { BlobStore } from '../blob/store.ts';
import { inSpan, type OpenSpan, type SpanStart } from './trace.ts';

const STORE: SpanStart = { kind: 'client', attributes: { 'db.system.name': 'redis' } };

/** Wraps a store in spans. `remove` has no span, since it runs after the answer. */
export function tracedBlobs(store: BlobStore): BlobStore {
  const reportBytes = (span: OpenSpan | undefined, bytes: number) =>
    span?.set({ 'scriptorium.bytes': bytes });
  return {
    put: (key, bytes, ttlMs) =>
      inSpan('put document', STORE, async (span) => {
        reportBytes(span, bytes.length);
        await store.put(key, bytes, ttlMs);
      }),
    get: (key) =>
      inSpan('get document', STORE, async (span) => {
        const bytes = await store.get(key);
        reportBytes(span, bytes?.length ?? 0);
        return bytes;
      }),
    remove: (keys) => store.remove(keys),
  };
}
