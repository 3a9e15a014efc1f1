import type { Closeable } from '@scriptorium/shared/lifecycle';
import { abortError, defineThread, type Threads } from '@scriptorium/shared/threads/define-thread';
import { programBeside } from '@scriptorium/shared/threads/worker-threads';
import type { ListsThreadData, LoadedLists } from './lists-thread.ts';

/** Countries issue lists every few weeks, and the list of lists names new keys at most as often. */
const REFRESH_MS = 6 * 3_600_000;
/** After a list could not be reached. One that must not be used seldom changes sooner than the others. */
const RETRY_MS = 30 * 60_000;
/** All lists of Europe take some seconds. The most hostile one takes four, and must not keep the others out. */
const LOADING_MS_MAX = 300_000;
const HEAP_MIB_MAX = 1_024;

const listThreads = defineThread<typeof import('./lists-thread.ts'), ListsThreadData>({
  module: programBeside(import.meta.url, 'lists-thread'),
  calls: { load: (why) => `The trusted lists take ${why} to read.` },
  timeoutMs: LOADING_MS_MAX,
  heapMibMax: HEAP_MIB_MAX,
  fail: abortError('loading', 'document'),
});

export interface TrustedListEvents {
  loaded(bytes: number, isNew: boolean): void;
  /** A list must not be used. Without a territory, it is the list of lists. */
  refused(territory: string | undefined, fault: string, why: string): void;
  failed(error: unknown): void;
}

/** Lists as threads get them: `version` distinguishes others, and the memory is shared. */
export interface SharedLists {
  version: number;
  json: SharedArrayBuffer;
}

export interface TrustedListSource extends Closeable {
  /** Undefined until they are loaded for the first time. */
  current(): SharedLists | undefined;
}

/** Loads the lists now and every few hours, in a thread of its own. What could be used before stays. */
export function watchTrustedLists(
  data: ListsThreadData,
  events: TrustedListEvents,
  {
    onNote,
    refreshMs = REFRESH_MS,
    retryMs = RETRY_MS,
  }: { onNote?: (note: string) => void; refreshMs?: number; retryMs?: number } = {},
): TrustedListSource {
  // The thread of a loading is replaced, and its memory returned.
  const threads: Threads<typeof import('./lists-thread.ts')> = listThreads({
    threads: 1,
    requestsMax: 1,
    onNote,
    data,
  });
  const closing = new AbortController();
  let known: SharedLists | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Returns whether all lists could be reached. */
  const take = (loaded: LoadedLists): boolean => {
    if ('fault' in loaded) {
      events.refused(undefined, loaded.fault, loaded.why);
      return false;
    }
    const { kept, missing } = loaded;
    for (const { territory, fault, why } of missing) events.refused(territory, fault, why);
    const isNew = known === undefined || !kept.equals(Buffer.from(known.json));
    if (isNew) known = shared(kept, (known?.version ?? 0) + 1);
    events.loaded(kept.length, isNew);
    return !missing.some(({ fault }) => fault === 'LIST_UNREACHABLE');
  };
  const load = async (): Promise<void> => {
    let isComplete = false;
    try {
      isComplete = take(await threads.load({ former: known?.json }, closing.signal));
    } catch (error) {
      if (closing.signal.aborted) return;
      events.failed(error);
    }
    timer = setTimeout(load, isComplete ? refreshMs : retryMs).unref();
  };

  void load();
  return {
    current: () => known,
    async close() {
      closing.abort();
      clearTimeout(timer);
      await threads.close();
    },
  };
}

function shared(kept: Buffer, version: number): SharedLists {
  const json = new SharedArrayBuffer(kept.length);
  Buffer.from(json).set(kept);
  return { version, json };
}
