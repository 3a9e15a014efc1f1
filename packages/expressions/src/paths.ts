import { type Step, stepOf } from './json.ts';
import type { Expression, LoopField, NameExpression, PathExpression } from './syntax-tree.ts';

/** The names that docxtemplater, Jinja, poi-tl and docx-templates give to the position in a loop. */
const LOOP_NAMES: Readonly<Record<string, LoopField>> = {
  _index: 'index0',
  $index: 'index0',
  $idx: 'index0',
  'loop.index': 'index',
  'loop.index0': 'index0',
  'loop.first': 'first',
  'loop.last': 'last',
  'loop.length': 'length',
  'loop.revindex': 'rest',
  'loop.revindex0': 'rest0',
  'loop.key': 'key',
  'forloop.index': 'index',
  'forloop.index0': 'index0',
  'forloop.first': 'first',
  'forloop.last': 'last',
  'forloop.length': 'length',
  'forloop.rindex': 'rest',
  'forloop.rindex0': 'rest0',
  _is_first: 'first',
  _is_last: 'last',
  _has_next: 'next',
  _is_even_item: 'even',
  _is_odd_item: 'odd',
  $first: 'first',
  $last: 'last',
  $isFirst: 'first',
  $isLast: 'last',
  $key: 'key',
  '@index': 'index0',
  '@first': 'first',
  '@last': 'last',
  '@key': 'key',
};

const THIS_NAMES: ReadonlySet<string> = new Set(['this', '#this', '@this', '@root']);

/** What all paths of one syntax have in common. */
export interface PathOptions {
  isSearchedWhole: boolean;
  isLoose?: boolean;
}

/** A path from the names of its steps. A first step such as `this` is the value of the scope. */
export function pathOf(names: readonly string[], options: PathOptions, up = 0): PathExpression {
  const isThis = names.length === 0 || THIS_NAMES.has(names[0] ?? '');
  const own = names.length > 0 && isThis ? names.slice(1) : names;
  const whole = own.join('.');
  const [first = ''] = own;
  return {
    kind: 'path',
    steps: own.map(stepOf),
    isThis,
    // The data is outside of all.
    up: names[0] === '@root' ? Number.POSITIVE_INFINITY : up,
    variable: !isThis && /^\$./.test(first) ? first.slice(1) : undefined,
    loop: !isThis && Object.hasOwn(LOOP_NAMES, whole) ? LOOP_NAMES[whole] : undefined,
    isSearchedWhole: options.isSearchedWhole,
    isLoose: options.isLoose === true,
  };
}

/** The path with one step more, or undefined if the expression is not a path with a known key. */
export function extended(path: Expression, key: string, options: PathOptions): PathExpression | undefined {
  if (path.kind !== 'path') return undefined;
  const own = path.steps.map((step: Step) => step.key);
  return pathOf([...(path.isThis ? ['this'] : []), ...own, key], options, path.up);
}

/** A name is of letters, digits and some signs, and does not end in what looks like an operator. */
const NAME = /^[\p{L}\p{N}_#$@][\p{L}\p{N}\p{M}_ \u00A0.'’#/&°ºª,()$@-]*$/u;
const NAME_END = /[\p{L}\p{N}\p{M}_.#°ºª$)]$/u;
const CALL = /[\p{L}\p{N}_$]\(/u;
const OPERATOR_WORD = /^(?:and|or|not|in|is|if|else)\s|\s(?:and|or|not|in|is|if|else)$/;
/** In Jinja, words make operators too often for a name to have one. */
const INNER_OPERATOR = /\s(?:and|or|not|in|is|if|else)\s/;

/** Whether a text can be the name of a property rather than an expression with a mistake. */
export function isName(text: string, syntax: string): boolean {
  return (
    NAME.test(text) &&
    NAME_END.test(text) &&
    !CALL.test(text) &&
    !text.includes('..') &&
    !OPERATOR_WORD.test(text) &&
    !(syntax === 'jinja' && INNER_OPERATOR.test(text))
  );
}

/** An expression that looks for a property with the name `text` first. */
export function nameOf(
  text: string,
  otherwise: Expression | undefined,
  options: PathOptions,
): NameExpression {
  const parts = text.split('.');
  const isPath = parts.length > 1 && isName(text, '') && parts.every((part) => part.trim() !== '');
  return {
    kind: 'name',
    name: stepOf(text),
    isSearchedWhole: options.isSearchedWhole,
    isLoose: options.isLoose === true,
    path: isPath
      ? pathOf(
          parts.map((part) => part.trim()),
          options,
        )
      : undefined,
    otherwise,
  };
}

/** The property of an object with a name, which may be computed. */
export function withKey(object: Expression, key: Expression, options: PathOptions): Expression {
  const name = key.kind === 'literal' && key.value !== null ? String(key.value) : undefined;
  const path = name === undefined ? undefined : extended(object, name, options);
  return path ?? { kind: 'member', object, key };
}
