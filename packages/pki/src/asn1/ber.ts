import { der, TAG } from './der.ts';
import { DerError } from './der-reader.ts';

const DEPTH_MAX = 32;
/** In all: a long revocation list may be among them. */
const VALUES_MAX = 250_000;
const CONSTRUCTED = 0x20;

interface Span {
  bytes: Buffer;
  end: number;
}

/**
 * Writes BER with the lengths of DER, and strings that come in pieces as one. Older keystores are written so: with
 * indefinite lengths, as their writers streamed (X.690, 8.1.3.6). Throws DerError.
 */
export function berToDer(ber: Buffer): Buffer {
  const { der, length } = berValueAt(ber);
  if (length !== ber.length) throw new DerError('bytes follow the value');
  return der;
}

/** The value that `ber` begins with, so rewritten, and how many bytes it took there. Throws DerError. */
export function berValueAt(ber: Buffer): { der: Buffer; length: number } {
  const { bytes, end } = new Rewriter(ber).rewrite(0, 0);
  return { der: bytes, length: end };
}

interface Contents {
  tag: number;
  start: number;
  /** Undefined where two zero octets mark it. */
  end: number | undefined;
  depth: number;
}

class Rewriter {
  readonly #ber: Buffer;
  #values = 0;

  constructor(ber: Buffer) {
    this.#ber = ber;
  }

  rewrite(offset: number, depth: number): Span {
    const ber = this.#ber;
    const tag = ber[offset];
    const first = ber[offset + 1];
    if (tag === undefined || first === undefined) throw new DerError('the end in the midst of a value');
    if ((tag & 0x1f) === 0x1f) throw new DerError('a tag number above 30');
    if (depth > DEPTH_MAX) throw new DerError(`more than ${DEPTH_MAX} values inside one another`);
    if (++this.#values > VALUES_MAX) throw new DerError(`more than ${VALUES_MAX} values`);
    const isConstructed = (tag & CONSTRUCTED) !== 0;
    if (first === 0x80) {
      if (!isConstructed) throw new DerError('an indefinite length of a primitive value');
      return this.#rewriteContents({ tag, start: offset + 2, end: undefined, depth });
    }
    const octets = first < 0x80 ? 0 : first & 0x7f;
    const start = offset + 2 + octets;
    if (octets > 4 || start > ber.length) throw new DerError('a length beyond the end');
    const end = start + (octets === 0 ? first : ber.readUIntBE(offset + 2, octets));
    if (end > ber.length) throw new DerError('a length beyond the end');
    if (isConstructed) return this.#rewriteContents({ tag, start, end, depth });
    const isShortest = octets === 0;
    return { bytes: isShortest ? ber.subarray(offset, end) : der(tag, ber.subarray(start, end)), end };
  }

  #rewriteContents({ tag, start, end, depth }: Contents): Span {
    const parts: Buffer[] = [];
    const isString = tag === (TAG.octetString | CONSTRUCTED);
    let offset = start;
    while (end === undefined ? !isEndMark(this.#ber, offset) : offset < end) {
      const part = this.rewrite(offset, depth + 1);
      if (isString && part.bytes[0] !== TAG.octetString)
        throw new DerError('a string with a piece that is none');
      parts.push(isString ? contentOf(part.bytes) : part.bytes);
      offset = part.end;
    }
    if (end !== undefined && offset !== end) throw new DerError('a value that ends beyond the one around it');
    const bytes = der(isString ? TAG.octetString : tag, Buffer.concat(parts));
    return { bytes, end: end ?? offset + 2 };
  }
}

function isEndMark(ber: Buffer, offset: number): boolean {
  return ber[offset] === 0 && ber[offset + 1] === 0;
}

function contentOf(bytes: Buffer): Buffer {
  const first = bytes[1] ?? 0;
  return bytes.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f));
}
