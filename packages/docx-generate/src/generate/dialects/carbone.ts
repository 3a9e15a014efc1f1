import type { ArrayStep, Instruction } from '../instruction.ts';
import { type Dialect, expressionOf, notTaken, readEach, TagError } from './dialect.ts';

/** The marks of Carbone: `{d.a.b:f(x)}`, `{d.xs[i].a}` … `{d.xs[i+1].a}`, `{d.a:showBegin}` … `{d.a:showEnd}`. */
export const carbone: Dialect = {
  syntax: 'carbone',
  read(tags) {
    const aliases = new Aliases();
    return readEach(tags, (tag) => aliases.read(tag.inner.trim()));
  },
};

const ALIAS = /^#(\w+)(?:\(([^()]*)\))?\s*=\s*([\s\S]+)$/;
const USE = /\$(\w+)(?:\(([^()]*)\))?/g;
const ALIASES_DEPTH_MAX = 8;
const EXPANDED_CHARS_MAX = 2_000;

/** Texts that stand for others: `{#place = d.address.city}` … `{$place}`, also with parameters. */
class Aliases {
  readonly #known = new Map<string, { parameters: readonly string[]; text: string }>();

  read(text: string): Instruction {
    const [, name, parameters = '', value = ''] = ALIAS.exec(text) ?? [];
    if (name === undefined) return instructionOf(this.#expanded(text, 0));
    const names = parameters.split(',').map((parameter) => parameter.trim().replace(/^\$/, ''));
    this.#known.set(name, { parameters: names.filter((parameter) => parameter !== ''), text: value.trim() });
    return { type: 'comment' };
  }

  /** Takes the aliases out of a text. `room` are the characters that they may still have. */
  #expanded(text: string, depth: number, room = { chars: EXPANDED_CHARS_MAX }): string {
    if (!text.includes('$')) return text;
    return text.replace(USE, (found, name: string, args = '') => {
      const alias = this.#known.get(name);
      if (alias === undefined) throw new TagError(`Unknown alias “${found.slice(0, 20)}”`);
      const values = String(args).split(',');
      let whole = alias.text;
      for (const [index, parameter] of alias.parameters.entries()) {
        whole = whole.replaceAll(`$${parameter}`, values[index]?.trim() ?? '');
        room.chars -= whole.length;
      }
      room.chars -= whole.length;
      if (room.chars < 0 || depth > ALIASES_DEPTH_MAX) throw new TagError('Its aliases are too long');
      return this.#expanded(whole, depth + 1, room);
    });
  }
}

const BLOCK = /:(show|hide)(Begin|End)(?:\(\s*\))?$/;
/** The value is HTML. */
const MARKUP = /:html(?:\(\s*\))?\s*$/;
const DROP = /:(drop|keep)\(([^()]*)\)$/;
/** What `:drop(row)` and `:keep(row)` mean. */
const DROPPED: ReadonlyMap<string, 'row' | 'paragraph' | 'table'> = new Map([
  ['row', 'row'],
  ['p', 'paragraph'],
  ['table', 'table'],
]);
/** The iterator, and what sorts the items before it. A property alone shows each of its values once. */
const ITERATOR = /^([\p{L}_][\p{L}\p{N}_.]*)(\s*\+\s*1)?$/u;
const PLAIN = /^[ijk]\d?$/;
const COMPARISON = /[=<>]/;
/** What commas outside of texts divide. */
const PARTS = /(?:"[^"]*"|'[^']*'|[^,])+/g;
const INDEX = /^-?\d+$/;
const CONDITION = /:(?:if[A-Z]\w*|and|or)\b/;

function instructionOf(text: string): Instruction {
  if (/^c\s*[.[:(]/.test(text)) throw notTaken('The complement “c”', 'put its values into the data');
  if (/^t\s*\(/.test(text)) throw notTaken('A translation', 'write one template a language');
  if (/^o\.\w+\s*=/.test(text)) throw notTaken('An option of Carbone', 'remove it');
  if (!/^d\s*[.[:]/.test(text) && text !== 'd') throw notTaken(`“${text.slice(0, 20)}”`, 'begin with “d.”');
  const at = chainStart(text);
  const { arrays, path } = pathOf(text.slice(1, at));
  const chain = text.slice(at).replace(MARKUP, '');
  const as = MARKUP.test(text) ? { as: 'markup' as const } : {};
  const block = BLOCK.exec(chain);
  if (block !== null)
    return blockOf(block, path, withOwnPaths(chain.slice(0, block.index), path, false), arrays);
  const drop = DROP.exec(chain);
  if (drop !== null)
    return dropOf(drop, path + withOwnPaths(chain.slice(0, drop.index), path, false), arrays);
  const value = expressionOf(path + withOwnPaths(chain, path, arrays.length > 0), 'carbone');
  return arrays.length === 0
    ? { type: 'value', expression: value, ...as }
    : { type: 'value', expression: value, arrays, ...as };
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
    const iteration = inside === undefined || INDEX.test(inside) ? undefined : iterationOf(inside);
    if (iteration === undefined) {
      // An item that is searched, or all of them, as the expression has it.
      whole += step.replace(/\s/g, '');
      path += path === '' ? step.trim().replace(/^\./, '') : step.trim();
      continue;
    }
    const name = variableOf(whole);
    const { isNext, changes } = iteration;
    arrays.push({ name, expression: expressionOf((path || '.') + changes, 'carbone'), isNext, changes });
    path = name;
    whole += '[]';
  }
  // A leading `d` would be read as the data.
  const isOwnName = arrays.length === 0 && /^d(?:\.|\[|$)/.test(path);
  return { path: isOwnName ? `d.${path}` : path || '.', arrays };
}

/** What a bracket repeats. Undefined if it names one item, or all of them at once. */
function iterationOf(inside: string): { isNext: boolean; changes: string } | undefined {
  const parts = (inside.match(PARTS) ?? []).map((part) => part.trim());
  const conditions = parts.filter((part) => COMPARISON.test(part));
  const iterators = parts.filter((part) => part !== '' && !COMPARISON.test(part));
  const found = iterators.map((part) => ITERATOR.exec(part));
  if (iterators.length === 0) return undefined;
  if (found.some((iterator) => iterator === null))
    throw notTaken(`“[${inside}]”`, 'filter or sort with a formatter');
  const keys = found.map((iterator) => iterator?.[1] ?? '').filter((name) => !PLAIN.test(name));
  const isDistinct = keys.length > 0 && keys.length === iterators.length;
  const changes = [
    ...(conditions.length > 0 ? [`[?${conditions.join(', ')}]`] : []),
    ...keys.toReversed().map((key) => `[^${key}]`),
    ...(isDistinct ? keys.slice(-1).map((key) => `[!${key}]`) : []),
  ];
  return { isNext: found[0]?.[2] !== undefined, changes: changes.join('') };
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
