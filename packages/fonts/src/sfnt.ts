import { closeSync, openSync, readSync } from 'node:fs';
import { type CharacterMap, readCharacterMap } from './character-map.ts';

/** A file and the index of a face in it. A collection has several faces. */
export interface FontSource {
  path: string;
  index: number;
}

export interface Metrics {
  unitsPerEm: number;
  /** In units of the font: xMin, yMin, xMax, yMax. */
  box: [number, number, number, number];
  ascent: number;
  descent: number;
}

const TAG_COLLECTION = 0x74746366;
const TABLES_MAX = 256;
const TABLE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * A TrueType or OpenType font of this host (ISO/IEC 14496-22). The files are
 * trusted; damage throws a plain Error.
 */
export class Sfnt {
  readonly source: FontSource;
  readonly #directory = new Map<string, { offset: number; length: number }>();
  readonly #tables = new Map<string, Buffer>();
  #map: CharacterMap | undefined;
  #metrics: Metrics | undefined;

  constructor(source: FontSource) {
    this.source = source;
    this.#withFile((read) => {
      const head = read(0, 12 + 4 * (source.index + 1));
      const isCollection = head.readUInt32BE(0) === TAG_COLLECTION;
      const start = isCollection ? head.readUInt32BE(12 + 4 * source.index) : 0;
      const count = Math.min(read(start, 12).readUInt16BE(4), TABLES_MAX);
      const records = read(start + 12, 16 * count);
      for (let at = 0; at < records.length; at += 16) {
        const place = { offset: records.readUInt32BE(at + 8), length: records.readUInt32BE(at + 12) };
        this.#directory.set(records.toString('latin1', at, at + 4), place);
      }
    });
  }

  has(tag: string): boolean {
    return this.#directory.has(tag);
  }

  /** The bytes of a table, which stay in memory. Empty if the font has no such table. */
  table(tag: string): Buffer {
    const known = this.#tables.get(tag);
    if (known) return known;
    const table = this.read(tag);
    this.#tables.set(tag, table);
    return table;
  }

  /** Reads a table that is needed once. Empty if the font has no such table. */
  read(tag: string): Buffer {
    const { offset, length } = this.#directory.get(tag) ?? { offset: 0, length: 0 };
    if (length > TABLE_BYTES_MAX) throw new Error(`${this.source.path}: table ${tag} is too large`);
    return length === 0 ? Buffer.alloc(0) : this.#withFile((read) => read(offset, length));
  }

  /** The glyph of a character. 0 if the font has none. */
  glyph(codePoint: number): number {
    this.#map ??= readCharacterMap(this.table('cmap'));
    return this.#map(codePoint);
  }

  get metrics(): Metrics {
    this.#metrics ??= this.#readMetrics();
    return this.#metrics;
  }

  get glyphCount(): number {
    return this.table('maxp').readUInt16BE(4);
  }

  /** The advance width of a glyph in units of the font. */
  advance(glyph: number): number {
    const count = this.table('hhea').readUInt16BE(34);
    return this.table('hmtx').readUInt16BE(4 * Math.min(glyph, count - 1));
  }

  /** The font's PostScript name. */
  get name(): string {
    const table = this.table('name');
    const texts = table.readUInt16BE(4);
    for (let record = 0; record < table.readUInt16BE(2); record++) {
      const at = 6 + 12 * record;
      const isWindows = table.readUInt16BE(at) === 3;
      if (!isWindows || table.readUInt16BE(at + 6) !== 6) continue;
      const start = texts + table.readUInt16BE(at + 10);
      const text = Buffer.from(table.subarray(start, start + table.readUInt16BE(at + 8)));
      return text
        .swap16()
        .toString('utf16le')
        .replace(/[^\w-]/g, '');
    }
    return 'Unnamed';
  }

  #readMetrics(): Metrics {
    const head = this.table('head');
    const lines = this.table('hhea');
    return {
      unitsPerEm: head.readUInt16BE(18),
      box: [head.readInt16BE(36), head.readInt16BE(38), head.readInt16BE(40), head.readInt16BE(42)],
      ascent: lines.readInt16BE(4),
      descent: lines.readInt16BE(6),
    };
  }

  #withFile<T>(use: (read: (offset: number, length: number) => Buffer) => T): T {
    const file = openSync(this.source.path, 'r');
    try {
      return use((offset, length) => {
        const bytes = Buffer.alloc(length);
        if (readSync(file, bytes, 0, length, offset) < length) {
          throw new Error(`${this.source.path}: the file ends too early`);
        }
        return bytes;
      });
    } finally {
      closeSync(file);
    }
  }
}
