/** A piece of RTF (specification 1.9.1, "RTF Syntax"). Strings hold bytes: one character each, up to U+00FF. */
export type RtfToken =
  | { type: 'open' }
  | { type: 'close' }
  /** `\b0`: letters, and the number after them. */
  | { type: 'word'; name: string; value: number | undefined }
  /** `\~`: any character except a letter. */
  | { type: 'symbol'; char: string }
  /** `\'e4` */
  | { type: 'hex'; byte: number }
  | { type: 'text'; text: string }
  /** The bytes after a `\bin`. */
  | { type: 'binary'; bytes: string };

const WORD_LETTERS_MAX = 32;
const INT32_MAX = 0x7fff_ffff;

const WORD = /[A-Za-z]+/y;
const PARAMETER = /-?\d+/y;
const HEX = /[0-9a-fA-F]{2}/y;
/** Text up to the next special character. */
const TEXT = /[^{}\\]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: line ends have no meaning, and the rest is not text
const NO_TEXT = /[\u0000-\u0008\u000a-\u001f]/g;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/**
 * Splits RTF into its tokens, from the first `{` to its closing `}`, in linear time. A word of more than 32 letters or
 * with a number beyond 32 bits is omitted, because readers differ on those.
 */
export function* rtfTokens(rtf: string): Generator<RtfToken> {
  let depth = 0;
  for (let at = 0; at < rtf.length; ) {
    const char = rtf.charAt(at);
    if (char === '{') {
      depth++;
      at++;
      yield { type: 'open' };
    } else if (char === '}') {
      at++;
      yield { type: 'close' };
      if (--depth <= 0) return;
    } else if (char === '\\') {
      const [token, next] = readControl(rtf, at + 1);
      at = next;
      if (token !== undefined) yield token;
    } else {
      const text = match(TEXT, rtf, at) ?? '';
      at += text.length;
      yield { type: 'text', text: text.replace(NO_TEXT, '') };
    }
  }
}

/** The token after a backslash, and the offset of the next one. */
function readControl(rtf: string, at: number): [token: RtfToken | undefined, next: number] {
  const name = match(WORD, rtf, at);
  if (name !== undefined) return readWord(rtf, name, at + name.length);
  if (rtf[at] !== "'") return [{ type: 'symbol', char: rtf.charAt(at) }, at + 1];
  const digits = match(HEX, rtf, at + 1);
  if (digits === undefined) return [undefined, at + 1];
  return [{ type: 'hex', byte: Number.parseInt(digits, 16) }, at + 3];
}

function readWord(rtf: string, name: string, nameEnd: number): [token: RtfToken | undefined, next: number] {
  const digits = match(PARAMETER, rtf, nameEnd);
  // A minus without digits belongs to the word.
  let next = nameEnd + (digits?.length ?? (rtf[nameEnd] === '-' ? 1 : 0));
  if (rtf[next] === ' ') next++;
  const value = digits === undefined ? undefined : Number(digits);
  if (name === 'bin') {
    const end = next + Math.max(0, value ?? 0);
    return [{ type: 'binary', bytes: rtf.slice(next, end) }, end];
  }
  const isWord = name.length <= WORD_LETTERS_MAX && Math.abs(value ?? 0) <= INT32_MAX;
  return [isWord ? { type: 'word', name, value } : undefined, next];
}
