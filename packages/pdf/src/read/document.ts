import { malformed, tooComplex } from '../pdf-error.ts';
import { ALL_RIGHTS, type DocumentRights } from '../security/rights.ts';
import type { Security } from '../security/security.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { isKeywordAt, skipSpace } from './characters.ts';
import { ObjectParser } from './object-parser.ts';
import { unpack } from './unpack.ts';
import { type Decipher, Dict, isName, type PdfValue, Ref, Stream } from './values.ts';
import type { Xref } from './xref.ts';

/** An indirect object; `start` and `end` are those of its value in `source`, the file or a decompressed stream. */
export interface PdfObject {
  num: number;
  gen: number;
  value: PdfValue;
  source: Buffer;
  start: number;
  end: number;
  /** Decrypts the strings in `source`; undefined if they are not encrypted. */
  decipher?: Decipher | undefined;
}

/** Limit for references to references; only one is allowed by the standard. */
const HOPS_MAX = 8;

/**
 * Caches objects shared by the revisions of one file. Contains only objects that every revision reads alike, identified by
 * position or by object stream.
 */
class ObjectPool {
  /** By position in the file. */
  readonly plain = new Map<number, PdfObject>();
  readonly packs = new Map<Stream, Map<number, PdfObject>>();
  /** Numbers of the objects that define how object streams are read. */
  readonly packing = new Set<number>();
}

/** A PDF whose objects are read once, on demand. */
export class PdfDocument {
  readonly bytes: Buffer;
  /** Position of the header; offsets in the file count from there. */
  readonly base: number;
  readonly xref: Xref;
  /** The opened encryption; undefined if the document is not encrypted, or is read without decryption. */
  readonly security: Security | undefined;
  readonly #costs: Costs;
  readonly #pool: ObjectPool;
  readonly #objects = new Map<number, PdfObject | undefined>();
  readonly #packs = new Map<number, Map<number, PdfObject>>();
  readonly #opening = new Set<number>();

  constructor(
    bytes: Buffer,
    base: number,
    xref: Xref,
    costs: Costs,
    { pool = new ObjectPool(), security }: { pool?: ObjectPool; security?: Security | undefined } = {},
  ) {
    this.security = security;
    this.bytes = bytes;
    this.base = base;
    this.xref = xref;
    this.#costs = costs;
    this.#pool = pool;
  }

  /** Returns the document up to `end`, with the sections in it. Both documents share the objects read. */
  upTo(end: number, xref: Xref): PdfDocument {
    const { security } = this;
    const shared = { pool: this.#pool, security };
    return new PdfDocument(this.bytes.subarray(0, end), this.base, xref, this.#costs, shared);
  }

  /** Returns the same document read with decryption. */
  decryptedBy(security: Security): PdfDocument {
    return new PdfDocument(this.bytes, this.base, this.xref, this.#costs, { security });
  }

  /** What the given password permits. */
  get rights(): DocumentRights {
    return this.security?.rights ?? ALL_RIGHTS;
  }

  /** Whether a dictionary or object is directly in the file, and not in an object stream. */
  holds({ source }: { source: Buffer }): boolean {
    return source.buffer === this.bytes.buffer && source.byteOffset === this.bytes.byteOffset;
  }

  get trailer(): Dict {
    return this.xref.trailer;
  }

  get catalog(): PdfObject & { value: Dict } {
    const root = this.trailer.get('Root');
    const object = root instanceof Ref ? this.object(root) : undefined;
    if (!object || !(object.value instanceof Dict)) throw malformed('it has no catalog');
    return { ...object, value: object.value };
  }

  /** Returns the object of a reference; undefined if it is free or has another generation. */
  object(ref: Ref): PdfObject | undefined {
    if (!this.#objects.has(ref.num)) this.#objects.set(ref.num, this.#read(ref.num));
    const object = this.#objects.get(ref.num);
    return object?.gen === ref.gen ? object : undefined;
  }

  /** Returns the value itself, or the target of a reference; null if that is missing. */
  resolve(value: PdfValue): PdfValue {
    this.#costs.lookUp();
    let current = value;
    for (let hops = 0; current instanceof Ref; hops++) {
      if (hops === HOPS_MAX) throw malformed('it has circular references');
      current = this.object(current)?.value ?? null;
    }
    return current;
  }

  /** Returns the value of a key, with references resolved. */
  get(dict: Dict, key: string): PdfValue {
    return this.resolve(dict.get(key));
  }

  dict(dict: Dict, key: string): Dict | undefined {
    const value = this.get(dict, key);
    return value instanceof Dict ? value : undefined;
  }

  /** Returns the dictionary under a key, and its reference if it is an indirect object. */
  owned(dict: Dict, key: string): { dict?: Dict; ref?: Ref } {
    const value = dict.get(key);
    const resolved = this.dict(dict, key);
    if (!resolved) return {};
    return value instanceof Ref ? { dict: resolved, ref: value } : { dict: resolved };
  }

  /** Returns the decoded data of a stream; `costs` are the caller's. Throws PdfError. */
  unpacked(stream: Stream, costs: Costs): Buffer {
    return unpack(stream, (value) => this.resolve(value), costs);
  }

  #read(num: number): PdfObject | undefined {
    const entry = this.xref.find(num);
    if (!entry || entry.kind === 'free') return undefined;
    if (this.#opening.has(num)) throw malformed(`object ${num} requires itself to be read`);
    if (this.#opening.size >= BOUNDS.openingMax) {
      throw tooComplex(`an object that requires more than ${BOUNDS.openingMax} others to be read`);
    }
    this.#opening.add(num);
    try {
      if (entry.kind === 'plain') return this.#plain(num, entry.gen, this.base + entry.offset);
      return this.packed(entry.stream).get(num);
    } finally {
      this.#opening.delete(num);
    }
  }

  #plain(num: number, gen: number, offset: number): PdfObject {
    const position = skipSpace(this.bytes, offset);
    const known = this.#pool.plain.get(position);
    if (known?.num === num && known.gen === gen && known.end <= this.bytes.length) return known;
    const object = this.#parsed(num, gen, position);
    if (isSelfContained(object.value)) this.#pool.plain.set(position, object);
    return object;
  }

  #parsed(num: number, gen: number, position: number): PdfObject {
    const head = /^(\d{1,10})\s+(\d{1,5})\s+obj/.exec(this.bytes.toString('latin1', position, position + 40));
    if (!head || Number(head[1]) !== num || Number(head[2]) !== gen) {
      throw malformed(`object ${num} is not at its offset in the cross-reference table`);
    }
    if (gen > BOUNDS.generationMax)
      throw malformed(`object ${num} has a generation above ${BOUNDS.generationMax}`);
    const start = skipSpace(this.bytes, position + head[0].length);
    if (isKeywordAt(this.bytes, 'endobj', start)) {
      return { num, gen, value: null, source: this.bytes, start, end: start };
    }
    const strings = this.security?.strings(num, gen);
    const decipher = strings && ((data: Buffer) => strings.decrypt(data));
    const object = this.#valueAt(start, { num, gen }, decipher);
    // The strings of cross-reference streams are not encrypted (ISO 32000-2, 7.5.8.2).
    const isXref = object.value instanceof Stream && isName(object.value.dict.get('Type'), 'XRef');
    return decipher && isXref ? this.#valueAt(start, { num, gen }, undefined) : object;
  }

  #valueAt(
    start: number,
    { num, gen }: Pick<PdfObject, 'num' | 'gen'>,
    decipher: Decipher | undefined,
  ): PdfObject {
    const { security, bytes } = this;
    const parser = new ObjectParser(bytes, start, this.#costs, { decipher });
    const lengthOf = (length: PdfValue) => {
      const resolved = this.resolve(length);
      return typeof resolved === 'number' ? resolved : undefined;
    };
    const resolve = (value: PdfValue) => this.resolve(value);
    const decipherOf =
      security && ((dict: Dict) => (data: Buffer) => security.stream(num, gen, dict, resolve).decrypt(data));
    const value = parser.valueOrStream(lengthOf, decipherOf);
    return { num, gen, value, source: bytes, start, end: parser.position, decipher };
  }

  /** Whether an object stream read so far, in any revision, depends on this object. */
  isForPacking(num: number): boolean {
    return this.#pool.packing.has(num);
  }

  #notePacking(value: PdfValue, depth = 0): void {
    if (depth > HOPS_MAX) return;
    if (value instanceof Ref) {
      this.#pool.packing.add(value.num);
      this.#notePacking(this.object(value)?.value ?? null, depth + 1);
    } else if (Array.isArray(value)) for (const item of value) this.#notePacking(item, depth + 1);
    else if (value instanceof Dict) {
      for (const entry of value.entries.values()) this.#notePacking(entry.value, depth + 1);
    }
  }

  /** Returns the objects of an object stream (ISO 32000-2, 7.5.7). */
  packed(streamNum: number): ReadonlyMap<number, PdfObject> {
    const known = this.#packs.get(streamNum);
    if (known) return known;
    const entry = this.xref.find(streamNum);
    const stream = entry?.kind === 'plain' ? this.object(new Ref(streamNum, entry.gen))?.value : null;
    if (!(stream instanceof Stream)) throw malformed(`object stream ${streamNum} is missing`);
    const pooled = this.#pool.packs.get(stream);
    if (pooled) return pooled;
    for (const key of ['Length', ...PACKING]) this.#notePacking(stream.dict.get(key));
    const source = this.unpacked(stream, this.#costs);
    const count = this.get(stream.dict, 'N');
    const first = this.get(stream.dict, 'First');
    if (typeof count !== 'number' || typeof first !== 'number' || count > BOUNDS.objectNumberMax) {
      throw malformed(`object stream ${streamNum} does not have valid /N and /First`);
    }
    const objects = this.#packed(source, count, first);
    this.#packs.set(streamNum, objects);
    if (PACKING.every((key) => isDirect(stream.dict.get(key)))) this.#pool.packs.set(stream, objects);
    return objects;
  }

  #packed(source: Buffer, count: number, first: number): Map<number, PdfObject> {
    const objects = new Map<number, PdfObject>();
    const index = new ObjectParser(source, 0, this.#costs);
    for (let item = 0; item < count; item++) {
      const num = index.value();
      const offset = index.value();
      if (typeof num !== 'number' || typeof offset !== 'number') {
        throw malformed('the index of an object stream is broken');
      }
      if (objects.has(num)) throw malformed('an object stream contains an object twice');
      objects.set(num, lazyObject(source, num, first + offset, this.#costs));
    }
    return objects;
  }
}

/** Whether its bytes alone define its end: false for a stream whose length is elsewhere or wrong. */
const isSelfContained = (value: PdfValue): boolean =>
  !(value instanceof Stream) || value.dict.get('Length') === value.dataEnd - value.dataStart;

/** Keys that define how an object stream is read. */
const PACKING = ['N', 'First', 'Filter', 'DecodeParms'];

/** Whether it contains no reference. */
function isDirect(value: PdfValue): boolean {
  if (Array.isArray(value)) return value.every(isDirect);
  if (value instanceof Dict) return [...value.entries.values()].every((entry) => isDirect(entry.value));
  return !(value instanceof Ref);
}

/** Returns an object of an object stream, parsed when its value is first used. */
function lazyObject(source: Buffer, num: number, position: number, costs: Costs): PdfObject {
  let parsed: { value: PdfValue; end: number } | undefined;
  const parse = () => {
    if (!parsed) {
      const parser = new ObjectParser(source, position, costs);
      parsed = { value: parser.value(), end: parser.position };
    }
    return parsed;
  };
  return {
    num,
    gen: 0,
    source,
    start: skipSpace(source, position),
    get value() {
      return parse().value;
    },
    get end() {
      return parse().end;
    },
  };
}
