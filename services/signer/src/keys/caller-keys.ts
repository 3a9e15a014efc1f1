import { createHmac, randomBytes } from 'node:crypto';
import {
  checkValidity,
  type KeyMaterial,
  privateKeySigner,
  type RawSigner,
  readPem,
  readPkcs12,
} from '@scriptorium/pki/keys';
import type { CallerKey } from '@scriptorium/signatures/sign-request';

const KEPT_MAX = 64;
const KEPT_MS_MAX = 120_000;

interface Kept {
  signer: Promise<RawSigner>;
  timer: NodeJS.Timeout;
}

/**
 * Opens keys that callers send. An opened key is cached for two minutes, so a caller who signs many documents derives
 * its password once. Its name is a keyed hash of file and password, neither of which is kept.
 */
export class CallerKeys {
  readonly #kept = new Map<string, Kept>();
  readonly #nameKey = randomBytes(32);
  readonly #keptMs: number;

  constructor(keptMs = KEPT_MS_MAX) {
    this.#keptMs = keptMs;
  }

  /** Throws SIGNING_KEY_INVALID. */
  async signer(key: CallerKey, now: Date): Promise<RawSigner> {
    const name = this.#nameOf(key);
    const kept = this.#kept.get(name) ?? this.#keep(name, openCallerKey(key, now));
    const signer = await kept.signer;
    checkValidity(signer, now);
    return signer;
  }

  /** Number of cached keys. */
  get size(): number {
    return this.#kept.size;
  }

  #keep(name: string, signer: Promise<RawSigner>): Kept {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= KEPT_MAX) this.#drop(oldest);
    const kept = { signer, timer: setTimeout(() => this.#drop(name), this.#keptMs).unref() };
    this.#kept.set(name, kept);
    signer.catch(() => this.#drop(name));
    return kept;
  }

  #drop(name: string): void {
    clearTimeout(this.#kept.get(name)?.timer);
    this.#kept.delete(name);
  }

  #nameOf(key: CallerKey): string {
    return createHmac('sha256', this.#nameKey).update(JSON.stringify(key)).digest('base64');
  }
}

async function openCallerKey(key: CallerKey, now: Date): Promise<RawSigner> {
  return privateKeySigner(await materialOf(key), { now });
}

async function materialOf(key: CallerKey): Promise<KeyMaterial> {
  switch (key.kind) {
    case 'p12':
      return readPkcs12(Buffer.from(key.base64, 'base64'), key.password);
    case 'pem':
      return readPem(key);
  }
}
