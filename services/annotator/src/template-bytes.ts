import { webcrypto } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';

const IDLE_MS_MAX = 600_000;

/** A template: its SHA-256 in base64url, and where its bytes are. */
export interface NamedTemplate {
  hash: string;
  blob: BlobRef;
}

/**
 * The bytes of the templates of batches, for threads that lack one. Evicts the least recently used first, and what was not
 * used for a time.
 */
export class TemplateBytes {
  readonly #blobs: BlobStore;
  readonly #bytesMax: number;
  readonly #idleMsMax: number;
  readonly #kept = new Map<string, { size: number; bytes: Promise<Buffer>; idle: NodeJS.Timeout }>();
  #size = 0;

  /** `bytesMax` 0 keeps nothing. A template is kept for `idleMsMax` after its last use. */
  constructor(blobs: BlobStore, bytesMax: number, idleMsMax = IDLE_MS_MAX) {
    this.#idleMsMax = idleMsMax;
    this.#blobs = blobs;
    this.#bytesMax = bytesMax;
  }

  /** Gets a template from the store once, for all packs that need it. Rejects with UNAVAILABLE if the store lost it. */
  get(template: NamedTemplate): Promise<Buffer> {
    const { hash, blob } = template;
    const known = this.#kept.get(hash);
    this.#drop(hash);
    // The blob of another batch with this template may be lost, but not this one.
    const bytes = known?.bytes.catch(() => this.#load(template)) ?? this.#load(template);
    bytes.catch(() => this.#drop(hash, bytes));
    const idle = setTimeout(() => this.#drop(hash, bytes), this.#idleMsMax).unref();
    this.#kept.set(hash, { size: blob.bytes, bytes, idle });
    this.#size += blob.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#bytesMax) break;
      this.#drop(oldest);
    }
    return bytes;
  }

  async #load({ hash, blob }: NamedTemplate): Promise<Buffer> {
    const bytes = await getInput(this.#blobs, blob);
    // Off the event loop, because a template may have many megabytes.
    const digest = await webcrypto.subtle.digest('SHA-256', bytes);
    if (Buffer.from(digest).toString('base64url') !== hash) throw new Error('a template has another hash');
    return bytes;
  }

  #drop(hash: string, bytes = this.#kept.get(hash)?.bytes): void {
    const known = this.#kept.get(hash);
    if (known === undefined || known.bytes !== bytes) return;
    clearTimeout(known.idle);
    this.#kept.delete(hash);
    this.#size -= known.size;
  }
}
