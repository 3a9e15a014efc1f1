import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import { attempt, notTaken, TagError, type TagReading } from './dialect.ts';
import { isOfXDocReport, readXDocReport } from './xdocreport.ts';

const MERGE = /^\s*MERGEFIELD\s+([\s\S]*)$/i;
const RANGE = /^"?(?:(Table|Group)(Start|End)|(Begin|End)Group):\s*(?=([^"\\]+))\4"?\s*(?:\\.*)?$/i;
const IMAGE = /^("?)Image:\s*/i;
/** Fields of a mail merge that choose records or texts. */
const CONTROL = /^\s*(NEXT|NEXTIF|SKIPIF|MERGEREC|MERGESEQ|ADDRESSBLOCK|GREETINGLINE)\b/i;
/** Switches without effect on the text. */
const INERT = /\\(?:\*\s*(?:MERGEFORMAT|CHARFORMAT)\b|[mv](?![\w]))/gi;
const FIELD_CHARS_MAX = 2_000;
const HOLDS_MERGE = /\bMERGEFIELD\b/i;

/**
 * What a field of Word means (ECMA-376-1 §17.16.5): `MERGEFIELD a.b \@ "dd.MM.yyyy"`, and the ranges
 * `TableStart:xs` … `TableEnd:xs` of mail merges. Undefined for fields that show no data. `inner` is the text of the
 * instructions of fields inside it.
 */
export function readField(instruction: string, inner: string): TagReading | undefined {
  if (instruction.length > FIELD_CHARS_MAX && HOLDS_MERGE.test(instruction))
    return { issue: `The field has more than ${FIELD_CHARS_MAX} characters` };
  const merged = MERGE.exec(instruction)?.[1];
  if (merged !== undefined && inner === '') return attempt(() => mergeOf(merged.replace(INERT, '').trim()));
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
  return { type: 'value', expression: nameOf(own) };
}

function nameOf(text: string): Expression {
  if (text.trim() === '') throw new TagError('Empty tag');
  return parseExpression(text, { syntax: 'word', isLoose: true });
}
