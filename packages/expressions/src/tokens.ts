import { ExpressionError } from './errors.ts';

export interface Token {
  type: 'number' | 'text' | 'template' | 'word' | 'sign' | 'end';
  /** The sign or word itself; the characters of a text without its quotes; the digits of a number. */
  value: string;
  /** Offsets in the expression. */
  start: number;
  end: number;
}

const SPACE = /[\s\u00A0\u200B\uFEFF]*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?(?![\p{L}_])/uy;
const INDEX = /\d+/uy;
const WORD = /(?:#this\b|[\p{L}_$@][\p{L}\p{N}\p{M}_$]*)/uy;
const SIGN = /===|!==|=>|==|!=|<>|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\*\*|\/\/|\.\.|[-+*/%<>!?:|~()[\]{},.=&;^]/uy;

/** Word's AutoCorrect turns straight quotes into typographic ones. */
const DOUBLE = '"“”„‟«»';
const SINGLE = "'‘’‚‛`‹›";
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Splits an expression into tokens. The last one has the type `end`. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = skip(SPACE, text, 0);
  while (offset < text.length) {
    const token = quoted(text, offset) ?? plain(text, offset, tokens.at(-1)?.value === '.');
    tokens.push(token);
    offset = skip(SPACE, text, token.end);
  }
  tokens.push({ type: 'end', value: '', start: text.length, end: text.length });
  return tokens;
}

function plain(text: string, start: number, isAfterDot: boolean): Token {
  for (const [type, pattern] of [
    ['number', isAfterDot ? INDEX : NUMBER],
    ['word', WORD],
    ['sign', SIGN],
  ] as const) {
    const end = skip(pattern, text, start);
    if (end > start) return { type, value: text.slice(start, end), start, end };
  }
  throw new ExpressionError(`unexpected “${String.fromCodePoint(text.codePointAt(start) ?? 0)}”`);
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Reads a quoted text. A straight quote closes a straight one if it can; else any quote of its kind closes. */
export function quoted(text: string, start: number): Token | undefined {
  const first = text.charAt(start);
  const closers = DOUBLE.includes(first) ? DOUBLE : SINGLE.includes(first) ? SINGLE : '';
  if (first === '' || closers === '') return undefined;
  const isStraight = first === '"' || first === "'" || first === '`';
  const token =
    (isStraight ? quotedUntil(text, start, first) : undefined) ?? quotedUntil(text, start, closers);
  if (token === undefined)
    throw new ExpressionError(`the text that starts at ${text.slice(start, start + 20)} has no end`);
  return first === '`' && token.value.includes('${') ? { ...token, type: 'template' } : token;
}

function quotedUntil(text: string, start: number, closers: string): Token | undefined {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (closers.includes(char)) return { type: 'text', value, start, end: at + 1 };
    if (char === '\\' && at + 1 < text.length) {
      at++;
      const escaped = text.charAt(at);
      value += ESCAPES[escaped] ?? (/[\\'"“”‘’„‚«»‹›`]/.test(escaped) ? escaped : `\\${escaped}`);
    } else value += char;
  }
  return undefined;
}
