import type { Instruction } from '../instruction.ts';
import { type Dialect, expressionOf, notTaken, readEach, type Tag, TagError } from './dialect.ts';

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
const OUTER = /^\.\.\//;

function instructionOf({ form, inner }: Tag): Instruction {
  if (form === 'comment') return { type: 'comment' };
  const text = inner.trim();
  if (text.startsWith('/')) return { type: 'close', name: text.slice(1).trim() };
  const otherwise = ELSE.exec(text);
  if (otherwise !== null) {
    const [, condition] = otherwise;
    return condition === undefined ? { type: 'else' } : { type: 'else', expression: pathIn(condition) };
  }
  const [, name, rest = ''] = BLOCK.exec(text) ?? [];
  if (name !== undefined) return openingOf(name, rest);
  if (/^[#^>&*~{]/.test(text))
    throw notTaken(`“{{${text}}}”`, 'use {{#each}}, {{#if}}, {{#unless}} or {{#with}}');
  return { type: 'value', expression: pathIn(text) };
}

function openingOf(name: string, rest: string): Opening {
  switch (name) {
    case 'each':
      return eachOf(rest);
    case 'if':
      return { type: 'open', kind: 'if', name, expression: pathIn(rest) };
    case 'unless':
      return { type: 'open', kind: 'inverted', name, expression: pathIn(rest) };
    case 'with':
      return { type: 'open', kind: 'section', name, expression: pathIn(rest) };
    default:
      throw notTaken(`The block {{#${name}}}`, 'use {{#each}}, {{#if}}, {{#unless}} or {{#with}}');
  }
}

function eachOf(rest: string): Opening {
  const [, over = rest, variable, key] = NAMED.exec(rest) ?? [];
  const open = { type: 'open', name: 'each', expression: pathIn(over) } as const;
  if (variable === undefined) return { ...open, kind: 'section', isList: true };
  return { ...open, kind: 'for', variable, ...(key !== undefined && { key }) };
}

/** `../name` is the name outside of the innermost block. */
function pathIn(text: string) {
  const outer = text.trim().replace(OUTER, '..');
  if (/\.\.\//.test(outer)) throw new TagError('“../” may stand only once, at the start of a name');
  return expressionOf(outer, 'handlebars');
}
