import type { Instruction, Unit } from '../instruction.ts';
import { expressionOf, notTaken } from './dialect.ts';

/** A merge field of XDocReport with a unit, such as `@before-row#foreach($x in $xs)`. */
const UNIT = /^@(?:before|after)-(row|cell|paragraph)\s*/;
const VELOCITY = /^#\{?(\w+)\}?\s*(?:\(([\s\S]*)\))?$/;
const FREEMARKER = /^\[(\/?)[#@](\w+)\s*([\s\S]*?)\/?\]$/;
const COMMENT = /^(?:##|#\*|\[#--)/;
const FOREACH = /^\s*\$\{?(\w+)\}?\s+in\s+([\s\S]+)$/;
const LIST = /^([\s\S]+?)\s+as\s+(\w+)$/;
const NAME = '[\\p{L}_][\\p{L}\\p{N}_-]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_-]*)*';
/** A reference and nothing else, which may have switches of a field after it. */
const ALONE = new RegExp(`^\\$!?(?:(${NAME})|\\{\\s*(${NAME})!?\\s*\\})(\\s*\\\\[\\s\\S]*)?$`, 'u');
/** `${…}` alone, with an expression. */
const INTERPOLATION = /^\$!?\{([^{}]*)\}$/;
const QUOTED_OR_REFERENCE = new RegExp(`"[^"]*"|'[^']*'|\\$!?(?:\\{([^{}]*)\\}|(${NAME}))`, 'gu');

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
 * of FreeMarker. Throws TagError or ExpressionError for everything else.
 */
export function readXDocReport(text: string): Instruction {
  const unit = UNIT.exec(text)?.[1] as Unit | undefined;
  const own = text.replace(UNIT, '').trim();
  if (COMMENT.test(own)) return { type: 'comment' };
  const instruction = velocityOf(own) ?? freemarkerOf(own) ?? referenceOf(own);
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
    default:
      throw notTaken(`#${name} of Velocity`, 'use #foreach, #if, #elseif, #else and #end');
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
      return { type: 'open', kind: 'if', name: '', expression: freemarker(inside) };
    case 'elseif':
      return { type: 'else', expression: freemarker(inside) };
    case 'else':
      return { type: 'else' };
    default:
      throw notTaken(`[${slash}#${name}] of FreeMarker`, 'use [#list], [#if], [#elseif] and [#else]');
  }
}

function referenceOf(text: string): Instruction {
  const [, bare, braced, switches = ''] = ALONE.exec(text) ?? [];
  const name = bare ?? braced;
  if (name !== undefined)
    return { type: 'value', expression: expressionOf((POSITIONS.get(name) ?? name) + switches, 'word') };
  const inside = INTERPOLATION.exec(text)?.[1];
  if (inside !== undefined) return { type: 'value', expression: freemarker(inside) };
  throw notTaken('Text beside a reference in a merge field', 'write one reference a field');
}

/** An expression of Velocity, whose references have dollar signs. */
function velocity(text: string) {
  const plain = text.replace(QUOTED_OR_REFERENCE, (found, braced, bare) => {
    const name = (braced ?? bare)?.trim();
    if (name !== undefined) return POSITIONS.get(name) ?? name;
    if (found.startsWith('"') && found.includes('$'))
      throw notTaken('A reference in a text', 'compute it in the data');
    return found;
  });
  return expressionOf(plain, 'command');
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
]);

const OPERATORS = /"[^"]*"|'[^']*'|\?\?|\?has_content\b|\?size\b|\?|!=|!|\b[gl]te?\b/g;

/** An expression of FreeMarker. Of its built-ins, `??`, `?has_content`, `?size` and a default after `!` are read. */
function freemarker(text: string) {
  const plain = text.replace(OPERATORS, (found, at: number) => {
    if (found === '??') return ' is defined';
    if (found === '?has_content') return '';
    if (found === '?size') return '.length';
    if (found === '?') throw notTaken('This built-in of FreeMarker', 'compute the value in the data');
    const isDefault = found === '!' && /[\w)\]]\s*$/.test(text.slice(0, at));
    return isDefault ? ' ?? ' : (WORDS.get(found) ?? found);
  });
  return expressionOf(plain, 'command');
}
