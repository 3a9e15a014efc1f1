import type { Instruction } from '../instruction.ts';
import {
  attempt,
  type Dialect,
  expressionOf,
  notTaken,
  readEach,
  type Tag,
  TagError,
  type TagReading,
} from './dialect.ts';

type Attached = Extract<Instruction, { type: 'attached' }>;

/** docx-stamper and office-stamper: `${a.b}`, and instructions in comments or in `#{…}`: `repeatTableRow(items)`. */
export const stamper: Dialect = {
  syntax: 'stamper',
  read: (tags) => readEach(tags, instructionOf),
};

const INSTRUCTIONS: ReadonlyMap<string, Pick<Attached, 'to' | 'kind'>> = new Map([
  ['displayWordsIf', { to: 'words', kind: 'if' }],
  ['displayWordsIfPresent', { to: 'words', kind: 'if' }],
  ['displayWordsIfAbsent', { to: 'words', kind: 'inverted' }],
  ['displayParagraphIf', { to: 'paragraph', kind: 'if' }],
  ['displayParagraphIfPresent', { to: 'paragraph', kind: 'if' }],
  ['displayParagraphIfAbsent', { to: 'paragraph', kind: 'inverted' }],
  ['displayTableRowIf', { to: 'row', kind: 'if' }],
  ['displayTableRowIfPresent', { to: 'row', kind: 'if' }],
  ['displayTableRowIfAbsent', { to: 'row', kind: 'inverted' }],
  ['displayTableIf', { to: 'table', kind: 'if' }],
  ['displayTableIfPresent', { to: 'table', kind: 'if' }],
  ['displayTableIfAbsent', { to: 'table', kind: 'inverted' }],
  ['displayDocPartIf', { to: 'part', kind: 'if' }],
  ['displayDocPartIfPresent', { to: 'part', kind: 'if' }],
  ['displayDocPartIfAbsent', { to: 'part', kind: 'inverted' }],
  ['repeatTableRow', { to: 'row', kind: 'section' }],
  ['repeatParagraph', { to: 'paragraph', kind: 'section' }],
  ['repeatDocPart', { to: 'part', kind: 'section' }],
]);
const REPLACES = /^replace(?:Word)?With$/;
const CALL = /^\s*([A-Za-z_]\w*)\s*\(([\s\S]*)\)\s*;?\s*$/;
const BEGUN = /^\s*([A-Za-z_]\w*)\s*\(/;
const PRESENCE = /If(?:Present|Absent)$/;

/** The name of the instruction that a comment is, or begins to be. Undefined for what people write. */
export function calledIn(comment: string): string | undefined {
  const own = withoutSigns(comment);
  const whole = CALL.exec(own)?.[1];
  const begun = BEGUN.exec(own)?.[1] ?? '';
  return whole ?? (isInstruction(begun) ? begun : undefined);
}

/** Whether one of the engines has an instruction with this name. */
export function isInstruction(name: string): boolean {
  return INSTRUCTIONS.has(name) || REPLACES.test(name);
}

/** The meaning of a comment that is an instruction. */
export function readComment(comment: string): TagReading {
  return attempt(() => callOf(withoutSigns(comment)));
}

function withoutSigns(comment: string): string {
  return comment.replace(/^\s*#\{/, '').replace(/\}\s*$/, '');
}

function instructionOf({ form, inner }: Tag): Instruction {
  return form === 'statement' ? callOf(inner) : { type: 'value', expression: spel(inner) };
}

function callOf(text: string): Instruction {
  const [, name, inside = ''] = CALL.exec(text) ?? [];
  if (name === undefined) throw new TagError('An instruction is written “name(expression)”');
  if (REPLACES.test(name)) return { type: 'value', expression: spel(inside) };
  const found = INSTRUCTIONS.get(name);
  if (found === undefined) throw notTaken(`The instruction “${name}”`, 'compute it in the data');
  const own = PRESENCE.test(name) ? `(${inside}) is defined` : inside;
  return { type: 'attached', ...found, expression: spel(own) };
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['eq', '=='],
  ['ne', '!='],
  ['lt', '<'],
  ['le', '<='],
  ['gt', '>'],
  ['ge', '>='],
  ['div', '/'],
  ['mod', '%'],
]);
const PIECES =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\.(?:size|length)\s*\(\s*\)|\.equals\s*(?=\()|(?:[\w.$#?]|\[\d+\])+\.isEmpty\s*\(\s*\)|#root\b|@\w|\bT\s*\(|\bnew\s|\b(?:eq|ne|lt|le|gt|ge|div|mod|matches|instanceof|between)\b/gi;

/** An expression of Spring (SpEL): paths, texts, comparisons, calculations, `?:`, `?.`, `size()` and `isEmpty()`. */
function spel(text: string) {
  const plain = text.replace(PIECES, (found) => {
    const quote = found.charAt(0);
    if (quote === "'" || quote === '"') {
      const inner = found
        .slice(1, -1)
        .replaceAll('\\', '\\\\')
        .replaceAll(quote + quote, `\\${quote}`);
      return quote + inner + quote;
    }
    if (/^\.(?:size|length)/i.test(found)) return '.length';
    if (/^\.equals/i.test(found)) return ' == ';
    const checked = /^(.+)\.isEmpty/i.exec(found)?.[1];
    if (checked !== undefined) return `(${checked} is empty)`;
    const operator = WORDS.get(found.toLowerCase());
    if (operator === undefined) throw notTaken(`“${found}” of SpEL`, 'compute the value in the data');
    return operator;
  });
  return expressionOf(plain, 'stamper');
}
