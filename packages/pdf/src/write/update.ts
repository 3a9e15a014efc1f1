import { createHash } from 'node:crypto';
import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { searchedEntries } from '../read/search-objects.ts';
import { type Decipher, type Dict, PdfString, type PdfValue, Ref } from '../read/values.ts';
import { encryptObject, plainDict, plainText } from './encrypt-object.ts';
import { literal } from './literal.ts';
import { type WrittenEntry, xrefStream, xrefTable } from './write-xref.ts';

/** Adds the value of a new indirect object and returns its reference. Texts are latin1. */
export interface ObjectSink {
  add(value: string | Buffer): Ref;
}

interface Written {
  num: number;
  gen: number;
  value: string | Buffer;
}

/** A document followed by one incremental update. */
export interface UpdatedPdf {
  /** The unchanged bytes of the document, then those of the update. */
  bytes: Buffer;
  updateStart: number;
  /** Position in `bytes` of the value of each written object, by object number. */
  valueStarts: Map<number, number>;
}

/**
 * One incremental update (ISO 32000-2, 7.5.6): added and replaced objects, and cross-reference data in the form that the
 * document uses. The document's own bytes are unchanged. Values are given without encryption; those of an encrypted document
 * are written encrypted.
 */
export class Update implements ObjectSink {
  readonly document: PdfDocument;
  readonly #written = new Map<number, Written>();
  #numMax: number;

  constructor(document: PdfDocument) {
    this.document = document;
    const size = document.trailer.get('Size');
    this.#numMax = Math.max(document.xref.numMax, isSize(size) ? size - 1 : 0);
  }

  /** Reserves the reference of an object to be set later with `replace`. */
  reserve(): Ref {
    this.#numMax++;
    if (this.#numMax > BOUNDS.objectNumberMax)
      throw tooComplex(`object numbers above ${BOUNDS.objectNumberMax}`);
    return new Ref(this.#numMax, 0);
  }

  add(value: string | Buffer): Ref {
    const ref = this.reserve();
    this.replace(ref, value);
    return ref;
  }

  /** Throws INVALID_FILE_FORMAT if the object already has another value, because it would have two uses. */
  replace({ num, gen }: Ref, value: string | Buffer): void {
    const known = this.#written.get(num);
    if (known && known.value !== value) throw malformed(`its object ${num} is used for two purposes`);
    this.#written.set(num, { num, gen, value });
  }

  /**
   * Appends to the array under a key of a dictionary. An indirect array is replaced; otherwise returns the key's new value, to
   * be written with the dictionary. Throws INVALID_FILE_FORMAT if it is not an array.
   */
  append(dict: Dict, key: string, item: string): string | undefined {
    const entry = dict.entries.get(key);
    if (!entry || entry.value === null) return `[${item}]`;
    if (Array.isArray(entry.value)) return withItem(dict, entry, item);
    if (!(entry.value instanceof Ref)) throw malformed(`/${key} is not an array`);
    const object = this.document.object(entry.value);
    if (!object || object.value === null) return `[${item}]`;
    if (!Array.isArray(object.value)) throw malformed(`/${key} is not an array`);
    this.replace(entry.value, withItem(object, object, item));
    return undefined;
  }

  finish(): UpdatedPdf {
    const { bytes, base } = this.document;
    const parts: Buffer[] = [];
    let length = bytes.length;
    const push = (part: Buffer) => {
      parts.push(part);
      length += part.length;
    };
    if (!endsLine(bytes)) push(Buffer.from('\n'));
    const entries: WrittenEntry[] = [];
    const valueStarts = new Map<number, number>();
    for (const { num, gen, value } of [...this.#written.values()].sort((a, b) => a.num - b.num)) {
      const head = `${num} ${gen} obj\n`;
      entries.push({ num, gen, kind: 'plain', offset: length - base });
      valueStarts.set(num, length + head.length);
      push(Buffer.from(head));
      push(this.#encrypted(num, gen, typeof value === 'string' ? Buffer.from(value, 'latin1') : value));
      push(Buffer.from('\nendobj\n'));
    }
    push(this.#crossReferences(entries, length - base));
    return { bytes: Buffer.concat([bytes, ...parts], length), updateStart: bytes.length, valueStarts };
  }

  #encrypted(num: number, gen: number, value: Buffer): Buffer {
    const { security } = this.document;
    return security ? encryptObject(value, num, gen, security) : value;
  }

  /** Returns the cross-reference data at the end of the update; `offset` is their position. */
  #crossReferences(entries: WrittenEntry[], offset: number): Buffer {
    const { xref } = this.document;
    if (xref.startxref === undefined) return this.#newCrossReferences(entries, offset);
    if (!xref.isHybrid && xref.sections[0]?.kind === 'stream') {
      return this.#stream(entries, offset, xref.startxref);
    }
    const trailer = this.#trailer(this.#numMax + 1, xref.startxref);
    return Buffer.from(`${xrefTable(entries)}trailer\n${trailer}\nstartxref\n${offset}\n%%EOF\n`, 'latin1');
  }

  #stream(entries: WrittenEntry[], offset: number, previous: number | undefined): Buffer {
    const own = this.reserve();
    const all: WrittenEntry[] = [...entries, { num: own.num, gen: 0, kind: 'plain', offset }];
    const body = xrefStream(all, this.#trailer(this.#numMax + 1, previous));
    return Buffer.concat([
      Buffer.from(`${own.num} 0 obj\n`),
      body,
      Buffer.from(`\nendobj\nstartxref\n${offset}\n%%EOF\n`),
    ]);
  }

  /** Lists all objects of the file, without a previous section, because the file's own data are broken. */
  #newCrossReferences(entries: WrittenEntry[], offset: number): Buffer {
    const written = new Set(entries.map(({ num }) => num));
    const found = searchedEntries(this.document.xref).filter(([num]) => !written.has(num));
    const all: WrittenEntry[] = [...entries];
    for (const [num, entry] of found) {
      if (entry.kind === 'plain') all.push({ num, gen: entry.gen, kind: 'plain', offset: entry.offset });
      if (entry.kind === 'packed') all.push({ num, gen: entry.index, kind: 'packed', offset: entry.stream });
    }
    all.sort((a, b) => a.num - b.num);
    return this.#stream(all, offset, undefined);
  }

  /** Returns the newest trailer with the changes of the update, without the keys of a cross-reference stream. */
  #trailer(size: number, previous: number | undefined): string {
    const { trailer } = this.document;
    const streamKeys = ['Type', 'W', 'Index', 'Filter', 'DecodeParms', 'Length', 'XRefStm'];
    const kept = [...trailer.entries.keys()].filter((key) => !streamKeys.includes(key));
    const own: Record<string, string | undefined> = {
      Size: String(size),
      Prev: previous === undefined ? undefined : String(previous),
      ID: this.#identifier(),
    };
    const values = kept
      .filter((key) => !(key in own))
      .map((key) => {
        const entry = trailer.entries.get(key);
        return entry ? { key, text: trailer.source.toString('latin1', entry.start, entry.end) } : undefined;
      })
      .filter((item) => item !== undefined);
    for (const [key, text] of Object.entries(own)) if (text !== undefined) values.push({ key, text });
    return `<<${values.map(({ key, text }) => `${literal.name(key)} ${text}`).join('')}>>`;
  }

  /** The first half stays, the second changes with each update (ISO 32000-2, 14.4). */
  #identifier(): string | undefined {
    const id = this.document.get(this.document.trailer, 'ID');
    if (!Array.isArray(id)) return undefined;
    const first = this.document.resolve(id[0] ?? null);
    if (!(first instanceof PdfString)) return undefined;
    const hash = createHash('sha256').update(String(this.document.bytes.length));
    for (const { num, value } of this.#written.values()) hash.update(`${num} `).update(value);
    const second = hash.digest('hex').slice(0, 32);
    return `[<${first.undeciphered.bytes.toString('hex')}><${second}>]`;
  }
}

/** A value above the limit is not used as the size or for new object numbers. */
const isSize = (value: PdfValue): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value <= BOUNDS.objectNumberMax + 1;

function endsLine(bytes: Buffer): boolean {
  const last = bytes.at(-1);
  return last === 10 || last === 13;
}

/** Returns the text of an array with an added item. `start` and `end` enclose its brackets. */
function withItem(
  { source, decipher }: { source: Buffer; decipher?: Decipher | undefined },
  { start, end }: { start: number; end: number },
  item: string,
): string {
  return `${plainText(source, start, end, decipher).slice(0, -1)} ${item}]`;
}

/**
 * Returns the text of a dictionary with the keys in `changes` replaced, added, or removed if undefined; other bytes are
 * unchanged. latin1. Throws for a duplicate key in `changes`, because readers differ in which value they use. Encrypted
 * strings are decrypted.
 */
export function editDict(original: Dict, changes: Readonly<Record<string, string | undefined>>): string {
  const dict = plainDict(original);
  const keys = Object.keys(changes);
  const repeated = dict.repeatedKeys.find((key) => keys.includes(key));
  if (repeated !== undefined) throw malformed(`a dictionary has /${repeated} twice`);
  const kept = keys
    .map((key) => ({ key, entry: dict.entries.get(key) }))
    .filter(({ entry }) => entry !== undefined)
    .sort((a, b) => (a.entry?.start ?? 0) - (b.entry?.start ?? 0));
  let text = '';
  let from = dict.start;
  for (const { key, entry } of kept) {
    if (!entry) continue;
    text += `${dict.source.toString('latin1', from, entry.start)} ${changes[key] ?? 'null'} `;
    from = entry.end;
  }
  text += dict.source.toString('latin1', from, dict.end - 2);
  for (const key of keys) {
    if (!dict.entries.has(key) && changes[key] !== undefined) text += `${literal.name(key)} ${changes[key]}`;
  }
  return `${text}>>`;
}
