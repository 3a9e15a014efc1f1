import type { Instruction, Unit } from '../instruction.ts';
import { type Dialect, expressionOf, notTaken, readEach, type Tag, TagError } from './dialect.ts';

/** The marks of docxtpl and docassemble: `{{ a.b }}`, `{% for x in xs %}`, `{%tr if c %}`, `{# comment #}`. */
export const jinja: Dialect = {
  syntax: 'jinja',
  read: (tags) => readEach(tags, instructionOf),
};

const UNITS: ReadonlyMap<string, Unit> = new Map([
  ['tr', 'row'],
  ['tc', 'cell'],
  ['p', 'paragraph'],
  ['r', 'run'],
]);
const SIGNS = /^[-+]|[-+]$/g;
const STATEMENT = /^(?:(tr|tc|p|r)(?=\s))?\s*(\w+)(?![\w.])\s*([\s\S]*)$/;
const OUTPUT = /^(tr|tc|p|r)\s+(?=[\p{L}_"'“‘([])/u;
const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*';
const LOOP = new RegExp(`^(${NAME})(?:\\s*,\\s*(${NAME}))?\\s+in\\s+([\\s\\S]+)$`, 'u');
const ASSIGNMENT = new RegExp(`^(${NAME})\\s*=(?!=)\\s*([\\s\\S]+)$`, 'u');
const ITEMS = /(?:\.\s*items\s*\(\s*\)|\|\s*items)$/;
const ENUMERATE = /^enumerate\s*\(([\s\S]+)\)$/;
/** A literal that docxtpl turns into a delimiter: `{_{`. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['{_{', '{{'],
  ['}_}', '}}'],
  ['{_%', '{%'],
  ['%_}', '%}'],
]);

function instructionOf({ form, inner }: Tag): Instruction {
  if (form === 'comment') {
    const unit = UNITS.get(/^(tr|tc|p)\s/.exec(inner)?.[1] ?? '');
    return { type: 'comment', ...(unit && { unit }) };
  }
  const literal = ESCAPES.get(inner);
  if (literal !== undefined) return { type: 'value', expression: { kind: 'literal', value: literal } };
  const text = inner.replace(SIGNS, '');
  if (form === 'statement') return statementOf(text.trimEnd());
  const unit = OUTPUT.exec(text)?.[1];
  if (unit === 'tr' || unit === 'tc') throw notTaken(`“{{${unit} …}}”`, 'use {{ … }}');
  return {
    type: 'value',
    expression: expressionOf(unit === undefined ? text : text.slice(unit.length), 'jinja'),
  };
}

function statementOf(text: string): Instruction {
  const [, prefix = '', keyword = '', rest = ''] = STATEMENT.exec(text) ?? [];
  const unit = UNITS.get(prefix);
  const ranged = unit === undefined ? {} : { unit };
  switch (keyword) {
    case 'for':
      return { ...loopOf(rest), ...ranged };
    case 'if':
      return { type: 'open', kind: 'if', name: '', expression: expressionOf(rest, 'jinja'), ...ranged };
    case 'elif':
      return { type: 'else', expression: expressionOf(rest, 'jinja'), ...ranged };
    case 'else':
      mustEnd(keyword, rest);
      return { type: 'else', ...ranged };
    case 'endfor':
      mustEnd(keyword, rest);
      return { type: 'close', name: '', kind: 'for', ...ranged };
    case 'endif':
      mustEnd(keyword, rest);
      return { type: 'close', name: '', kind: 'if', ...ranged };
    case 'set':
      return { ...assignmentOf(rest), ...ranged };
    case 'colspan':
      return { type: 'cell', what: 'span', expression: expressionOf(rest, 'jinja') };
    case 'cellbg':
      return { type: 'cell', what: 'fill', expression: expressionOf(rest, 'jinja') };
    case 'vm':
    case 'hm':
      mustEnd(keyword, rest);
      return { type: 'cell', what: keyword };
    default:
      throw unknown(keyword);
  }
}

function assignmentOf(text: string): Extract<Instruction, { type: 'set' }> {
  const [, variable, value = ''] = ASSIGNMENT.exec(text) ?? [];
  if (variable === undefined) throw notTaken('This form of “set”', 'write {% set name = value %}');
  const expression = expressionOf(value, 'jinja');
  // A number is not the name of a property here.
  const number =
    expression.kind === 'name' && expression.otherwise?.kind === 'literal' && expression.otherwise;
  return { type: 'set', variable, expression: number || expression };
}

function mustEnd(keyword: string, rest: string): void {
  if (rest !== '') throw new TagError(`“${keyword}” must stand alone in its mark`);
}

function unknown(keyword: string): TagError {
  if (UNITS.has(keyword))
    return new TagError(`Write “{%${keyword} …%}”, without a space before “${keyword}”`);
  const what = keyword === '' ? 'This statement' : `The statement “${keyword}”`;
  return notTaken(what, 'only for, if, elif, else, endif, endfor and set are');
}

function loopOf(text: string): Extract<Instruction, { type: 'open' }> {
  const [, first = '', second, over = ''] = LOOP.exec(text) ?? [];
  if (first === '') throw new TagError('A loop is written “for item in items”');
  if (/\srecursive$/.test(over)) throw notTaken('A recursive loop', 'use a loop in a loop');
  if (/\sif\s/.test(withoutTexts(over)) && !/\selse\s/.test(withoutTexts(over)))
    throw notTaken('A loop with a condition', 'put {% if … %} into the loop');
  const open = { type: 'open', kind: 'for', name: '' } as const;
  if (second === undefined) return { ...open, variable: first, expression: expressionOf(over, 'jinja') };
  const items = ITEMS.exec(over);
  const pairs = items === null ? ENUMERATE.exec(over)?.[1] : over.slice(0, items.index);
  if (pairs === undefined)
    throw notTaken('A loop with two names', 'loop over “map.items()” or “enumerate(list)”');
  return { ...open, key: first, variable: second, expression: expressionOf(pairs, 'jinja') };
}

function withoutTexts(text: string): string {
  return text.replace(/"[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’/g, '""');
}
