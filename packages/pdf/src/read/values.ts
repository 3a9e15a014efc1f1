/** A name without its slash; `text` contains its bytes as latin1. */
export class Name {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class Ref {
  readonly num: number;
  readonly gen: number;
  constructor(num: number, gen: number) {
    this.num = num;
    this.gen = gen;
  }
  toString(): string {
    return `${this.num} ${this.gen} R`;
  }
}

/** Decrypts the strings or the data of one object. */
export type Decipher = (data: Buffer) => Buffer;

export class PdfString {
  readonly isHex: boolean;
  readonly #stored: Buffer;
  readonly #decipher: Decipher | undefined;
  #bytes: Buffer | undefined;
  #text: string | undefined;
  /** `stored` is the value in the file; `decipher` decrypts it. */
  constructor(stored: Buffer, isHex: boolean, decipher?: Decipher) {
    this.#stored = stored;
    this.#decipher = decipher;
    this.isHex = isHex;
  }
  get bytes(): Buffer {
    this.#bytes ??= this.#decipher ? this.#decipher(this.#stored) : this.#stored;
    return this.#bytes;
  }
  /** Returns the same string as stored, for one that is not encrypted. */
  get undeciphered(): PdfString {
    return this.#decipher ? new PdfString(this.#stored, this.isHex) : this;
  }
  /** Decodes a text string (ISO 32000-2, 7.9.2.2); PDFDocEncoding is read as latin1. */
  get text(): string {
    this.#text ??= this.#decoded();
    return this.#text;
  }
  /** Parses a date (ISO 32000-2, 7.9.4), in UTC if it has no zone; undefined if invalid. */
  get date(): Date | undefined {
    return dateOf(this.text);
  }
  #decoded(): string {
    const { bytes } = this;
    if (bytes[0] === 0xfe && bytes[1] === 0xff) {
      const even = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
      return even.swap16().toString('utf16le');
    }
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
    return bytes.toString('latin1');
  }
}

/** Year to second, each but the year optional, and the zone (ISO 32000-2, 7.9.4); writers differ in the apostrophes. */
const DATE =
  /^\s*(?:D:)?(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(\d{2})?)?)?)?)?(?:([Zz+-])(?:(\d{2})(?:'?(\d{2})'?)?)?'?)?\s*$/;

const MINUTE_MS = 60_000;

function dateOf(text: string): Date | undefined {
  const match = DATE.exec(text.slice(0, 40));
  if (!match) return undefined;
  const number = (index: number, byDefault: number) => Number(match[index] ?? byDefault);
  const [month, day, hour, minute, second] = [
    number(2, 1),
    number(3, 1),
    number(4, 0),
    number(5, 0),
    number(6, 0),
  ];
  const time = Date.UTC(number(1, 0), month - 1, day, hour, minute, second);
  const date = new Date(time);
  const isOfCalendar = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isOfCalendar || hour > 23 || minute > 59 || second > 59 || number(1, 0) < 1900) return undefined;
  const east = match[7] === '-' ? -1 : 1;
  return new Date(time - east * (number(8, 0) * 60 + number(9, 0)) * MINUTE_MS);
}

/** The value of a key, and the position of its bytes in the dictionary's source. */
export interface DictEntry {
  value: PdfValue;
  start: number;
  end: number;
}

/** A dictionary in `source`, from `<<` at `start` to `end`, after its `>>`. */
export class Dict {
  readonly entries = new Map<string, DictEntry>();
  /** Duplicate keys: readers differ in which value they use. `entries` has the last one. */
  readonly repeatedKeys: string[] = [];
  readonly source: Buffer;
  readonly start: number;
  end: number;
  /** Decrypts the strings in `source`; undefined if they are not encrypted. */
  readonly decipher: Decipher | undefined;

  constructor(source: Buffer, start: number, decipher?: Decipher) {
    this.source = source;
    this.start = start;
    this.end = start;
    this.decipher = decipher;
  }

  /** Returns the value without resolving references; null if missing. */
  get(key: string): PdfValue {
    return this.entries.get(key)?.value ?? null;
  }
}

/** A stream; its encoded data are in the source of its dictionary. */
export class Stream {
  readonly dict: Dict;
  readonly dataStart: number;
  readonly dataEnd: number;
  readonly #decipher: Decipher | undefined;
  #data: Buffer | undefined;
  constructor(dict: Dict, dataStart: number, dataEnd: number, decipher?: Decipher) {
    this.dict = dict;
    this.dataStart = dataStart;
    this.dataEnd = dataEnd;
    this.#decipher = decipher;
  }
  /** The encoded data, decrypted. */
  get data(): Buffer {
    const stored = this.dict.source.subarray(this.dataStart, this.dataEnd);
    if (!this.#decipher) return stored;
    this.#data ??= this.#decipher(stored);
    return this.#data;
  }
}

export type PdfValue = null | boolean | number | Name | Ref | PdfString | PdfValue[] | Dict | Stream;

export const isName = (value: PdfValue, text: string): boolean =>
  value instanceof Name && value.text === text;
