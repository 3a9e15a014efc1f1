/** Characters of PDFDocEncoding that are not those of latin1 (ISO 32000-2, annex D.3), from byte 0x18 and from 0x80. */
const FROM_18 = '˘ˇˆ˙˝˛˚˜';
const FROM_80 = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž';
const EURO = 0xa0;

const BYTES = new Map<string, number>([['€', EURO]]);
for (const [index, character] of [...FROM_18].entries()) BYTES.set(character, 0x18 + index);
for (const [index, character] of [...FROM_80].entries()) BYTES.set(character, 0x80 + index);

const isLatin1 = (code: number): boolean =>
  (code < 0x80 && (code < 0x18 || code >= 0x20)) || (code > 0xa0 && code <= 0xff);

function inDocEncoding(password: string): Buffer | undefined {
  const bytes: number[] = [];
  for (const character of password) {
    const code = character.codePointAt(0) ?? 0;
    const byte = isLatin1(code) ? code : BYTES.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return Buffer.from(bytes);
}

/** Spaces of other widths, and characters without one (RFC 4013, 2.1). */
const SPACES = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu;
const NOTHING = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu;

const prepared = (password: string): string =>
  password.replace(NOTHING, '').replace(SPACES, ' ').normalize('NFKC');

/** The bytes of a password in a new file of revision 6 (ISO 32000-2, 7.6.4.3.3). */
export const writtenPassword = (password: string): Buffer => Buffer.from(prepared(password));

/**
 * Returns the bytes that a password may stand for, without duplicates. Up to revision 4 it is in PDFDocEncoding, or in UTF-8 by
 * some writers. Later ones prepare it by RFC 4013 (ISO 32000-2, 7.6.4.3.2 and 7.6.4.3.3).
 */
export function passwordBytes(password: string, revision: number): Buffer[] {
  const utf8 = Buffer.from(password);
  const usual = revision < 5 ? inDocEncoding(password) : Buffer.from(prepared(password));
  return usual === undefined || usual.equals(utf8) ? [utf8] : [usual, utf8];
}
