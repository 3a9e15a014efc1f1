import { isArray, type Json, looseStep, type Step, stepInto } from './json.ts';
import type { LoopField, NameExpression, PathExpression } from './syntax-tree.ts';

/** A value with its place in the data: `data.items[3]`. */
export interface Bound {
  value: Json | undefined;
  path: string;
}

/** The data that names are looked up in: innermost first, then outwards. */
export interface Scope {
  /** The object whose properties are names, and the value of `.`. */
  value: Json | undefined;
  /** The place of the value in the request: `data`, `data.items[3]`. */
  path: string;
  outer?: Scope;
  /** Names that come before the properties of the value. `$x` names the variable `x` too. */
  variables?: Map<string, Bound>;
  /** The position of an item in its loop, from 0. */
  loop?: { index: number; length: number; key?: string };
}

/** Gives a value a name in the rest of the item of a loop, or of the whole: as in Jinja. If it is global, of the whole. */
export function assign(name: string, value: Bound, scope: Scope, isGlobal = false): void {
  let owner = scope;
  while ((isGlobal || owner.variables === undefined) && owner.outer !== undefined) owner = owner.outer;
  owner.variables?.set(name, value);
}

/** A value and its place. A missing value is undefined. */
export type Evaluation = Bound;

/** The value of the nearest variable or property with a name; for docxtemplater, the nearest that is not null. */
export function findName(
  { name, isSearchedWhole, isLoose }: NameExpression,
  scope: Scope,
): Evaluation | undefined {
  let empty: Evaluation | undefined;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const variable = at.variables?.get(name.key);
    if (variable !== undefined) return variable;
    const { value } = at;
    const { key, suffix } = isLoose ? looseStep(value, name) : name;
    if (typeof value !== 'object' || value === null || isArray(value) || !Object.hasOwn(value, key)) continue;
    const own = value[key];
    if (own !== null || !isSearchedWhole) return { value: own, path: at.path + suffix };
    empty ??= { value: null, path: at.path + suffix };
  }
  return empty;
}

/** The value of a path. A path that leads nowhere has the place where the innermost scope would have it. */
export function findPath(path: PathExpression, scope: Scope): Evaluation {
  const { steps, isThis, up, isLoose } = path;
  let start: Scope = scope;
  for (let skipped = 0; skipped < up && start.outer !== undefined; skipped++) start = start.outer;
  if (isThis) return follow(start, steps, isLoose);
  let nearest: Evaluation | undefined;
  const [first, ...others] = steps;
  if (first === undefined) return { value: undefined, path: scope.path };
  for (let at: Scope | undefined = start; at !== undefined; at = at.outer) {
    if (at.variables !== undefined) {
      const variable = variableOf(path, first, at.variables);
      if (variable !== undefined) return follow(variable, others, isLoose);
    }
    const own = isLoose ? looseStep(at.value, first) : first;
    const value = propertyOf(at.value, own);
    if (value !== undefined) {
      const found = follow({ value, path: at.path + own.suffix }, others, isLoose);
      if (!path.isSearchedWhole || (found.value !== undefined && found.value !== null)) return found;
      nearest ??= found;
    }
    if (path.loop !== undefined && at.loop !== undefined) return loopField(path.loop, at);
  }
  return nearest ?? { value: undefined, path: start.path + steps.map(({ suffix }) => suffix).join('') };
}

function variableOf(
  { variable }: PathExpression,
  first: Step,
  variables: ReadonlyMap<string, Bound>,
): Bound | undefined {
  const exact = variables.get(first.key);
  return exact === undefined && variable !== undefined ? variables.get(variable) : exact;
}

/** Names are properties of objects, and indexes of arrays; a text or an array does not lend its `length`. */
function propertyOf(value: Json | undefined, step: Step): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return isArray(value) && step.index === undefined ? undefined : stepInto(value, step);
}

function follow(from: Bound, steps: readonly Step[], isLoose: boolean): Evaluation {
  let { value, path } = from;
  for (const named of steps) {
    const step = isLoose ? looseStep(value, named) : named;
    value = stepInto(value, step);
    path += step.suffix;
  }
  return { value, path };
}

function loopField(field: LoopField, { loop, path }: Scope): Evaluation {
  const { index = 0, length = 0, key } = loop ?? {};
  const fields: Record<LoopField, Json | undefined> = {
    index: index + 1,
    index0: index,
    first: index === 0,
    last: index === length - 1,
    length,
    rest: length - index,
    rest0: length - index - 1,
    next: index < length - 1,
    // poi-tl counts from 0: the first item is even.
    even: index % 2 === 0,
    odd: index % 2 === 1,
    key,
  };
  return { value: fields[field], path };
}
