const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8 (APPNOTE 4.4.4). */
const UTF8 = 0x0800;
/** 1 January 1980: an archive says nothing of the clock of its maker. */
const DATE = 0x21;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Writes numbers of two (`S`) or four (`L`) bytes, little-endian. */
function packed(...fields: (readonly ['S' | 'L', number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + (size === 'S' ? 2 : 4), 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 'S') view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size === 'S' ? 2 : 4;
  }
  return new Uint8Array(view.buffer);
}

/** The most entries of an archive without ZIP64. */
export const ZIP_ENTRIES_MAX = 65_000;

/** Collects files into a ZIP archive without compression (APPNOTE 6.3): PDF and DOCX are compressed already. */
export class Zip {
  readonly #parts: Blob[] = [];
  readonly #central: Uint8Array<ArrayBuffer>[] = [];
  #offset = 0;

  add(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    const encoded = new TextEncoder().encode(name);
    const facts = [
      ...([
        ['S', UTF8],
        ['S', 0],
        ['S', 0],
        ['S', DATE],
        ['L', crc32(bytes)],
      ] as const),
      ...([
        ['L', bytes.length],
        ['L', bytes.length],
        ['S', encoded.length],
        ['S', 0],
      ] as const),
    ] as const;
    const head = packed(['L', LOCAL], ['S', VERSION], ...facts);
    // A blob may leave the memory of the page.
    this.#parts.push(new Blob([head, encoded, bytes]));
    const place = packed(['S', 0], ['S', 0], ['S', 0], ['L', 0], ['L', this.#offset]);
    this.#central.push(packed(['L', CENTRAL], ['S', VERSION], ['S', VERSION], ...facts), place, encoded);
    this.#offset += head.length + encoded.length + bytes.length;
  }

  get entries(): number {
    return this.#parts.length;
  }

  finish(): Blob {
    const size = this.#central.reduce((sum, { length }) => sum + length, 0);
    const count = this.#parts.length;
    const end = packed(
      ['L', END],
      ['S', 0],
      ['S', 0],
      ['S', count],
      ['S', count],
      ['L', size],
      ['L', this.#offset],
      ['S', 0],
    );
    return new Blob([...this.#parts, ...this.#central, end], { type: 'application/zip' });
  }
}
