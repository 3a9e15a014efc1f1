const SPACE = '\\0\\t\\n\\f\\r ';
const END = `(?=[${SPACE}()<>\\[\\]{}/%]|$)`;
/** Names have no controls, nor 0x80 and 0xFF: for PDFium these are white space. For Poppler `#00` ends a name. */
const NAME = `/(?:[^${SPACE}()<>\\[\\]{}/%#\\x00-\\x1f\\x80\\xff]|#(?!00))*${END}`;
const NUMBER = `[+-]?(?:\\d+\\.?\\d*|\\.\\d+)${END}`;
const HEX = `<[\\da-fA-F${SPACE}]*>`;
const WORD = `(?:true|false|null|R)${END}`;
const TOKEN = new RegExp(
  `[${SPACE}]+|%[^\\n\\r]*[\\n\\r]|${NAME}|<<|>>|\\[|\\]|${NUMBER}|${HEX}|${WORD}`,
  'y',
);
const PARENTHESIS = /\\[\s\S]|[()]/g;

const STREAM_HEAD = new RegExp(`^[${SPACE}]*stream\\r?\\n`);
const STREAM_HEAD_BYTES_MAX = 40;
const STREAM_END = new RegExp(`^[${SPACE}]*endstream$`);

/**
 * Whether bytes are tokens of objects, written as ISO 32000-2, 7.2 and 7.3 say. Readers differ in what they make of `12+`, or
 * of a hexadecimal string with other letters.
 */
export function isStrictSyntax(bytes: Buffer, start: number, end: number): boolean {
  const text = bytes.toString('latin1', start, end);
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const next = text[at] === '(' ? endOfString(text, at) : TOKEN.test(text) ? TOKEN.lastIndex : undefined;
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

function endOfString(text: string, start: number): number | undefined {
  let depth = 0;
  PARENTHESIS.lastIndex = start;
  for (let match = PARENTHESIS.exec(text); match; match = PARENTHESIS.exec(text)) {
    if (match[0] === '(') depth++;
    else if (match[0] === ')' && --depth === 0) return PARENTHESIS.lastIndex;
  }
  return undefined;
}

/** Whether a stream up to `end` has the length that its dictionary, which ends at `dictEnd`, states. */
export function isStrictStream(bytes: Buffer, dictEnd: number, length: unknown, end: number): boolean {
  const head = STREAM_HEAD.exec(bytes.toString('latin1', dictEnd, dictEnd + STREAM_HEAD_BYTES_MAX));
  if (!head || typeof length !== 'number') return false;
  const dataEnd = dictEnd + head[0].length + length;
  return dataEnd <= end && STREAM_END.test(bytes.toString('latin1', dataEnd, end));
}
