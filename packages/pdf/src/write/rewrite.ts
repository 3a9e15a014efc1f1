import { createHash } from 'node:crypto';
import { malformed } from '../pdf-error.ts';
import { Costs } from '../read/bounds.ts';
import { skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { ObjectParser } from '../read/object-parser.ts';
import { isName, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { Security } from '../security/security.ts';
import { type PlainObject, writtenObject } from './encrypt-object.ts';
import { literal } from './literal.ts';

/** As many as object streams and removed objects leave in the longest files. */
const GAPS_MAX = 500_000;
/** Streams that only describe where objects are. */
const PLACES = ['XRef', 'ObjStm'];

/**
 * Writes what a document has now into a new file with one cross-reference table: nothing of earlier revisions is in it. Objects
 * keep their numbers. `encryption` encrypts all of them. The document must not be encrypted. Throws PdfError.
 */
export function rewritePdf(
  document: PdfDocument,
  encryption?: { security: Security; dictionary: string },
): Buffer {
  if (document.security) throw new Error('the document is encrypted already');
  const file = new FileParts(versionOf(document, encryption !== undefined));
  for (let num = 1; num <= document.xref.numMax; num++) {
    const object = placeOf(document, num);
    if (object !== undefined) file.add(num, writtenObject(object, { num, gen: 0 }, encryption?.security));
  }
  file.checkGaps();
  const own = encryption && document.xref.numMax + 1;
  if (own !== undefined) file.add(own, Buffer.from(encryption?.dictionary ?? '', 'latin1'));
  const keys = ['Root', 'Info'].map((key) => referenceIn(document, key)).join('');
  return file.finish(keys + (own === undefined ? '' : `/Encrypt ${own} 0 R`), identifierOf(document));
}

/** The header of the file, since revision 6 of the encryption at least 1.7. */
function versionOf({ bytes, base }: PdfDocument, isEncrypted: boolean): string {
  const version = /^%PDF-([12]\.\d)/.exec(bytes.toString('latin1', base, base + 8))?.[1] ?? '1.7';
  return isEncrypted && version < '1.7' ? '1.7' : version;
}

/** Returns where an object is; undefined if it is free, or if only an old file needs it. */
function placeOf(document: PdfDocument, num: number): PlainObject | undefined {
  const entry = document.xref.find(num);
  const lengthOf = (value: PdfValue) => {
    const length = document.resolve(value);
    return typeof length === 'number' ? length : undefined;
  };
  if (entry?.kind === 'packed') {
    const object = document.object(new Ref(num, 0));
    return object && { source: object.source, start: object.start, lengthOf };
  }
  if (entry?.kind !== 'plain') return undefined;
  if (entry.gen !== 0) throw malformed(`object ${num} has a generation`);
  const { bytes: source, base } = document;
  const position = skipSpace(source, base + entry.offset);
  const head = /^(\d{1,10})\s+0\s+obj/.exec(source.toString('latin1', position, position + 40));
  if (!head || Number(head[1]) !== num) throw malformed(`object ${num} is not at its offset`);
  const start = skipSpace(source, position + head[0].length);
  // The bounds hold for each object: a long document has more values than one reader takes.
  const value = new ObjectParser(source, start, new Costs()).valueOrStream(lengthOf);
  const type = value instanceof Stream ? value.dict.get('Type') : null;
  return PLACES.some((name) => isName(type, name)) ? undefined : { source, start, lengthOf };
}

function referenceIn(document: PdfDocument, key: string): string {
  const value = document.trailer.get(key);
  return value instanceof Ref ? `${literal.name(key)} ${value}` : '';
}

/** The first part of /ID, which stays (ISO 32000-2, 14.4). */
function identifierOf(document: PdfDocument): string | undefined {
  const id = document.get(document.trailer, 'ID');
  const first = Array.isArray(id) ? document.resolve(id[0] ?? null) : null;
  return first instanceof PdfString ? first.bytes.toString('hex') : undefined;
}

/** The bytes of a file, object by object. */
class FileParts {
  readonly #parts: Buffer[] = [];
  readonly #offsets = new Map<number, number>();
  readonly #hash = createHash('sha256');
  #length = 0;
  #size = 1;

  constructor(version: string) {
    this.#push(Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, 'latin1'));
  }

  /** Throws INVALID_FILE_FORMAT: the table has a line for each number that no object has. */
  checkGaps(): void {
    if (this.#size - this.#offsets.size > GAPS_MAX)
      throw malformed('the numbers of its objects are far apart');
  }

  /** In the order of their numbers. */
  add(num: number, value: Buffer): void {
    this.#offsets.set(num, this.#length);
    this.#size = num + 1;
    this.#push(Buffer.from(`${num} 0 obj\n`));
    this.#push(value);
    this.#push(Buffer.from('\nendobj\n'));
  }

  finish(trailer: string, id: string | undefined): Buffer {
    const offset = this.#length;
    const size = this.#size;
    const own = this.#hash.copy().digest('hex').slice(0, 32);
    const keys = `<<${trailer}/Size ${size}/ID[<${id ?? own}><${own}>]>>`;
    this.#push(Buffer.from(`${this.#table(size)}trailer\n${keys}\nstartxref\n${offset}\n%%EOF\n`));
    return Buffer.concat(this.#parts, this.#length);
  }

  /** One section from object 0 on; free objects form a list (ISO 32000-2, 7.5.4). */
  #table(size: number): string {
    const lines: string[] = [];
    let free = 0;
    for (let num = size - 1; num >= 0; num--) {
      const offset = this.#offsets.get(num);
      const [at, gen, kind] = offset === undefined ? [free, '65535', 'f'] : [offset, '00000', 'n'];
      lines.push(`${String(at).padStart(10, '0')} ${gen} ${kind}\r\n`);
      if (offset === undefined) free = num;
    }
    return `xref\n0 ${size}\n${lines.reverse().join('')}`;
  }

  #push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    this.#hash.update(bytes);
  }
}
