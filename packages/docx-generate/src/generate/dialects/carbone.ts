import type { ArrayStep, Instruction } from '../instruction.ts';
import { type Dialect, expressionOf, notTaken, readEach, type Tag, TagError } from './dialect.ts';

/** The marks of Carbone: `{d.a.b:f(x)}`, `{d.xs[i].a}` … `{d.xs[i+1].a}`, `{d.a:showBegin}` … `{d.a:showEnd}`. */
export const carbone: Dialect = {
  syntax: 'carbone',
  read: (tags) => readEach(tags, instructionOf),
};

const BLOCK = /:(show|hide)(Begin|End)(?:\(\s*\))?$/;
const DROP = /:(drop|keep)\(([^()]*)\)$/;
/** What `:drop(row)` and `:keep(row)` mean. */
const DROPPED: ReadonlyMap<string, 'row' | 'paragraph' | 'table'> = new Map([
  ['row', 'row'],
  ['p', 'paragraph'],
  ['table', 'table'],
]);
/** Every other name sorts by a property, and shows each of its values once. */
const ITERATOR = /^[ijk]\d?(\s*\+\s*1)?$/;
const INDEX = /^-?\d+$/;
const CONDITION = /:(?:if[A-Z]\w*|and|or)\b/;

function instructionOf({ inner }: Tag): Instruction {
  const text = inner.trim();
  if (/^c\s*[.[:(]/.test(text)) throw notTaken('The complement “c”', 'put its values into the data');
  if (/^t\s*\(/.test(text)) throw notTaken('A translation', 'write one template a language');
  if (/^o\.\w+\s*=/.test(text)) throw notTaken('An option of Carbone', 'remove it');
  if (/^[#$]/.test(text)) throw notTaken('An alias of Carbone', 'write the whole path');
  if (!/^d\s*[.[:]/.test(text) && text !== 'd') throw notTaken(`“${text.slice(0, 20)}”`, 'begin with “d.”');
  const at = chainStart(text);
  const { arrays, path } = pathOf(text.slice(1, at));
  const chain = text.slice(at);
  const block = BLOCK.exec(chain);
  if (block !== null)
    return blockOf(block, path, withOwnPaths(chain.slice(0, block.index), path, false), arrays);
  const drop = DROP.exec(chain);
  if (drop !== null)
    return dropOf(drop, path + withOwnPaths(chain.slice(0, drop.index), path, false), arrays);
  const value = expressionOf(path + withOwnPaths(chain, path, arrays.length > 0), 'carbone');
  return arrays.length === 0
    ? { type: 'value', expression: value }
    : { type: 'value', expression: value, arrays };
}

/** A row, paragraph or table that a condition drops or keeps. */
function dropOf(
  [, what, unit = '']: RegExpExecArray,
  condition: string,
  arrays: readonly ArrayStep[],
): Instruction {
  const to = DROPPED.get(unit.trim());
  if (to === undefined || !CONDITION.test(condition) || arrays.some(({ isNext }) => isNext))
    throw notTaken(`This form of :${what}`, `write “:ifEM:${what}(row)”, or p or table`);
  const expression = expressionOf(`${condition}:show(true):elseShow(false)`, 'carbone');
  const variable = arrays.at(-1)?.name;
  return {
    ...{ type: 'attached', to, kind: what === 'drop' ? 'inverted' : 'if', expression },
    ...(variable !== undefined && { variable }),
  };
}

function blockOf(
  [, what, side]: RegExpExecArray,
  path: string,
  chain: string,
  arrays: readonly ArrayStep[],
): Instruction {
  if (side === 'End') return { type: 'close', name: '' };
  if (arrays.length > 0)
    throw notTaken('A condition over an item of an array', 'use a formatter with :show(…)');
  const isShown = what === 'show';
  if (!CONDITION.test(chain)) {
    const expression = expressionOf(path + chain, 'carbone');
    return { type: 'open', kind: isShown ? 'if' : 'inverted', name: '', expression };
  }
  const text = `${path}${chain}:show(${isShown}):elseShow(${!isShown})`;
  return { type: 'open', kind: 'if', name: '', expression: expressionOf(text, 'carbone') };
}

/** Where the formatters begin: the first colon outside brackets. */
function chainStart(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '[') depth++;
    if (text[at] === ']') depth--;
    if (text[at] === ':' && depth <= 0) return at;
  }
  return text.length;
}

interface Path {
  /** The path from the data, or from the variable of the innermost item. */
  path: string;
  arrays: readonly ArrayStep[];
}

/** Reads `.xs[i].a`, which names an item of each array by a variable. */
function pathOf(written: string): Path {
  if (/[[\]]/.test(written.replace(/\[[^[\]]*\]/g, ''))) throw new TagError('A bracket has no partner');
  const arrays: ArrayStep[] = [];
  let whole = 'd';
  let path = '';
  for (const [step, , bracketed] of written.matchAll(/([^[\]]+)|\[([^\]]*)\]/g)) {
    if (step.includes('..')) throw notTaken('“..” in a path', 'write the path from “d”');
    const inside = bracketed?.trim();
    const iterator = inside === undefined || INDEX.test(inside) ? undefined : ITERATOR.exec(inside);
    if (iterator === null) throw notTaken(`“[${inside}]”`, 'filter or sort with a formatter');
    if (iterator === undefined) {
      whole += step.replace(/\s/g, '');
      path += path === '' ? step.trim().replace(/^\./, '') : step.trim();
      continue;
    }
    const name = variableOf(whole);
    arrays.push({
      name,
      expression: expressionOf(path || '.', 'carbone'),
      isNext: iterator[1] !== undefined,
    });
    path = name;
    whole += '[]';
  }
  // A leading `d` would be read as the data.
  const isOwnName = arrays.length === 0 && /^d(?:\.|\[|$)/.test(path);
  return { path: isOwnName ? `d.${path}` : path || '.', arrays };
}

/** A variable name for the path of an array. Different paths have different names. */
function variableOf(path: string): string {
  const escaped = path.replace(
    /[^\p{L}\p{N}]/gu,
    (character) => `_${character.codePointAt(0)?.toString(16)}_`,
  );
  return `${escaped}_item`;
}

const OWN_PATH = /(["'])(?:(?!\1).)*\1|([(,]\s*)\.(?=[\p{L}_])/gu;

/** Completes arguments such as `.b`, which name a sibling of the value. */
function withOwnPaths(chain: string, path: string, isOfArray: boolean): string {
  const parent = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
  return chain.replace(OWN_PATH, (found, _quote, before) => {
    if (before === undefined || parent === '') return found;
    if (isOfArray)
      throw notTaken('An argument that begins with a dot, after “[i]”,', 'compute it in the data');
    return `${before}.${parent}.`;
  });
}
