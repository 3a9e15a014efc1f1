import { hexDigit } from './characters.ts';

/** Decodes ASCII85 data (ISO 32000-2, 7.4.3) up to its end mark. */
export function fromAscii85(data: Buffer): Buffer {
  const out = Buffer.allocUnsafe(data.length * 4 + 4);
  let length = 0;
  let value = 0;
  let digits = 0;
  const flush = (bytes: number) => {
    for (let byte = 0; byte < bytes; byte++) out[length++] = Math.floor(value / 256 ** (3 - byte)) & 0xff;
    value = 0;
    digits = 0;
  };
  for (const byte of data) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && digits === 0) flush(4);
    else if (byte >= 0x21 && byte <= 0x75) {
      value = value * 85 + byte - 0x21;
      if (++digits === 5) flush(4);
    }
  }
  if (digits > 1) {
    const bytes = digits - 1;
    for (; digits < 5; digits++) value = value * 85 + 84;
    flush(bytes);
  }
  return out.subarray(0, length);
}

/** Decodes hexadecimal data (ISO 32000-2, 7.4.2) up to its end mark. */
export function fromAsciiHex(data: Buffer): Buffer {
  const end = data.indexOf(0x3e);
  const digits = data.subarray(0, end === -1 ? data.length : end).filter((byte) => hexDigit(byte) !== -1);
  return Buffer.from(Buffer.from(digits).toString('latin1'), 'hex');
}
