import { refusedAs, wrongFormat } from './refusal.ts';

/** The starts of text files in other formats, in lower case. */
const TEXT_SIGNATURES: readonly (readonly [start: string, kind: string])[] = [
  ['%pdf-', 'a PDF'],
  ['{\\rtf', 'an RTF document'],
  ['%!ps', 'a PostScript file'],
  ['<!doctype html', 'an HTML page'],
  ['<html', 'an HTML page'],
  ['<?xml', 'an XML file'],
];

/** NUL, and the control characters that neither layout nor terminals use. Text contains none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BINARY = /[\u0000-\u0007\u000e-\u0019\u001c-\u001f]/;

function strictly(label: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The encoding that a byte order mark names. */
function markedEncoding(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/**
 * The characters of a text file, without a byte order mark. The mark selects UTF-8 or UTF-16. Otherwise the encoding is
 * `declared`, else UTF-8, else windows-1252, which decodes any bytes.
 */
export function decodeText(bytes: Buffer, declared?: string): string {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return strictly(marked, bytes) ?? new TextDecoder(marked).decode(bytes);
  const text = declared === undefined ? undefined : strictly(declared, bytes);
  return text ?? strictly('utf-8', bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** Throws SanitizerError INVALID_FILE_FORMAT if the bytes are not text, or text in another format. */
export async function refuseForeignText(
  text: string,
  bytes: Buffer,
  expected: string,
  taken: readonly string[] = [],
): Promise<void> {
  if (bytes.length === 0 || BINARY.test(text)) throw await wrongFormat(bytes, expected);
  const start = text.trimStart().slice(0, 64).toLowerCase();
  const kind = TEXT_SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1];
  if (kind !== undefined && !taken.includes(kind)) throw refusedAs(kind, expected);
}
