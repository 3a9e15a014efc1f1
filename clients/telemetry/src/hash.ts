import { afterTask } from './pauses.ts';

/** About as much as a slow phone digests between two frames. */
const SLICE_BYTES = 256 * 1024;

/** WebCrypto copies what it digests while the page waits; beyond this, slices disturb less. */
const NATIVE_BYTES_MAX = 64 * 1024 * 1024;

let crcTable: Uint32Array | undefined;

function tableOfCrc(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
}

/** CRC-32 as in ZIP (ISO 3309), unsigned; `previous` is that of the bytes before, so that slices can follow. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  crcTable ??= tableOfCrc();
  let crc = ~previous;
  for (let at = 0; at < bytes.length; at++)
    crc = (crcTable[(crc ^ (bytes[at] ?? 0)) & 255] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The first 32 bits of the fractions of the primes' roots (FIPS 180-4 §4.2.2, §5.3.3). */
function fractionsOfRoots(count: number, root: (prime: number) => number): Int32Array {
  const fractions = new Int32Array(count);
  for (let prime = 2, found = 0; found < count; prime++) {
    let divisor = 2;
    while (prime % divisor !== 0) divisor++;
    if (divisor === prime) fractions[found++] = (root(prime) % 1) * 2 ** 32;
  }
  return fractions;
}

const turn = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** SHA-256 in slices (FIPS 180-4): for pages without WebCrypto, which browsers keep from plain http. */
export class Sha256 {
  readonly #state = fractionsOfRoots(8, Math.sqrt);
  readonly #keys = fractionsOfRoots(64, Math.cbrt);
  readonly #words = new Int32Array(64);
  readonly #rest = new Uint8Array(64);
  #length = 0;

  update(bytes: Uint8Array): this {
    let at = 0;
    while (at < bytes.length) {
      const filled = this.#length % 64;
      const piece = bytes.subarray(at, at + 64 - filled);
      this.#rest.set(piece, filled);
      this.#length += piece.length;
      at += piece.length;
      if (filled + piece.length === 64) this.#block();
    }
    return this;
  }

  digest(): Uint8Array {
    const bits = this.#length * 8;
    const padding = new Uint8Array(((119 - (this.#length % 64)) % 64) + 9);
    padding[0] = 0x80;
    const tail = new DataView(padding.buffer, padding.length - 8);
    tail.setUint32(0, Math.floor(bits / 2 ** 32));
    tail.setUint32(4, bits >>> 0);
    this.update(padding);
    const out = new DataView(new ArrayBuffer(32));
    this.#state.forEach((word, index) => {
      out.setInt32(index * 4, word);
    });
    return new Uint8Array(out.buffer);
  }

  #schedule(): void {
    const words = this.#words;
    const block = new DataView(this.#rest.buffer);
    for (let i = 0; i < 16; i++) words[i] = block.getInt32(i * 4);
    for (let i = 16; i < 64; i++) {
      const x = words[i - 15] as number;
      const y = words[i - 2] as number;
      const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      words[i] = (words[i - 16] as number) + small + (words[i - 7] as number) + large;
    }
  }

  #block(): void {
    this.#schedule();
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let i = 0; i < 64; i++) {
      const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const first = h + mixed + ((e & f) ^ (~e & g)) + (this.#keys[i] as number) + (this.#words[i] as number);
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => {
      this.#state[index] = (this.#state[index] as number) + word;
    });
  }
}

async function inSlices(bytes: Uint8Array, take: (slice: Uint8Array) => void): Promise<void> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await afterTask();
    take(bytes.subarray(at, at + SLICE_BYTES));
  }
}

async function nativeSha256(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length > NATIVE_BYTES_MAX) return undefined;
  try {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  } catch {
    // Not on a secure page, or over shared memory, which WebCrypto does not take.
    return undefined;
  }
}

/** SHA-256 as 64 hex digits, never in more than a slice at a time on the page's thread. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  let digest = await nativeSha256(bytes);
  if (!digest) {
    const hash = new Sha256();
    await inSlices(bytes, (slice) => hash.update(slice));
    digest = hash.digest();
  }
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** CRC-32 as 8 upper-case hex digits, in slices. */
export async function crc32Hex(bytes: Uint8Array): Promise<string> {
  let crc = 0;
  await inSlices(bytes, (slice) => {
    crc = crc32(slice, crc);
  });
  return crc.toString(16).padStart(8, '0').toUpperCase();
}
