/** Writes DER (ITU-T X.690), for the authorities of the tests. asn1js reads it. */

/** A tag, a length, and the content. */
export function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const digits: number[] = [];
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  const length = content.length < 128 ? [content.length] : [0x80 | digits.length, ...digits];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

export const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
/** A SET OF: DER requires its members in order (X.690 §11.6). */
export const setOf = (...parts: Buffer[]): Buffer => der(0x31, ...parts.toSorted(Buffer.compare));
export const octetString = (...parts: Buffer[]): Buffer => der(0x04, ...parts);
export const bitString = (bytes: Buffer, unusedBits = 0): Buffer =>
  der(0x03, Buffer.from([unusedBits]), bytes);
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 255 : 0]));
export const nothing = (): Buffer => der(0x05);
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const ia5String = (text: string): Buffer => der(0x16, Buffer.from(text, 'latin1'));
export const enumerated = (value: number): Buffer => der(0x0a, Buffer.from([value]));
/** `[n]` around a whole value. */
export const explicit = (number: number, ...parts: Buffer[]): Buffer => der(0xa0 + number, ...parts);
/** `[n]` in place of a value’s own tag. */
export function implicit(number: number, value: Buffer): Buffer {
  const copy = Buffer.from(value);
  copy[0] = 0x80 + number + ((value[0] ?? 0) & 0x20);
  return copy;
}

/** A non-negative INTEGER, from its bytes or a small number. */
export function integer(value: Buffer | number): Buffer {
  const hex = typeof value === 'number' ? value.toString(16) : value.toString('hex');
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Buffer.from([0]) : bytes.subarray(start);
  return der(0x02, Buffer.from((digits[0] ?? 0) > 127 ? [0] : []), digits);
}

/** An OBJECT IDENTIFIER from its dotted form. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const digits = [first * 40 + second, ...rest].flatMap((arc) => {
    const bytes = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      bytes.unshift(128 | (left % 128));
    return bytes;
  });
  return der(0x06, Buffer.from(digits));
}

export const generalizedTime = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`));

/** UTCTime up to 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5). */
export const time = (date: Date): Buffer =>
  date.getUTCFullYear() >= 2050
    ? generalizedTime(date)
    : der(
        0x17,
        Buffer.from(
          `${date
            .toISOString()
            .slice(2)
            .replace(/[-:T]|\.\d+Z/g, '')}Z`,
        ),
      );
