import { FIELD_INSIDE } from '@scriptorium/docx-template/template';
import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import { attempt, notTaken, TagError, type TagReading } from './dialect.ts';
import { isMergeBlock, readMergeBlock } from './merge-blocks.ts';
import { readSablon } from './sablon.ts';
import { isOfXDocReport, readXDocReport } from './xdocreport.ts';

const MERGE = /^\s*MERGEFIELD\s+([\s\S]*)$/i;
const RANGE = /^"?(?:(Table|Group)(Start|End)|(Begin|End)Group):\s*(?=([^"\\]+))\4"?\s*(?:\\.*)?$/i;
const IMAGE = /^("?)Image:\s*/i;
/** Fields of a mail merge that choose records or texts. */
const CONTROL = /^\s*(NEXT|NEXTIF|SKIPIF|MERGEREC|MERGESEQ)\b/i;
const IF = /^\s*IF\s([\s\S]*)$/i;
const OPERATORS = { '=': '==', '<>': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;
const PIECE = /"([^"]*)"|“([^”]*)”|(<>|<=|>=|[=<>])|([^\s"“<>=]+)/g;
/** Switches without effect on the text. */
const INERT = /\\(?:\*\s*(?:MERGEFORMAT|CHARFORMAT)\b|[mv](?![\w]))|\sMERGEFORMAT\s*$/gi;
const FIELD_CHARS_MAX = 2_000;
const HOLDS_MERGE = /\bMERGEFIELD\b/i;

/**
 * What a field of Word means (ECMA-376-1 §17.16.5): `MERGEFIELD a.b \@ "dd.MM.yyyy"`, and the ranges
 * `TableStart:xs` … `TableEnd:xs` of mail merges. Undefined for fields that show no data. `inner` is the text of the
 * instructions of fields inside it.
 */
export function readField(instruction: string, inner: string): TagReading | undefined {
  if (instruction.length + inner.length > FIELD_CHARS_MAX && HOLDS_MERGE.test(instruction + inner))
    return { issue: `The field has more than ${FIELD_CHARS_MAX} characters` };
  const merged = MERGE.exec(instruction)?.[1];
  if (merged !== undefined && inner === '') return attempt(() => mergeOf(merged.replace(INERT, '').trim()));
  if (isMergeBlock(instruction) && inner === '') return attempt(() => readMergeBlock(instruction));
  const condition = HOLDS_MERGE.test(inner) ? IF.exec(instruction)?.[1] : undefined;
  if (condition !== undefined) return attempt(() => conditionOf(condition, inner));
  const control = CONTROL.exec(instruction)?.[1];
  const isControl = control !== undefined || HOLDS_MERGE.test(inner);
  if (!isControl) return undefined;
  const name = control ?? /^\s*(\w*)/.exec(instruction)?.[1] ?? '';
  return attempt(() => {
    throw notTaken(
      `The field ${name.toUpperCase()} of a mail merge`,
      'use a merge field, or a loop or condition in text',
    );
  });
}

/** `IF {MERGEFIELD a} = "x" "yes" "no"` (ECMA-376-1 §17.16.5.27): texts, and merge fields in them. */
function conditionOf(text: string, inner: string): Instruction {
  const codes = inner.split(FIELD_INSIDE).slice(1);
  const pieces = [...text.replace(INERT, '').matchAll(PIECE)].map(([, straight, curved, sign, word]) => ({
    sign,
    text: straight ?? curved ?? word ?? '',
  }));
  const [left, operator, right, then, otherwise = { text: '' }, ...others] = pieces;
  const sign = OPERATORS[operator?.sign as keyof typeof OPERATORS];
  const isWhole = left !== undefined && right !== undefined && then !== undefined && others.length === 0;
  if (!isWhole || sign === undefined || /[*?]/.test(right.text))
    throw notTaken('This IF field', 'write IF field = "text" "then" "else"');
  const texts = [left, right, then, otherwise].map((piece) => textsOf(piece.text, codes));
  if (codes.length > 0) throw notTaken('A field in a field of IF', 'use merge fields in its texts');
  const [a, b, whenTrue, whenFalse] = texts.map(joined) as [Expression, Expression, Expression, Expression];
  const test: Expression = { kind: 'comparison', operator: sign, left: asText(a), right: asText(b) };
  return { type: 'value', expression: { kind: 'conditional', test, whenTrue, whenFalse } };
}

/** The texts and the merge fields of a text. Takes the fields from the front of `codes`. */
function textsOf(text: string, codes: string[]): Expression[] {
  return text.split(FIELD_INSIDE).flatMap((literal, index): Expression[] => {
    const own: Expression[] = literal === '' ? [] : [{ kind: 'literal', value: literal }];
    if (index === 0) return own;
    const merged = MERGE.exec(codes.shift() ?? '')?.[1];
    const instruction = merged === undefined ? undefined : mergeOf(merged.replace(INERT, '').trim());
    if (instruction?.type !== 'value' || instruction.as !== undefined)
      throw notTaken('A field in a field of IF', 'use merge fields in its texts');
    return [instruction.expression, ...own];
  });
}

function joined(texts: Expression[]): Expression {
  const [first = { kind: 'literal', value: '' }, ...others] = texts;
  return others.reduce<Expression>((left, right) => ({ kind: 'concatenation', left, right }), first);
}

/** As in Word, a missing value is an empty text. */
function asText(left: Expression): Expression {
  return { kind: 'concatenation', left, right: { kind: 'literal', value: '' } };
}

function mergeOf(text: string): Instruction {
  const [, , side, group, written = ''] = RANGE.exec(text) ?? [];
  const name = written.trim();
  const end = side ?? group;
  // Word compares names so.
  const key = name.toLowerCase().replaceAll('_', ' ');
  if (end !== undefined && /^end$/i.test(end)) return { type: 'close', name: key };
  if (end !== undefined) return { type: 'open', kind: 'section', name: key, expression: nameOf(name) };
  if (IMAGE.test(text)) return { type: 'value', expression: nameOf(text.replace(IMAGE, '$1')), as: 'image' };
  const own = text.replace(/^"((?:[^"\\]|\\.)*)"$/s, '$1').replaceAll('\\"', '"');
  if (isOfXDocReport(own)) return readXDocReport(own);
  const ofSablon = readSablon(own);
  if (ofSablon !== undefined) return ofSablon;
  return { type: 'value', expression: nameOf(own) };
}

function nameOf(text: string): Expression {
  if (text.trim() === '') throw new TagError('Empty tag');
  return parseExpression(text, { syntax: 'word', isLoose: true });
}
