import { createHmac, randomBytes } from 'node:crypto';
import { AppError } from '@scriptorium/contracts/errors';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';

const REMEMBERED_MS = 10 * 60_000;
const DOCUMENTS_MAX = 10_000;

interface Cost {
  until: number;
  /** The message of its refusal. */
  refusal?: string;
}

/**
 * The documents that have taken long of late, and those that were refused for their cost. It knows them by a keyed hash, whose
 * key is only in this process.
 */
export class KnownCosts {
  readonly #key = randomBytes(32);
  /** In order of time. */
  readonly #costs = new Map<string, Cost>();
  readonly #rememberedMs: number;

  constructor(rememberedMs = REMEMBERED_MS) {
    this.#rememberedMs = rememberedMs;
  }

  /** Throws the DOCUMENT_TOO_COMPLEX of an earlier conversion with these options. Returns whether it was slow. */
  check(bytes: Uint8Array, options: Conversion): boolean {
    if (this.#costs.size === 0) return false;
    const cost = this.#costs.get(this.#nameOf(bytes, options));
    if (cost === undefined || cost.until < Date.now()) return false;
    if (cost.refusal !== undefined) throw new AppError('DOCUMENT_TOO_COMPLEX', cost.refusal);
    return true;
  }

  /** Remembers a document that was slow, or was refused with this message. */
  add(bytes: Uint8Array, options: Conversion, refusal?: string): void {
    const name = this.#nameOf(bytes, options);
    const until = Date.now() + this.#rememberedMs;
    this.#costs.delete(name);
    this.#costs.set(name, { until, ...(refusal !== undefined && { refusal }) });
    for (const [oldest, cost] of this.#costs) {
      if (this.#costs.size <= DOCUMENTS_MAX && cost.until >= Date.now()) break;
      this.#costs.delete(oldest);
    }
  }

  #nameOf(bytes: Uint8Array, options: Conversion): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(options)).update(bytes).digest('base64');
  }
}
