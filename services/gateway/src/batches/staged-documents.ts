import type { BlobRef } from '@scriptorium/contracts/define-job';
import { unavailable } from '@scriptorium/contracts/errors';
import { packParts } from '@scriptorium/contracts/pack';
import { sealBlob } from '@scriptorium/sealing/blob';
import type { BlobStore } from '@scriptorium/shared/blob/store';

const RENEWAL_MS = 30_000;
/** The blobs of a killed gateway expire after this time. */
const TTL_MS = 3 * RENEWAL_MS;
const PACK_BYTES = 4 * 1024 * 1024;

/** Keeps finished documents in the store, until all are there. The gateway holds only the last few of them. */
export class StagedDocuments {
  readonly #store: BlobStore;
  readonly #batchId: string;
  readonly #packs: BlobRef[] = [];
  readonly #timer: NodeJS.Timeout;
  #titles: string[] = [];
  #documents: Buffer[] = [];
  #unwritten = 0;

  constructor(store: BlobStore, batchId: string) {
    this.#store = store;
    this.#batchId = batchId;
    // A blob that is lost is found missing by the worker that joins them.
    this.#timer = setInterval(() => {
      for (const { key } of this.#packs) store.renew(key, TTL_MS).catch(() => undefined);
    }, RENEWAL_MS);
  }

  /** Throws UNAVAILABLE. */
  async add(title: string, document: Buffer): Promise<void> {
    this.#titles.push(title);
    this.#documents.push(document);
    this.#unwritten += document.length;
    if (this.#unwritten >= PACK_BYTES) await this.#flush();
  }

  /** Returns the packs with `joinedRows`, in the order of the documents. Throws UNAVAILABLE. */
  async all(): Promise<BlobRef[]> {
    if (this.#documents.length > 0) await this.#flush();
    return this.#packs;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store.remove(this.#packs.map(({ key }) => key)).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = packParts([Buffer.from(JSON.stringify(this.#titles)), ...this.#documents]);
    const key = `${this.#batchId}.documents.${this.#packs.length}`;
    const { box, seal } = sealBlob(bytes);
    this.#packs.push({ key, bytes: bytes.length, seal });
    this.#titles = [];
    this.#documents = [];
    this.#unwritten = 0;
    await this.#store.put(key, box, TTL_MS).catch(unavailable('document store'));
  }
}
