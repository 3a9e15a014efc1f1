import type { PdfString } from '../read/values.ts';

/** Gives names that mean one thing in the result. */
export class DistinctNames {
  readonly #separator: string;
  readonly #taken = new Set<string>();
  readonly #byMeaning = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `separator` goes between a name that is taken and a number. */
  constructor(separator = '.') {
    this.#separator = separator;
  }

  /** Returns the name, or with a number if it is taken for another meaning. Without a meaning, each name is new. */
  name(wanted: string, meaning?: string): string {
    const key = meaning === undefined ? undefined : JSON.stringify([wanted, meaning]);
    const known = key === undefined ? undefined : this.#byMeaning.get(key);
    if (known !== undefined) return known;
    let name = wanted;
    let count = this.#counts.get(wanted) ?? 1;
    while (this.#taken.has(name)) name = `${wanted}${this.#separator}${++count}`;
    this.#counts.set(wanted, count);
    this.#taken.add(name);
    if (key !== undefined) this.#byMeaning.set(key, name);
    return name;
  }
}

/**
 * Returns the bytes of a text string with ASCII characters inserted at an index of its text, in its own encoding. Others are not
 * decoded, because not all characters of PDFDocEncoding are (ISO 32000-2, 7.9.2.2).
 */
export function insertAscii({ bytes, text }: PdfString, index: number, ascii: string): Buffer {
  const isUtf16 = bytes[0] === 0xfe && bytes[1] === 0xff;
  const isUtf8 = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const before = text.slice(0, index);
  const at = isUtf16 ? 2 + 2 * index : isUtf8 ? 3 + Buffer.byteLength(before) : index;
  const inserted = isUtf16 ? Buffer.from(ascii, 'utf16le').swap16() : Buffer.from(ascii, 'latin1');
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
}
