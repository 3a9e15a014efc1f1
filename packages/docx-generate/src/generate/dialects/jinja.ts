import type { Expression } from '@scriptorium/expressions/expression';
import type { Instruction, Unit } from '../instruction.ts';
import {
  attempt,
  constantOr,
  type Dialect,
  expressionOf,
  notTaken,
  piped,
  type Tag,
  TagError,
} from './dialect.ts';
import { Switch } from './switch.ts';

/**
 * The marks of docxtpl and docassemble: `{{ a.b }}`, `{% for x in xs %}`, `{%tr if c %}`, `{# comment #}`. The statements
 * of Liquid are read, too: `{% unless c %}`, `{% assign x = y %}`, `{% case x %}`.
 */
export const jinja: Dialect = {
  syntax: 'jinja',
  read(tags) {
    const reader = new Reader();
    return tags.map((tag) => attempt(() => reader.read(tag)));
  },
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
const ITEMS = /(?:\.\s*(?:iter)?items\s*\(\s*\)|\|\s*items)$/;
const ITEMS_OF = /^(?:iter)?items\s*\(([\s\S]+)\)$/;
const ENUMERATE = /^enumerate\s*\(([\s\S]+)\)$/;
/** What Liquid writes behind the list of a loop, and a range of numbers. */
const PARAMETERS = /\s(?:(?:limit|offset)\s*:|reversed(?:\s|$))/;
const RANGE = /^\(\s*([\w.]+)\s*\.\.\s*([\w.]+)\s*\)$/;
/** A literal that docxtpl turns into a delimiter: `{_{`. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['{_{', '{{'],
  ['}_}', '}}'],
  ['{_%', '{%'],
  ['%_}', '%}'],
]);

class Reader {
  /** The `case` statements of Liquid that are open. */
  readonly #switches: Switch[] = [];

  read({ form, inner }: Tag): Instruction {
    if (form === 'comment') {
      const unit = UNITS.get(/^(tr|tc|p)\s/.exec(inner)?.[1] ?? '');
      return { type: 'comment', ...(unit && { unit }) };
    }
    const literal = ESCAPES.get(inner);
    if (literal !== undefined) return { type: 'value', expression: { kind: 'literal', value: literal } };
    const text = inner.replace(SIGNS, '');
    if (form === 'statement') return this.#statement(text.trimEnd());
    const unit = OUTPUT.exec(text)?.[1];
    if (unit === 'tr' || unit === 'tc') throw notTaken(`“{{${unit} …}}”`, 'use {{ … }}');
    return {
      type: 'value',
      expression: expressionOf(unit === undefined ? text : text.slice(unit.length), 'jinja'),
    };
  }

  #statement(text: string): Instruction {
    const [, prefix = '', keyword = '', rest = ''] = STATEMENT.exec(text) ?? [];
    const unit = UNITS.get(prefix);
    const ranged = unit === undefined ? {} : { unit };
    if (rest !== '' && LONE.has(keyword)) throw new TagError(`“${keyword}” must stand alone in its mark`);
    switch (keyword) {
      case 'for':
        return { ...loopOf(rest), ...ranged };
      case 'else':
        return { ...(this.#switches.at(-1)?.otherwise() ?? { type: 'else' }), ...ranged };
      case 'endfor':
        return { type: 'close', name: '', kind: 'for', ...ranged };
      case 'set':
      case 'assign':
      case 'with':
        return { ...assignmentOf(rest), ...ranged };
      case 'endwith':
        return { type: 'comment', ...ranged };
      case 'colspan':
        return { type: 'cell', what: 'span', expression: expressionOf(rest, 'jinja') };
      case 'cellbg':
        return { type: 'cell', what: 'fill', expression: expressionOf(rest, 'jinja') };
      case 'vm':
      case 'hm':
        return { type: 'cell', what: keyword };
      default:
        return { ...this.#condition(keyword, rest), ...ranged };
    }
  }

  #condition(keyword: string, rest: string): Instruction {
    switch (keyword) {
      case 'if':
      case 'unless': {
        const operand = expressionOf(rest, 'jinja');
        const expression: Expression = keyword === 'if' ? operand : { kind: 'not', operand };
        return { type: 'open', kind: 'if', name: '', expression };
      }
      case 'comment':
        return { type: 'open', kind: 'if', name: '', expression: { kind: 'literal', value: false } };
      case 'elif':
      case 'elsif':
        return { type: 'else', expression: expressionOf(rest, 'jinja') };
      case 'endif':
      case 'endunless':
      case 'endcomment':
        return { type: 'close', name: '', kind: 'if' };
      case 'case':
        this.#switches.push(new Switch(expressionOf(rest, 'jinja')));
        return { type: 'comment' };
      case 'when': {
        const values = rest.split(/\s*,\s*|\s+or\s+/).map((value) => expressionOf(value, 'jinja'));
        const open = this.#switches.at(-1);
        if (open === undefined) throw new TagError('“when” must stand in “case”');
        return open.when(values);
      }
      case 'endcase':
        return this.#switches.pop()?.end() ?? { type: 'close', name: '', kind: 'if' };
      default:
        throw unknown(keyword);
    }
  }
}

const LONE: ReadonlySet<string> = new Set([
  ...['else', 'endfor', 'endif', 'endunless', 'endcase', 'endcomment', 'endwith', 'vm', 'hm'],
]);

function assignmentOf(text: string): Extract<Instruction, { type: 'set' }> {
  const [, variable, value = ''] = ASSIGNMENT.exec(text) ?? [];
  if (variable === undefined) throw notTaken('This form of “set”', 'write {% set name = value %}');
  return { type: 'set', variable, expression: constantOr(expressionOf(value, 'jinja')) };
}

function unknown(keyword: string): TagError {
  if (UNITS.has(keyword))
    return new TagError(`Write “{%${keyword} …%}”, without a space before “${keyword}”`);
  const what = keyword === '' ? 'This statement' : `The statement “${keyword}”`;
  return notTaken(what, 'only for, if, set and case are, with their else, elif, when and ends');
}

function loopOf(text: string): Extract<Instruction, { type: 'open' }> {
  const [, first = '', second, written = ''] = LOOP.exec(text) ?? [];
  if (first === '') throw new TagError('A loop is written “for item in items”');
  if (/\srecursive$/.test(written)) throw notTaken('A recursive loop', 'use a loop in a loop');
  const open = { type: 'open', kind: 'for', name: '' } as const;
  const at = conditionIn(written);
  const over = written.slice(0, at);
  if (second === undefined) {
    const list = listOf(over);
    if (at === undefined) return { ...open, variable: first, expression: list };
    const body = expressionOf(written.slice(at).trim().slice('if'.length), 'jinja');
    return {
      ...open,
      variable: first,
      expression: { kind: 'each', what: 'filter', list, variable: first, body },
    };
  }
  if (at !== undefined)
    throw notTaken('A loop with two names and a condition', 'put {% if … %} into the loop');
  const items = ITEMS.exec(over);
  const pairs =
    items === null ? (ENUMERATE.exec(over) ?? ITEMS_OF.exec(over))?.[1] : over.slice(0, items.index);
  if (pairs === undefined)
    throw notTaken('A loop with two names', 'loop over “map.items()” or “enumerate(list)”');
  return { ...open, key: first, variable: second, expression: expressionOf(pairs, 'jinja') };
}

/** The list of a loop, with the parameters of Liquid behind it. */
function listOf(written: string): Expression {
  const at = written.search(PARAMETERS);
  const [text, parameters] = at === -1 ? [written, ''] : [written.slice(0, at), written.slice(at)];
  const [, from, to] = RANGE.exec(text.trim()) ?? [];
  const list = expressionOf(from === undefined ? text : `range(${from}, ${to} + 1)`, 'jinja');
  const [limit, offset] = [/limit\s*:\s*([\w.]+)/, /offset\s*:\s*([\w.]+)/].map(
    (form) => form.exec(parameters)?.[1],
  );
  const start = offset ?? '0';
  const end = limit === undefined ? [] : [`${start} + ${limit}`];
  const taken =
    limit === undefined && offset === undefined ? list : piped(list, `slice(${[start, ...end].join(', ')})`);
  return /reversed/.test(parameters) ? piped(taken, 'reverse') : taken;
}

/** Where the condition of a loop begins: an `if` without an `else`, outside of texts. */
function conditionIn(text: string): number | undefined {
  const plain = text.replace(/"[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’/g, (quoted) => '"'.repeat(quoted.length));
  const at = plain.search(/\sif\s/);
  return at === -1 || /\selse\s/.test(plain) ? undefined : at;
}
