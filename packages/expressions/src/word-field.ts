import { ExpressionError } from './errors.ts';
import { nameOf, type PathOptions, pathOf } from './paths.ts';
import type { Expression, FormatterCall } from './syntax-tree.ts';

const SWITCH = /\s*\\([@#*!bfmv])\s*(?:"([^"]*)"|“([^”“]*)[”“]|([^\s\\]*))/uy;
const PATH = /^[\p{L}_$][\p{L}\p{N}\p{M}_$]*(?:\.[\p{L}\p{N}\p{M}_$]+|\[\d{1,9}\])*$/u;
const INERT: ReadonlySet<string> = new Set(['!', 'm', 'v']);

/**
 * Parses what a Word field or control names: a path or the name of a property, with field switches after it (ECMA-376-1
 * §17.16.4): `amount \# "0.00" \* MERGEFORMAT`. It has no operators.
 */
export function parseField(
  text: string,
  options: PathOptions,
  call: (name: string, args: readonly Expression[]) => FormatterCall,
): Expression {
  const at = /\s\\[@#*!bfmv]/u.exec(text)?.index ?? text.length;
  const name = text
    .slice(0, at)
    .trim()
    .replace(/^["“](.*)["”]$/u, '$1');
  if (name === '') throw new ExpressionError('the field names no data');
  const path = PATH.test(name) ? pathOf(name.split(/[.[\]]+/).filter(Boolean), options) : undefined;
  const isPlain = path !== undefined && path.steps.length === 1;
  return withSwitches(isPlain ? path : nameOf(name, path, options), text.slice(at), call);
}

/** A value with the switches of a field, such as `\@ "dd.MM.yyyy"`, `\# "0.00"` and `\* Upper`. */
function withSwitches(
  expression: Expression,
  switches: string,
  call: (name: string, args: readonly Expression[]) => FormatterCall,
): Expression {
  let result = expression;
  SWITCH.lastIndex = 0;
  while (SWITCH.lastIndex < switches.trimEnd().length) {
    const from = SWITCH.lastIndex;
    const match = SWITCH.exec(switches);
    if (match === null)
      throw new ExpressionError(`unexpected “${switches.slice(from, from + 20).trim()}” in a field`);
    const [, sign = '', quoted, typographic, bare = ''] = match;
    const argument: Expression = { kind: 'literal', value: quoted ?? typographic ?? bare };
    const name = { '@': 'wordDate', '#': 'wordNumber', '*': 'wordCase', b: 'wordBefore', f: 'wordAfter' }[
      sign
    ];
    if (name !== undefined) result = { kind: 'format', input: result, ...call(name, [argument]) };
    else if (!INERT.has(sign)) throw new ExpressionError(`unknown switch “\\${sign}”`);
  }
  return result;
}
