import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import { type WrittenEntry, xrefStream, xrefTable } from './write-xref.ts';

/** Objects in one object stream. A reader decompresses all to read one. */
const PACKED_MAX = 200;
const PACKED_CHARS_MAX = 512 * 1024;
const BLOCK_BYTES = 1024 * 1024;
/** The length of `%PDF-1.7`, with room for the version that is known only at the end. */
const HEADER = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';

/** The bytes of a file in blocks, each filled before the next. */
class Blocks {
  readonly filled: Buffer[] = [];
  length = 0;
  #block = Buffer.allocUnsafe(0);
  #used = 0;

  push(bytes: Buffer): void {
    this.length += bytes.length;
    for (let from = 0; from < bytes.length; ) {
      if (this.#used === this.#block.length) this.#next();
      const copied = bytes.copy(this.#block, this.#used, from);
      this.#used += copied;
      from += copied;
    }
  }

  #next(): void {
    if (this.#used > 0) this.filled.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#used = 0;
  }

  end(): Buffer[] {
    if (this.#used > 0) this.filled.push(this.#block.subarray(0, this.#used));
    return this.filled;
  }
}

/** Writes a PDF from its first byte to its last. The same calls give the same bytes. */
export class NewFile {
  readonly #blocks = new Blocks();
  readonly #entries: WrittenEntry[] = [];
  readonly #hash = createHash('sha256');
  readonly #onGrowth: (length: number) => void;
  /** Whether dictionaries go into object streams (ISO 32000-2, 7.5.7), which PDF/A-1 forbids. Set before the first. */
  isPacked = true;
  #packed: { num: number; text: string }[] = [];
  #packedChars = 0;
  #numMax = 0;

  /** `onGrowth` is called with the file's length so far, and may throw. */
  constructor(onGrowth: (length: number) => void) {
    this.#onGrowth = onGrowth;
    this.#push(Buffer.from(HEADER, 'latin1'));
  }

  /** Returns the number of an object to be written later. */
  reserve(): number {
    if (this.#numMax >= BOUNDS.objectNumberMax)
      throw tooComplex(`more than ${BOUNDS.objectNumberMax} objects`);
    return ++this.#numMax;
  }

  /** Writes an object other than a stream; `text` is latin1. Each number is written once. */
  write(num: number, text: string): void {
    if (!this.isPacked) {
      this.#plain(num, [Buffer.from(text, 'latin1')]);
      return;
    }
    this.#packed.push({ num, text });
    this.#packedChars += text.length + 1;
    if (this.#packed.length >= PACKED_MAX || this.#packedChars >= PACKED_CHARS_MAX) this.#flush();
  }

  add(text: string): number {
    const num = this.reserve();
    this.write(num, text);
    return num;
  }

  /** Writes a stream; `dict` is without its brackets and without /Length. */
  writeStream(num: number, dict: string, data: Buffer): void {
    const head = Buffer.from(`<<${dict}/Length ${data.length}>>\nstream\n`, 'latin1');
    this.#plain(num, [head, data, Buffer.from('\nendstream')]);
  }

  /** Writes the rest. `trailer` has the keys of the trailer but for /Size and /ID, which is a hash of the content. */
  finish(trailer: string, version: string): { chunks: Buffer[]; length: number } {
    this.#flush();
    const id = this.#hash.copy().update(trailer).digest('hex').slice(0, 32);
    const own = this.isPacked ? this.reserve() : undefined;
    const keys = `<<${trailer}/Size ${this.#numMax + 1}/ID[<${id}><${id}>]>>`;
    const offset = this.#blocks.length;
    const end = `startxref\n${offset}\n%%EOF\n`;
    if (own === undefined) {
      const free = '0000000000 65535 f\r\n';
      const table = xrefTable(this.#allEntries()).replace(/^xref\n1 (\d+)\n/, (_, count: string) => {
        return `xref\n0 ${Number(count) + 1}\n${free}`;
      });
      this.#push(Buffer.from(`${table}trailer\n${keys}\n${end}`, 'latin1'));
    } else {
      this.#entries.push({ num: own, gen: 0, kind: 'plain', offset });
      const parts = [`${own} 0 obj\n`, xrefStream(this.#allEntries(), keys), `\nendobj\n${end}`];
      for (const part of parts) this.#push(typeof part === 'string' ? Buffer.from(part) : part);
    }
    const chunks = this.#blocks.end();
    chunks[0]?.write(version, '%PDF-'.length, 'latin1');
    return { chunks, length: this.#blocks.length };
  }

  /** All entries by number. Throws if a reserved number was not written: the file would have a gap. */
  #allEntries(): WrittenEntry[] {
    const sorted: WrittenEntry[] = new Array(this.#numMax);
    for (const entry of this.#entries) sorted[entry.num - 1] = entry;
    for (let num = 1; num <= this.#numMax; num++) {
      if (sorted[num - 1] === undefined) throw new Error(`object ${num} was not written`);
    }
    return sorted;
  }

  #plain(num: number, parts: readonly Buffer[]): void {
    this.#entries.push({ num, gen: 0, kind: 'plain', offset: this.#blocks.length });
    this.#push(Buffer.from(`${num} 0 obj\n`));
    for (const part of parts) this.#push(part);
    this.#push(Buffer.from('\nendobj\n'));
  }

  #flush(): void {
    const packed = this.#packed;
    if (packed.length === 0) return;
    this.#packed = [];
    this.#packedChars = 0;
    const stream = this.reserve();
    let at = 0;
    const index: string[] = [];
    for (const [place, { num, text }] of packed.entries()) {
      index.push(`${num} ${at}`);
      at += text.length + 1;
      this.#entries.push({ num, gen: place, kind: 'packed', offset: stream });
    }
    const head = `${index.join(' ')}\n`;
    const data = deflateSync(Buffer.from(head + packed.map(({ text }) => text).join('\n'), 'latin1'));
    const keys = `/Type/ObjStm/N ${packed.length}/First ${head.length}/Filter/FlateDecode`;
    this.writeStream(stream, keys, data);
  }

  #push(bytes: Buffer): void {
    this.#blocks.push(bytes);
    this.#hash.update(bytes);
    this.#onGrowth(this.#blocks.length);
  }
}
