import { ExpressionError } from './expression-error.ts';

export interface Token {
  type: 'name' | 'number' | 'text' | 'sign';
  /** For a text, its characters without quotes. */
  text: string;
  /** White space before it. */
  space: string;
}

/** Opening quotes with their closing ones. Word replaces straight quotes with typographic ones. */
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '”"“'],
  ['”', '”"'],
  ['„', '“”"'],
  ['‘', "’'‘"],
  ['’', "’'"],
  ['‚', "‘’'"],
  ['«', '»'],
  ['`', '`'],
]);
const PATTERN =
  /(\s*)(?:(\d+(?:\.\d+)?)|([\p{L}_$#][\p{L}\p{N}\p{M}_$]*)|(===|!==|==|!=|<>|<=|>=|&&|\|\||[<>!+\-*/%~|?:.,()[\]]))/uy;

/** The tokens of an expression. Throws ExpressionError at a character that no expression has. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const space = /\s*/y;
    space.lastIndex = at;
    const blank = space.exec(source)?.[0] ?? '';
    const quote = source[at + blank.length] ?? '';
    if (quote === '') break;
    const closing = QUOTES.get(quote);
    if (closing !== undefined) {
      const { text, end } = quoted(source, at + blank.length, closing);
      tokens.push({ type: 'text', text, space: blank });
      at = end;
      continue;
    }
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(source);
    if (match === null) throw new ExpressionError(`It has the character “${quote}” where it has no meaning`);
    const [whole, before = '', number, name, sign = ''] = match;
    if (number !== undefined) tokens.push({ type: 'number', text: number, space: before });
    else if (name !== undefined) tokens.push({ type: 'name', text: name, space: before });
    else tokens.push({ type: 'sign', text: sign, space: before });
    at += whole.length;
  }
  return tokens;
}

function quoted(source: string, start: number, closing: string): { text: string; end: number } {
  let text = '';
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === '\\' && at + 1 < source.length) text += escaped(source[++at] ?? '');
    else if (closing.includes(character)) return { text, end: at + 1 };
    else text += character;
  }
  throw new ExpressionError('It has a text without a closing quotation mark');
}

function escaped(character: string): string {
  return character === 'n' ? '\n' : character === 't' ? '\t' : character;
}
