import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readCertificate } from '@scriptorium/pki/certificates';
import { isFetchFailure } from '@scriptorium/pki/fetcher';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import { reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import { asBuffer, noteToOwner, threadData } from '@scriptorium/shared/threads/thread';
import {
  type KeptLists,
  LIST_BYTES_MAX,
  type ListFault,
  loadLists,
  TrustedListError,
} from '@scriptorium/signatures/trusted-lists';

export interface ListsThreadData {
  /** Address of the list of lists. */
  address: string;
  /** Its signers, DER. */
  signers: Uint8Array[];
  /** Lists are files of this folder instead of being fetched. */
  folder: string | undefined;
  fetch: FetchConfig;
}

/** `kept` are `KeptLists` in JSON. */
export type LoadedLists = { kept: Buffer; missing: KeptLists['missing'] } | { fault: ListFault; why: string };

const { address, signers, folder, fetch } = threadData<ListsThreadData>();
const fetcher = reportingFetcher(createFetcher(fetch), noteToOwner);
const signal = new AbortController().signal;

/** Loads all lists. `former` are those that were loaded before, in memory that others share. */
export async function load({ former }: { former: SharedArrayBuffer | undefined }): Promise<LoadedLists> {
  try {
    const lists = await loadLists({
      address,
      signers: signers.map((der) => readCertificate(asBuffer(der))),
      read: folder === undefined ? fetchList : (url, territory) => readMounted(folder, url, territory),
      now: new Date(),
      former: former && JSON.parse(Buffer.from(former).toString()),
    });
    return { kept: Buffer.from(JSON.stringify(lists)), missing: lists.missing };
  } catch (error) {
    if (!(error instanceof TrustedListError)) throw error;
    return { fault: error.code, why: error.message };
  }
}

async function fetchList(url: string): Promise<Buffer> {
  try {
    return await fetcher.fetch(url, { bytesMax: LIST_BYTES_MAX, signal });
  } catch (error) {
    if (!isFetchFailure(error)) throw error;
    const code = error.failure === 'large' ? 'LIST_TOO_LARGE' : 'LIST_UNREACHABLE';
    throw new TrustedListError(code, error.message, error);
  }
}

/** A list is the file with the last part of its address, or with its country: `BE.xml`. */
async function readMounted(within: string, url: string, territory: string): Promise<Buffer> {
  const names = [basename(url.split(/[?#]/, 1)[0] ?? ''), `${territory}.xml`];
  for (const name of names.filter((each) => /^\w[\w.-]*$/.test(each))) {
    const path = join(within, name);
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) continue;
    if (size > LIST_BYTES_MAX) throw new TrustedListError('LIST_TOO_LARGE', `${name} is too large`);
    return await readFile(path);
  }
  throw new TrustedListError('LIST_UNREACHABLE', `the folder has none of ${names.join(' and ')}`);
}
