import { ScriptoriumError } from './error.ts';

/** A text from another author, in an encoding that may not be known. */
export interface TextSource {
  /** What messages call it. */
  name: string;
  open(): AsyncIterable<Uint8Array>;
  /** It can be opened only once. */
  isOnce?: boolean;
  /** JSON is UTF-8, or says what else it is (RFC 8259, 8.1). */
  isJson?: boolean;
}

/** Encodings to choose from (WHATWG Encoding). */
export const ENCODINGS: readonly string[] = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => `windows-${page}`),
  'windows-874',
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map((part) => `iso-8859-${part}`),
  'koi8-r',
  'koi8-u',
  'macintosh',
  'x-mac-cyrillic',
  'ibm866',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'big5',
  'gb18030',
];

/** Control characters other than white space, and what stands for letters that were lost. */
const NO_TEXT = /\ufffd|(?![\t\n\r])\p{Cc}/u;

/**
 * What texts in another encoding look like, and texts in Windows-1252 do not have. These are signs in words or at their ends,
 * capital letters in small words, words of letters with marks only, and control characters.
 */
const NOT_WESTERN = [
  /\p{L}[£¥¦¬¯±³¶¹¼¾¿€‚ƒ„…†‡ˆ‰‹›˜•“”™×÷§¨©ª«®°²µ¸º»¡¢]\p{L}|[¤\u0080-\u009f]/u,
  /[£¥¦¬¯±³¹¼¾‚ƒ†‡ˆ‰˜™¨®¸]\p{Ll}{2}|\p{L}{2}[¯±¹‚ƒ„ˆ‹˜¨¬¸¡¿÷](?!\p{N})|\p{Ll}[–—]\p{Ll}/u,
  /\p{Ll}[À-ÖØ-ÞŒŠŽŸ]|\p{Lu}[À-ÖØ-ÞŒŠŽŸ]\p{Ll}/u,
  /[À-ÖØ-öø-ÿŒœŠšŽžŸ]{3}|(?<!\p{L})[À-ÖØ-öø-ÿ]{2}(?!\p{L})/u,
];

/** Characters that two parts of a text share, so that a word at their border is seen whole. */
const WORD_CHARS = 40;
/** UTF-16 without a byte order mark has as many bytes of zero, or more, on one side of its characters. */
const ZEROS_SHARE_MIN = 0.02;

const fault = (code: 'DATA_INVALID' | 'ENCODING_UNKNOWN', message: string): ScriptoriumError =>
  new ScriptoriumError({ code, message });

function decoderOf(encoding: string, options: { fatal?: boolean } = {}) {
  try {
    return new TextDecoder(encoding, options);
  } catch {
    throw fault('ENCODING_UNKNOWN', `${encoding} is not an encoding, such as utf-8 or windows-1250.`);
  }
}

/** The text in parts. Throws DATA_INVALID with the line of bytes that the encoding, or any text, does not have. */
export async function* textOf({ name, open }: TextSource, encoding: string): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  let line = 1;
  const checked = (text: string): string => {
    const found = NO_TEXT.exec(text);
    line += text.slice(0, found?.index).split('\n').length - 1;
    if (found === null) return text;
    const what =
      found[0] === '\ufffd'
        ? `is not ${encoding.toUpperCase()}, or has lost a letter before`
        : `has the control character U+${found[0].charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;
    throw fault('DATA_INVALID', `${name}, line ${line} ${what}. Name its encoding, or save it as UTF-8.`);
  };
  for await (const chunk of open()) yield checked(decoder.decode(chunk, { stream: true }));
  yield checked(decoder.decode());
}

/**
 * Finds the encoding of a text: the one that the caller names, that of its first bytes, UTF-8, or Windows-1252 if the text looks
 * so. Windows-1252 is a guess to show. Throws ENCODING_UNKNOWN for all else.
 */
export async function encodingOf(
  source: TextSource,
  given?: string,
): Promise<{ encoding: string; isGuess: boolean }> {
  if (given !== undefined) return { encoding: decoderOf(given).encoding, isGuess: false };
  if (source.isOnce === true) return { encoding: 'utf-8', isGuess: false };
  const wide = await wideEncodingOf(source);
  if (wide !== undefined) return wide;
  if (await isUtf8(source)) return { encoding: 'utf-8', isGuess: false };
  if (!source.isJson && (await isWestern(source))) return { encoding: 'windows-1252', isGuess: true };
  throw fault(
    'ENCODING_UNKNOWN',
    `${source.name} is neither UTF-8 nor ${source.isJson ? 'UTF-16' : 'Windows-1252'}. Name its encoding, or save it as UTF-8.`,
  );
}

async function wideEncodingOf({ name, open }: TextSource) {
  for await (const chunk of open()) {
    const [first, second, third, fourth] = chunk;
    const isWide = third === 0 && fourth === 0;
    if ((first === 0xff && second === 0xfe && isWide) || (first === 0 && second === 0 && third === 0xfe))
      throw fault('ENCODING_UNKNOWN', `${name} is UTF-32. Save it as UTF-8.`);
    if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', isGuess: false };
    if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', isGuess: false };
    const zeros = [0, 0];
    for (const [at, byte] of chunk.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
    const [even = 0, odd = 0] = zeros;
    if (even + odd < chunk.length * ZEROS_SHARE_MIN) return undefined;
    if (odd > even * 4) return { encoding: 'utf-16le', isGuess: true };
    return even > odd * 4 ? { encoding: 'utf-16be', isGuess: true } : undefined;
  }
  return undefined;
}

async function isUtf8({ open }: TextSource): Promise<boolean> {
  const decoder = decoderOf('utf-8', { fatal: true });
  try {
    for await (const chunk of open()) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function isWestern({ open }: TextSource): Promise<boolean> {
  const decoder = decoderOf('windows-1252');
  const marked = new Set<string>();
  let before = '';
  for await (const chunk of open()) {
    const part = before + decoder.decode(chunk, { stream: true });
    if (NOT_WESTERN.some((pattern) => pattern.test(part))) return false;
    for (const [letter] of part.matchAll(/[øþýáíúòðæ]/gi)) marked.add(letter.toLowerCase());
    before = part.slice(-WORD_CHARS);
  }
  return !isOfNeighbor([...marked].join(''));
}

/** Whether letters are rather those of Czech (`ø` for `ř`) or Turkish (`þ` and `ý` for `ş` and `ı`) in other encodings. */
function isOfNeighbor(marked: string): boolean {
  const isCzech = /ø/.test(marked) && /[áíýúò]/.test(marked) && !/[ðæ]/.test(marked);
  return isCzech || (/[þý]/.test(marked) && !/[áíúæð]/.test(marked));
}
