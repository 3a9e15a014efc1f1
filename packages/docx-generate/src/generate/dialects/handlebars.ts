import type { Expression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import { type Dialect, expressionOf, meaningOf, notTaken, readEach, type Tag } from './dialect.ts';

/** The tags of Handlebars: `{{a.b}}`, `{{#each xs}}…{{/each}}`, `{{#if c}}…{{else}}…{{/if}}`, `{{../name}}`. */
export const handlebars: Dialect = {
  syntax: 'handlebars',
  read: (tags) => readEach(tags, instructionOf),
};

type Opening = Extract<Instruction, { type: 'open' }>;

const BLOCK = /^#\s*(\w+)\s+([\s\S]+)$/;
const ELSE = /^else(?:\s+if\s+([\s\S]+))?$/;
/** `xs as |x|`, or `xs as |x index|`. */
const NAMED = /^([\s\S]+?)\s+as\s+\|\s*([\p{L}_][\p{L}\p{N}_]*)(?:\s+([\p{L}_][\p{L}\p{N}_]*))?\s*\|$/u;
const OUTER = /^(?:\.\.\/)+/;
const TOKEN = /[()]|[\w@.]+=(?=\S)|"[^"]*"|'[^']*'|[^\s()"']+/g;
/** A text, or a slash between names, as in `person/name`. */
const TEXT_OR_SLASH = /"[^"]*"|'[^']*'|(?<=[\p{L}\p{N}_\]])\/(?=[\p{L}_[])/gu;
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ...([
    ['eq', '=='],
    ['ne', '!='],
    ['gt', '>'],
    ['gte', '>='],
    ['lt', '<'],
    ['lte', '<='],
  ] as const),
  ...([
    ['and', 'and'],
    ['or', 'or'],
  ] as const),
]);

function instructionOf({ form, inner }: Tag): Instruction {
  if (form === 'comment') return { type: 'comment' };
  const text = inner.trim().replace(/^~|~$/g, '').trim();
  if (text.startsWith('/')) return { type: 'close', name: text.slice(1).trim() };
  const otherwise = ELSE.exec(text);
  if (otherwise !== null) {
    const [, condition] = otherwise;
    return condition === undefined ? { type: 'else' } : { type: 'else', expression: expressionIn(condition) };
  }
  const [, name, rest = ''] = BLOCK.exec(text) ?? [];
  if (name !== undefined) return openingOf(name, rest);
  if (/^[#^>&*{]/.test(text))
    throw notTaken(`“{{${text}}}”`, 'use {{#each}}, {{#if}}, {{#unless}} or {{#with}}');
  return { type: 'value', expression: expressionIn(text) };
}

function openingOf(name: string, rest: string): Opening {
  switch (name) {
    case 'each':
      return eachOf(rest);
    case 'if':
      return { type: 'open', kind: 'if', name, expression: expressionIn(rest) };
    case 'unless':
      return { type: 'open', kind: 'inverted', name, expression: expressionIn(rest) };
    case 'with':
      return { type: 'open', kind: 'section', name, expression: expressionIn(rest) };
    default:
      throw notTaken(`The block {{#${name}}}`, 'use {{#each}}, {{#if}}, {{#unless}} or {{#with}}');
  }
}

function eachOf(rest: string): Opening {
  const [, over = rest, variable, key] = NAMED.exec(rest) ?? [];
  const open = { type: 'open', name: 'each', expression: expressionIn(over) } as const;
  if (variable === undefined) return { ...open, kind: 'section', isList: true };
  return { ...open, kind: 'for', variable, ...(key !== undefined && { key }) };
}

/** A path, or a helper with its arguments. `../name` is the name outside of the innermost block. */
function expressionIn(text: string): Expression {
  const steps = (OUTER.exec(text.trim())?.[0].length ?? 0) / '../'.length;
  if (steps > 0) {
    const found = expressionOf(`..${dotted(text.trim().replace(OUTER, ''))}`, 'handlebars');
    const path = meaningOf(found);
    return path.kind === 'path' ? { ...path, up: steps } : found;
  }
  const tokens = text.match(TOKEN) ?? [];
  // Words alone may be the name of a property.
  const isCall =
    tokens.length > 1 &&
    tokens.some((token, index) => index > 0 && !/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(token));
  const isHelper = tokens.length > 1 && (OPERATORS.has(tokens[0] ?? '') || isCall || isKnown(tokens[0]));
  return expressionOf(isHelper ? callOf([...tokens]) : dotted(text), 'handlebars');
}

function dotted(text: string): string {
  return text.replace(TEXT_OR_SLASH, (found) => (found === '/' ? '.' : found));
}

/** Whether the language of expressions has a function with the name of a helper. */
function isKnown(name = ''): boolean {
  try {
    return meaningOf(expressionOf(`${name}(a)`, 'handlebars')).kind === 'format';
  } catch {
    return false;
  }
}

/** Takes a call from the front of tokens: `eq a "b"`, also in parentheses. */
function callOf(tokens: string[], isInner = false): string {
  const [name = '', ...args] = argumentsOf(tokens, isInner);
  const operator = OPERATORS.get(name);
  if (operator !== undefined) return `(${args.join(` ${operator} `)})`;
  if (name === 'not') return `(not ${args.join(' ')})`;
  return args.length === 0 ? name : `${name}(${args.join(', ').replaceAll('=, ', '=')})`;
}

function argumentsOf(tokens: string[], isInner: boolean): string[] {
  const args: string[] = [];
  for (let token = tokens.shift(); token !== undefined && !(isInner && token === ')'); token = tokens.shift())
    args.push(token === '(' ? callOf(tokens, true) : dotted(token));
  return args;
}
