import type { Expression } from '@scriptorium/expressions/expression';
import type { Instruction, Unit } from '../instruction.ts';
import { constantOr, expressionOf, joined, notTaken, piped, TagError } from './dialect.ts';

/** A merge field of XDocReport with a unit, such as `@before-row#foreach($x in $xs)`. */
const UNIT = /^@(?:before|after)-(row|cell|paragraph)\s*/;
const VELOCITY = /^#\{?(\w+)\}?\s*(?:\(([\s\S]*)\))?$/;
const FREEMARKER = /^\[(\/?)[#@](\w+)\s*([^\]]*?)\/?\]$/;
const COMMENT = /^(?:##|#\*|\[#--)/;
const FOREACH = /^\s*\$\{?(\w+)\}?\s+in\s+([\s\S]+)$/;
const LIST = /^([\s\S]+?)\s+as\s+(\w+)$/;
const ASSIGNMENT = /^\s*\$?!?\{?(\w+)\}?\s*=(?!=)([\s\S]+)$/;
const NAME = '[\\p{L}_][\\p{L}\\p{N}_-]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_-]*(?:\\([^()]{0,200}\\))?)*';
/** A reference and nothing else, which may have switches of a field after it. */
const ALONE = new RegExp(`^\\$!?(?:(${NAME})|\\{\\s*(${NAME})!?\\s*\\})(\\s*\\\\[\\s\\S]*)?$`, 'u');
const QUOTED_OR_REFERENCE = new RegExp(`"[^"]*"|'[^']*'|\\$!?(?:\\{([^{}]*)\\}|(${NAME}))`, 'gu');
/** What a text may hold: directives of both languages, and references. */
const PIECE = new RegExp(
  `#\\{?(foreach|if|elseif|else|end|set)\\}?(?:\\s*\\(((?:[^()]|\\([^()]{0,200}\\)){0,300})\\))?|\\[(/?)#(\\w+)\\s*([^\\]]*)\\]|` +
    `\\$!?\\{([^{}]*)\\}|\\$!?(${NAME})`,
  'gu',
);

/** What the engines call the position in a loop. */
const POSITIONS: ReadonlyMap<string, string> = new Map([
  ['foreach.index', 'loop.index0'],
  ['foreach.count', 'loop.index'],
  ['foreach.first', 'loop.first'],
  ['foreach.last', 'loop.last'],
  ['foreach.hasNext', '_has_next'],
  ['velocityCount', 'loop.index'],
  ['velocityHasNext', '_has_next'],
]);

const START =
  /^(?:@(?:before|after)-|#[{*#]|#(?:foreach|if|else|elseif|end|set|macro|parse|include)\b|\[\/?[#@]|\$!?[\p{L}_])/u;

/** Whether the name in a merge field is written in Velocity or FreeMarker, as XDocReport has it. */
export function isOfXDocReport(text: string): boolean {
  return START.test(text) || /\$!?\{/.test(text);
}

/**
 * The meaning of a merge field of XDocReport: references, `#foreach`, `#if` and `#end` of Velocity, `[#list]` and `[#if]`
 * of FreeMarker, also in a text. Throws TagError or ExpressionError for everything else.
 */
export function readXDocReport(text: string): Instruction {
  const unit = UNIT.exec(text)?.[1] as Unit | undefined;
  const own = text.replace(UNIT, '').trim();
  if (COMMENT.test(own)) return { type: 'comment' };
  const isWhole = [...own.matchAll(PIECE)].length < 2;
  const directive = isWhole ? (velocityOf(own) ?? freemarkerOf(own)) : undefined;
  const instruction = directive ?? referenceOf(own);
  const isRange = instruction.type === 'open' || instruction.type === 'else' || instruction.type === 'close';
  return unit !== undefined && isRange ? { ...instruction, unit } : instruction;
}

function velocityOf(text: string): Instruction | undefined {
  const [, name, inside = ''] = VELOCITY.exec(text) ?? [];
  switch (name) {
    case undefined:
      return undefined;
    case 'foreach': {
      const [, variable, over = ''] = FOREACH.exec(inside) ?? [];
      if (variable === undefined) throw notTaken('This #foreach', 'write #foreach($item in $items)');
      return { type: 'open', kind: 'for', name: '', variable, expression: velocity(over) };
    }
    case 'if':
      return { type: 'open', kind: 'if', name: '', expression: velocity(inside) };
    case 'elseif':
      return { type: 'else', expression: velocity(inside) };
    case 'else':
      return { type: 'else' };
    case 'end':
      return { type: 'close', name: '' };
    case 'set':
      return assignmentOf(inside, velocity);
    default:
      throw notTaken(`#${name} of Velocity`, 'use #foreach, #if, #elseif, #else, #set and #end');
  }
}

function freemarkerOf(text: string): Instruction | undefined {
  const [, slash, name, inside = ''] = FREEMARKER.exec(text) ?? [];
  const isEnd = slash === '/';
  if (isEnd && name === 'list') return { type: 'close', name: '', kind: 'for' };
  if (isEnd && name === 'if') return { type: 'close', name: '', kind: 'if' };
  switch (name) {
    case undefined:
      return undefined;
    case 'list': {
      const [, over, variable] = LIST.exec(inside.trim()) ?? [];
      if (over === undefined || variable === undefined)
        throw notTaken('This [#list]', 'write [#list items as item]');
      return { type: 'open', kind: 'for', name: '', variable, expression: freemarker(over) };
    }
    case 'if':
      return { type: 'open', kind: 'if', name: '', expression: freemarker(inside.replace(AS_TEXT, ' + ""')) };
    case 'elseif':
      return { type: 'else', expression: freemarker(inside.replace(AS_TEXT, ' + ""')) };
    case 'else':
      return { type: 'else' };
    case 'assign':
      return assignmentOf(inside, freemarker);
    default:
      throw notTaken(
        `[${slash}#${name}] of FreeMarker`,
        'use [#list], [#if], [#elseif], [#else] and [#assign]',
      );
  }
}

function assignmentOf(text: string, read: (text: string) => Expression): Instruction {
  const [, variable, value = ''] = ASSIGNMENT.exec(text) ?? [];
  if (variable === undefined) throw notTaken('This assignment', 'write name = value');
  return { type: 'set', variable, expression: constantOr(read(value)), isGlobal: true };
}

function referenceOf(text: string): Instruction {
  const [, bare, braced, switches] = ALONE.exec(text) ?? [];
  const name = bare ?? braced;
  if (name !== undefined && !name.includes('(')) {
    const position = POSITIONS.get(name);
    if (switches !== undefined || (position === undefined && !POSITION.test(name)))
      return { type: 'value', expression: expressionOf((position ?? name) + (switches ?? ''), 'word') };
  }
  return { type: 'value', expression: new InText(text).expression() };
}

/** Reads a text with directives and references as one value. */
class InText {
  readonly #pieces: RegExpExecArray[];
  readonly #text: string;
  #at = 0;
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#pieces = [...text.matchAll(PIECE)];
  }

  expression(): Expression {
    const whole = this.#until();
    if (this.#next < this.#pieces.length)
      throw new TagError(`“${this.#pieces[this.#next]?.[0]}” ends nothing`);
    return whole;
  }

  /** What stands before the next directive that ends or divides a range, or before the end. */
  #until(): Expression {
    const parts: Expression[] = [];
    const add = (to: number) => {
      if (to > this.#at) parts.push({ kind: 'literal', value: this.#text.slice(this.#at, to) });
    };
    for (let piece = this.#pieces[this.#next]; piece !== undefined; piece = this.#pieces[this.#next]) {
      const [written, , , , , , braced, bare] = piece;
      add(piece.index);
      this.#at = piece.index;
      const instruction =
        braced !== undefined || bare !== undefined
          ? ({
              type: 'value',
              expression: braced === undefined ? velocity(written) : freemarker(braced),
            } as const)
          : (velocityOf(written) ?? freemarkerOf(written));
      if (instruction?.type === 'close' || instruction?.type === 'else') return joined(parts);
      this.#pass(written);
      if (instruction?.type === 'value') parts.push(instruction.expression);
      else if (instruction?.type === 'open') parts.push(this.#range(instruction));
      else throw notTaken(`“${written}” beside other text`, 'give it a field of its own');
    }
    add(this.#text.length);
    this.#at = this.#text.length;
    return joined(parts);
  }

  #pass(written: string): void {
    this.#next++;
    this.#at += written.length;
  }

  #range({ kind, expression, variable }: Extract<Instruction, { type: 'open' }>): Expression {
    const body = this.#until();
    const written = this.#pieces[this.#next]?.[0] ?? '';
    const end = velocityOf(written) ?? freemarkerOf(written);
    if (end === undefined) throw new TagError('A range in a field has no end in it');
    this.#pass(written);
    if (kind === 'for') {
      if (end.type !== 'close') throw notTaken('[#else] in a list', 'use [#if]');
      const list: Expression = { kind: 'each', what: 'map', list: expression, variable, body };
      return piped(list, 'join("")');
    }
    const nothing: Expression = { kind: 'literal', value: '' };
    const whenFalse =
      end.type !== 'else'
        ? nothing
        : this.#range({ type: 'open', kind: 'if', name: '', expression: end.expression ?? ALWAYS });
    return { kind: 'conditional', test: expression, whenTrue: body, whenFalse };
  }
}

const ALWAYS: Expression = { kind: 'literal', value: true };
/** An expression of Velocity, whose references have dollar signs. */
function velocity(text: string) {
  const plain = text.replace(QUOTED_OR_REFERENCE, (found, braced, bare) => {
    const name = (braced ?? bare)?.trim();
    if (name !== undefined) return (POSITIONS.get(name) ?? name).replace(/\.size\(\s*\)$/, '.length');
    if (found.startsWith('"') && found.includes('$'))
      throw notTaken('A reference in a text', 'compute it in the data');
    return found;
  });
  return expressionOf(plain, 'command');
}

/** The position that FreeMarker has in the name of the item. */
const POSITION = /^\w+(_index|_has_next)$/;
const BUILT_INS: ReadonlyMap<string, string> = new Map([
  ['has_content', ''],
  ['size', '.length'],
  ['length', '.length'],
  ['upper_case', '.toUpperCase()'],
  ['lower_case', '.toLowerCase()'],
  ['cap_first', '.firstCap()'],
  ['capitalize', '.capitalize()'],
  ['trim', '.trim()'],
  ['join', '.join'],
  ['replace', '.replaceAll'],
  ['split', '.split'],
  ['starts_with', '.startsWith'],
  ['ends_with', '.endsWith'],
  ['string', '.netFormat'],
  ...['c', 'html', 'xml', 'date', 'datetime', 'time', 'number', 'no_esc'].map((name) => [name, ''] as const),
]);
const OF_LOOP: ReadonlyMap<string, string> = new Map([
  ['_index', 'loop.index0'],
  ['_has_next', '_has_next'],
  ['?index', 'loop.index0'],
  ['?counter', 'loop.index'],
  ['?has_next', '_has_next'],
  ['?is_first', 'loop.first'],
  ['?is_last', 'loop.last'],
]);
const OPERATORS =
  /"[^"]*"|'[^']*'|\?\?|\b(\w+)(_index|_has_next|\?index|\?counter|\?has_next|\?is_first|\?is_last)\b|\?(\w+)(?=(\(|\[)?)|[=!<>]=|=|!|\b(?:gt|lt)e?\b/g;
const WORDS: ReadonlyMap<string, string> = new Map([
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
  ['=', '=='],
]);

/** What a boolean is shown as: `paid?string("yes", "no")`. */
const CHOICE = /\b([\w.]+)\?string\(\s*("[^"]*"|'[^']*')\s*,\s*("[^"]*"|'[^']*')\s*\)/g;

/** A value that is compared as a text: `paid?string == "true"`. */
const AS_TEXT = /\?string\b(?!\s*[([?.])/g;
/** A pattern in brackets, and one by which a text is read: dates are in ISO 8601. */
const BRACKETED = /\?string\[("[^"]*"|'[^']*')\]/g;
const DATE_READ = /(\?(?:date|datetime|time))\(\s*(?:"[^"]*"|'[^']*')\s*\)/g;

/** An expression of FreeMarker. Reads its built-ins of texts and lists, and a default after `!`. */
function freemarker(written: string) {
  const text = written
    .replace(CHOICE, '($1 ? $2 : $3)')
    .replace(BRACKETED, '?string($1)')
    .replace(DATE_READ, '$1');
  const plain = text.replace(OPERATORS, (found, item, ofLoop, builtIn, bracket, at: number) => {
    if (found === '??') return ' is defined';
    if (ofLoop !== undefined)
      return `(${item}${ofLoop.startsWith('_') ? ofLoop : '__'} ?? ${OF_LOOP.get(ofLoop)})`;
    if (builtIn !== undefined) {
      const method = BUILT_INS.get(builtIn);
      if (method === undefined)
        throw notTaken(`“?${builtIn}” of FreeMarker`, 'compute the value in the data');
      return method === '.netFormat' && bracket !== '(' ? '' : method;
    }
    const isDefault = found === '!' && /[\w)\]]\s*$/.test(text.slice(0, at));
    return isDefault ? ' ?? ' : (WORDS.get(found) ?? found);
  });
  return expressionOf(plain.replace(/ \?\? \s*$/, ''), 'command');
}
