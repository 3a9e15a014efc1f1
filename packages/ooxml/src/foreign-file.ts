/** The first bytes of other file types. The first match wins. */
const SIGNATURES: readonly (readonly [signature: string, type: string])[] = [
  ['%PDF-', 'a PDF'],
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['BM', 'a BMP image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['{\\rtf', 'an RTF document'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['Rar!', 'a RAR archive'],
  ['%!PS', 'a PostScript file'],
  ['UEsDB', 'the Base64 text of a file (send its decoded bytes)'],
  ['data:', 'a data URI (send the decoded bytes)'],
];

const COMPOUND_SIGNATURE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/**
 * Streams that identify the type of a compound file, from MS-OFFCRYPTO §2.2 and the specifications of the binary
 * formats.
 */
const COMPOUND_TYPES: readonly (readonly [stream: string, type: string])[] = [
  ['WordDocument', 'a binary Word 97–2003 document (.doc)'],
  ['Workbook', 'a binary Excel workbook (.xls)'],
  ['Book', 'a binary Excel workbook (.xls)'],
  ['PowerPoint Document', 'a binary PowerPoint presentation (.ppt)'],
];

const HTML_STARTS = ['<!doctype html', '<html', '<head', '<body', '<!doctype'];
const LOCK_FILE_SIZES = [162, 165];
const SNIFF_BYTES = 4096;

export function isCompoundFile(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 8) === COMPOUND_SIGNATURE;
}

/**
 * Whether a compound file has a directory entry of that name. Entries are 128 bytes long and 128-byte aligned (MS-CFB
 * §2.6).
 */
function hasStream(bytes: Buffer, name: string): boolean {
  const wanted = Buffer.from(`${name}\0`, 'utf16le');
  for (let at = bytes.indexOf(wanted, 512); at !== -1; at = bytes.indexOf(wanted, at + 2)) {
    if (at % 128 === 0 && at + 128 <= bytes.length && bytes.readUInt16LE(at + 64) === wanted.length)
      return true;
  }
  return false;
}

/** Whether a compound file wraps an encrypted or rights-managed OOXML document. */
export function isEncryptedPackage(bytes: Buffer): boolean {
  return hasStream(bytes, 'EncryptedPackage') || hasStream(bytes, '\x06DataSpaces');
}

/**
 * Word, Excel and PowerPoint write the user's name, preceded by its length, into a file `~$name` beside the open one.
 */
function isLockFile(bytes: Buffer): boolean {
  const length = bytes[0] ?? 0;
  return LOCK_FILE_SIZES.includes(bytes.length) && length > 0 && length <= 54 && bytes[54] === length;
}

function describeText(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, SNIFF_BYTES);
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  let text: string;
  try {
    // `stream` accepts input that ends inside a character.
    text = new TextDecoder(utf16 ? (head[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8', {
      fatal: true,
    }).decode(head, { stream: true });
  } catch {
    text = head.toString('latin1');
  }
  const start = text.trimStart().slice(0, 64).toLowerCase();
  if (HTML_STARTS.some((tag) => start.startsWith(tag))) return 'an HTML page';
  if (start.startsWith('<?xml') || start.startsWith('<w:') || start.startsWith('<pkg:')) return 'an XML file';
  for (const char of text) {
    const code = char.charCodeAt(0);
    if (code < 0x20 && !'\t\n\r\f'.includes(char)) return undefined;
  }
  return 'plain text';
}

/** Describes a file that is not a ZIP archive as a noun phrase: `a PDF`, `plain text`. */
export function describeForeignFile(bytes: Buffer): string {
  if (isCompoundFile(bytes)) {
    const found = COMPOUND_TYPES.find(([stream]) => hasStream(bytes, stream));
    return found?.[1] ?? 'a compound file of an unknown type';
  }
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'a WebP image';
  const found = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (found !== undefined) return found[1];
  if (isLockFile(bytes)) return 'the lock file (~$) that Office leaves beside an open document';
  return describeText(bytes) ?? 'of an unknown type';
}
