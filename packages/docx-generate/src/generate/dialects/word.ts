import { FIELD_INSIDE, type FieldCode } from '@scriptorium/docx-template/template';
import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import {
  attempt,
  expressionOf,
  joined,
  meaningOf,
  notTaken,
  piped,
  TagError,
  type TagReading,
} from './dialect.ts';
import { isMergeBlock, readMergeBlock } from './merge-blocks.ts';
import { readSablon } from './sablon.ts';
import { isOfXDocReport, readXDocReport } from './xdocreport.ts';

const MERGE = /^\s*MERGEFIELD\s+([\s\S]*)$/i;
const RANGE = /^"?(?:(Table|Group)(Start|End)|(Begin|End)Group):\s*(?=([^"\\]+))\4"?\s*(?:\\.*)?$/i;
const IMAGE = /^("?)Image:\s*/i;
/** Fields of a mail merge that choose records or texts. */
const CONTROL = /^\s*(NEXT|NEXTIF|SKIPIF|MERGEREC|MERGESEQ)\b/i;
const IF = /^\s*IF\s([\s\S]*)$/i;
/** Numbers, operators and merge fields, which are `@`. Functions and cells are not taken. */
const FORMULA = /^=([\d\s.+*/()@-]+)(\\#\s*(?:"([^"]*)"|([^\s"]\S*)))?$/;
/** A field that computes, and a mark in its code. */
const COMPUTES = /^\s*(?:IF|COMPARE|QUOTE|SET|=)(?:\s|\{|\+\+\+)/i;
const MARKED = /\{[^{}]*\}|\+\+\+/;
const OPERATORS = { '=': '==', '<>': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;
/** A text of which a part is compared: `A*`, `*a` and `*a*`. */
const PART = /^(?=.*\*)(\*?)([^*?"\\]+)(\*?)$/s;
const BOOLEAN = /^(?:true|false)$/i;
const PIECE = /"([^"]*)"|“([^”]*)”|(<>|<=|>=|[=<>])|([^\s"“<>=]+)/g;
/** Switches without effect on the text. */
const INERT = /\\(?:\*\s*(?:MERGEFORMAT|CHARFORMAT)\b|[mv](?![\w]))|\sMERGEFORMAT\s*$/gi;
const FIELD_CHARS_MAX = 2_000;

/**
 * What a field of Word means (ECMA-376-1 §17.16.5): `MERGEFIELD a.b \\@ "dd.MM.yyyy"`, and the ranges
 * `TableStart:xs` … `TableEnd:xs` of mail merges. Undefined for fields that show no data.
 */
export function readField(code: FieldCode): TagReading | undefined {
  const { instruction, inner } = code;
  const holdsMerge = inner.some((own) => isOfMerge(own));
  const merged = MERGE.exec(instruction)?.[1];
  if (charsOf(code) > FIELD_CHARS_MAX && (holdsMerge || merged !== undefined))
    return { issue: `The field has more than ${FIELD_CHARS_MAX} characters` };
  if (merged !== undefined && inner.length === 0) return attempt(() => mergeOf(withoutInert(merged)));
  if (isMergeBlock(instruction) && inner.length === 0) return attempt(() => readMergeBlock(instruction));
  if (holdsMerge && IF.test(instruction))
    return attempt(() => ({ type: 'value', expression: conditionOf(code) }));
  if (holdsMerge && FORMULA.test(formulaIn(instruction)))
    return attempt(() => ({ type: 'value', expression: formulaOf(code) }));
  const control = CONTROL.exec(instruction)?.[1];
  if (control === undefined && !holdsMerge) {
    if (!COMPUTES.test(instruction) || !MARKED.test(instruction)) return undefined;
    return attempt(() => {
      throw notTaken('A mark in the code of a field', 'use a merge field, or a condition in text');
    });
  }
  const name = control ?? /^\s*(\w+|=)/.exec(instruction)?.[1] ?? '';
  return attempt(() => {
    throw notTaken(
      `The field ${name.toUpperCase()} of a mail merge`,
      'use a merge field, or a loop or condition in text',
    );
  });
}

function isOfMerge({ instruction, inner }: FieldCode): boolean {
  return MERGE.test(instruction) || inner.some((own) => isOfMerge(own));
}

function charsOf({ instruction, inner }: FieldCode): number {
  return inner.reduce((sum, own) => sum + charsOf(own), instruction.length);
}

function withoutInert(text: string): string {
  return text.replace(INERT, '').trim();
}

/** `= {MERGEFIELD a} * 2 \\# "0.00"` (ECMA-376-1 §17.16.5.22). */
function formulaOf({ instruction, inner }: FieldCode): Expression {
  const [, formula = '', picture, quoted, bare] = FORMULA.exec(formulaIn(instruction)) ?? [];
  const operands = inner.map(innerOf);
  const tree = meaningOf(expressionOf(formula.replaceAll('@', ' x '), 'command'));
  const result = withOperands(tree, operands);
  return picture === undefined ? result : piped(result, `wordNumber(${JSON.stringify(quoted ?? bare)})`);
}

function formulaIn(instruction: string): string {
  return withoutInert(instruction).replaceAll(FIELD_INSIDE, '@').trim();
}

/** Puts the next operand in the place of each name. */
function withOperands(tree: Expression, operands: Expression[]): Expression {
  switch (tree.kind) {
    case 'arithmetic': {
      const left = withOperands(tree.left, operands);
      return { ...tree, left, right: withOperands(tree.right, operands) };
    }
    case 'negative':
    case 'positive':
      return { ...tree, operand: withOperands(tree.operand, operands) };
    default:
      return tree.kind === 'literal' ? tree : (operands.shift() ?? tree);
  }
}

/** `IF {MERGEFIELD a} = "x" "yes" "no"` (ECMA-376-1 §17.16.5.27): texts, and fields of a mail merge in them. */
function conditionOf({ instruction, inner }: FieldCode): Expression {
  const codes = [...inner];
  const text = IF.exec(instruction)?.[1] ?? '';
  const pieces = [...withoutInert(text).matchAll(PIECE)].map(([, straight, curved, sign, word]) => ({
    sign,
    text: straight ?? curved ?? word ?? '',
  }));
  const [left, operator, right, then, otherwise = { text: '' }, ...others] = pieces;
  const sign = OPERATORS[operator?.sign as keyof typeof OPERATORS];
  const isWhole = left !== undefined && right !== undefined && then !== undefined && others.length === 0;
  const isEquality = sign === '==' || sign === '!=';
  const [, before, part = '', after] =
    (isEquality && PART.exec(right?.text.replaceAll(FIELD_INSIDE, '?') ?? '')) || [];
  if (!isWhole || sign === undefined || (/[*?]/.test(right.text) && part === ''))
    throw notTaken('This IF field', 'write IF field = "text" "then" "else"');
  const texts = [left, right, then, otherwise].map((piece) => textsOf(piece.text, codes));
  if (codes.length > 0) throw notTaken('A field in a field of IF', 'use merge fields in its texts');
  const [a, b, whenTrue, whenFalse] = texts.map(joined) as [Expression, Expression, Expression, Expression];
  if (part !== '') {
    const holds = before === '' ? 'startsWith' : 'endsWith';
    const literal: Expression = { kind: 'literal', value: part };
    const isPart: Expression =
      before === after
        ? { kind: 'comparison', operator: 'in', left: literal, right: asText(a) }
        : piped(asText(a), `${holds}(${JSON.stringify(part)})`);
    const [met, other] = sign === '==' ? [whenTrue, whenFalse] : [whenFalse, whenTrue];
    return { kind: 'conditional', test: isPart, whenTrue: met, whenFalse: other };
  }
  // A boolean of the data is written as `true`, and one of Excel as `TRUE`.
  const own = (side: Expression) => (BOOLEAN.test(right.text) ? piped(asText(side), 'lower') : asText(side));
  const test: Expression = { kind: 'comparison', operator: sign, left: own(a), right: own(b) };
  return { kind: 'conditional', test, whenTrue, whenFalse };
}

/** The texts and the fields of a text. Takes the fields from the front of `codes`. */
function textsOf(text: string, codes: FieldCode[]): Expression[] {
  return text.split(FIELD_INSIDE).flatMap((literal, index): Expression[] => {
    const own: Expression[] = literal === '' ? [] : [{ kind: 'literal', value: literal }];
    const code = index === 0 ? undefined : codes.shift();
    return code === undefined ? own : [innerOf(code), ...own];
  });
}

function innerOf(code: FieldCode): Expression {
  if (IF.test(code.instruction)) return conditionOf(code);
  const merged = MERGE.exec(code.instruction)?.[1];
  const instruction = merged === undefined ? undefined : mergeOf(withoutInert(merged));
  if (instruction?.type !== 'value' || instruction.as !== undefined)
    throw notTaken('A field in a field of IF', 'use merge fields in its texts');
  return instruction.expression;
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
