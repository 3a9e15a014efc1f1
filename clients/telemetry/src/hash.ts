import { afterTask } from './pauses.ts';

/** Maximum time on the main thread that does not delay a frame. The clock is read after each slice. */
const WORK_MS_MAX = 8;
const SLICE_BYTES = 32 * 1024;

/** Chromium blocks the page while it copies and digests, so WebCrypto gets only what takes a few milliseconds. */
const NATIVE_BYTES_MAX = 4 * 1024 * 1024;

let crcTable: Uint32Array | undefined;

function tableOfCrc(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
}

/** Computes the CRC-32 of ZIP (ISO 3309), unsigned. `previous` is the CRC of the preceding slices. */
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

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** SHA-256 in slices (FIPS 180-4), for large files and for http pages, which do not have WebCrypto. */
export class Sha256 {
  readonly #state = fractionsOfRoots(8, Math.sqrt);
  readonly #keys = fractionsOfRoots(64, Math.cbrt);
  readonly #words = new Int32Array(64);
  readonly #rest = new Uint8Array(64);
  #length = 0;

  update(bytes: Uint8Array): this {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (at < bytes.length) {
      const filled = this.#length % 64;
      const taken = Math.min(64 - filled, bytes.length - at);
      if (taken === 64) this.#block(view, at);
      else {
        this.#rest.set(bytes.subarray(at, at + taken), filled);
        if (filled + taken === 64) this.#block(new DataView(this.#rest.buffer), 0);
      }
      this.#length += taken;
      at += taken;
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

  #schedule(view: DataView, at: number): Int32Array {
    const words = this.#words;
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 64; i++) {
      const x = words[i - 15] as number;
      const y = words[i - 2] as number;
      const small = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const large = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      words[i] = ((words[i - 16] as number) + small + (words[i - 7] as number) + large) | 0;
    }
    return words;
  }

  #block(view: DataView, at: number): void {
    const words = this.#schedule(view, at);
    const keys = this.#keys;
    const state = this.#state;
    let [a, b, c, d] = [state[0] as number, state[1] as number, state[2] as number, state[3] as number];
    let [e, f, g, h] = [state[4] as number, state[5] as number, state[6] as number, state[7] as number];
    for (let i = 0; i < 64; i++) {
      const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + mixed + ((e & f) ^ (~e & g)) + (keys[i] as number) + (words[i] as number)) | 0;
      const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    this.#add(0, a, b, c, d);
    this.#add(4, e, f, g, h);
  }

  #add(at: number, a: number, b: number, c: number, d: number): void {
    const state = this.#state;
    state[at] = (state[at] as number) + a;
    state[at + 1] = (state[at + 1] as number) + b;
    state[at + 2] = (state[at + 2] as number) + c;
    state[at + 3] = (state[at + 3] as number) + d;
  }
}

async function inSlices(bytes: Uint8Array, take: (slice: Uint8Array) => void): Promise<void> {
  const { length } = bytes;
  let begun = performance.now();
  for (let at = 0; at < length; at += SLICE_BYTES) {
    if (performance.now() - begun > WORK_MS_MAX) {
      await afterTask();
      begun = performance.now();
    }
    if (bytes.length !== length) throw new TypeError('The buffer was transferred.');
    take(bytes.subarray(at, at + SLICE_BYTES));
  }
}

async function nativeSha256(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length > NATIVE_BYTES_MAX) return undefined;
  try {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  } catch {
    // The page is not secure, or the bytes are in shared memory, which WebCrypto does not support.
    return undefined;
  }
}

/** Returns the SHA-256 as 64 hex digits. Large data are hashed in slices, so that the page stays responsive. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  let digest = await nativeSha256(bytes);
  if (!digest) {
    const hash = new Sha256();
    await inSlices(bytes, (slice) => hash.update(slice));
    digest = hash.digest();
  }
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the CRC-32 as 8 upper-case hex digits, computed in slices. */
export async function crc32Hex(bytes: Uint8Array): Promise<string> {
  let crc = 0;
  await inSlices(bytes, (slice) => {
    crc = crc32(slice, crc);
  });
  return crc.toString(16).padStart(8, '0').toUpperCase();
}
