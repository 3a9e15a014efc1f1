import { der, TAG } from './der.ts';
import { DerError } from './der-reader.ts';

const DEPTH_MAX = 32;
/** Covers the whole file, which may include a long revocation list. */
const VALUES_MAX = 250_000;
const CONSTRUCTED = 0x20;

interface Span {
  bytes: Buffer;
  end: number;
}

/**
 * Rewrites BER with the lengths of DER, and joins strings that come in pieces. Older keystores need this: their
 * writers streamed and used indefinite lengths (X.690, 8.1.3.6). Throws DerError.
 */
export function berToDer(ber: Buffer): Buffer {
  const { der, length } = berValueAt(ber);
  if (length !== ber.length) throw new DerError('trailing bytes after the value');
  return der;
}

/** The rewritten value at the start of `ber`, and the number of bytes that it took there. Throws DerError. */
export function berValueAt(ber: Buffer): { der: Buffer; length: number } {
  const { bytes, end } = new Rewriter(ber).rewrite(0, 0);
  return { der: bytes, length: end };
}

interface Contents {
  tag: number;
  start: number;
  /** Undefined where two zero octets mark the end. */
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
    if (tag === undefined || first === undefined) throw new DerError('unexpected end of data');
    if ((tag & 0x1f) === 0x1f) throw new DerError('tag number above 30');
    if (depth > DEPTH_MAX) throw new DerError(`more than ${DEPTH_MAX} nested values`);
    if (++this.#values > VALUES_MAX) throw new DerError(`more than ${VALUES_MAX} values`);
    const isConstructed = (tag & CONSTRUCTED) !== 0;
    if (first === 0x80) {
      if (!isConstructed) throw new DerError('indefinite length of a primitive value');
      return this.#rewriteContents({ tag, start: offset + 2, end: undefined, depth });
    }
    const octets = first < 0x80 ? 0 : first & 0x7f;
    const start = offset + 2 + octets;
    if (octets > 4 || start > ber.length) throw new DerError('length beyond the end');
    const end = start + (octets === 0 ? first : ber.readUIntBE(offset + 2, octets));
    if (end > ber.length) throw new DerError('length beyond the end');
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
      if (isString && part.bytes[0] !== TAG.octetString) throw new DerError('invalid piece of a string');
      parts.push(isString ? contentOf(part.bytes) : part.bytes);
      offset = part.end;
    }
    if (end !== undefined && offset !== end) throw new DerError('value extends beyond its container');
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
