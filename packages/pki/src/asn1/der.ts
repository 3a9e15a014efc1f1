/** Identifier octets (X.690, 8.1.2) that this package reads and writes. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const CONSTRUCTED = 0x20;
const YEAR_OF_GENERALIZED_TIME = 2050;

/** The identifier octet of `[number]`. A primitive type tagged IMPLICIT is not constructed. */
export function contextTag(number: number, isConstructed = true): number {
  return 0x80 | (isConstructed ? CONSTRUCTED : 0) | number;
}

/** One value with its identifier and length octets, in the shortest form (X.690, 10.1). */
export function der(tag: number, ...contents: Uint8Array[]): Buffer {
  let length = 0;
  for (const content of contents) length += content.length;
  return Buffer.concat([header(tag, length), ...contents]);
}

function header(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.of(tag, 0x80 | octets.length, ...octets);
}

export const sequence = (...contents: Uint8Array[]): Buffer => der(TAG.sequence, ...contents);

/** SET OF, sorted by the encodings of its elements (X.690, 11.6). */
export function setOf(...elements: Uint8Array[]): Buffer {
  return der(TAG.set, ...elements.toSorted(Buffer.compare));
}

/** `[number] EXPLICIT`, or IMPLICIT over the content octets in `contents`. */
export const context = (number: number, ...contents: Uint8Array[]): Buffer =>
  der(contextTag(number), ...contents);

/** Takes a number, or the big-endian octets of a non-negative one. */
export function integer(value: number | Uint8Array): Buffer {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('not a non-negative integer');
    const digits = value.toString(16);
    return integer(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'));
  }
  let start = 0;
  while (start < value.length - 1 && value[start] === 0) start++;
  const octets = value.subarray(start);
  const [first = 0] = octets;
  if (octets.length === 0 || first >= 0x80) return der(TAG.integer, Buffer.of(0), octets);
  return der(TAG.integer, octets);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(TAG.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const octets = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    octets.unshift(0x80 | (rest % 128));
  return octets;
}

export const octetString = (content: Uint8Array): Buffer => der(TAG.octetString, content);

/** Has no unused bits. */
export const bitString = (content: Uint8Array): Buffer => der(TAG.bitString, Buffer.of(0), content);

export const utf8String = (text: string): Buffer => der(TAG.utf8String, Buffer.from(text));

export const nullValue = (): Buffer => der(TAG.null);

/**
 * Time in the form of RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime after, in seconds without a fraction.
 */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  if (date.getUTCFullYear() < YEAR_OF_GENERALIZED_TIME) return der(TAG.utcTime, Buffer.from(digits.slice(2)));
  return der(TAG.generalizedTime, Buffer.from(digits));
}
