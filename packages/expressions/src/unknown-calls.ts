import { stepOf } from './json.ts';
import { extended, type PathOptions, withKey } from './paths.ts';
import type { Expression, NameExpression, PathExpression } from './syntax-tree.ts';

/** The texts of a call and of the expression that it ends. */
interface Written {
  call: string;
  whole: string;
}

/** The text of a call as the data names it, with few spaces. */
export function callText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/ ?\| ?/g, '|');
}

/** A call whose result the data may have, by its text or at a path. Without `otherwise`, no language has it. */
export function unknownCall(
  text: string,
  path: PathExpression | undefined,
  { isSearchedWhole }: PathOptions,
  otherwise?: Expression,
): NameExpression {
  const facts = {
    isSearchedWhole,
    isLoose: false,
    ...(otherwise === undefined && { isCall: true as const }),
  };
  return { kind: 'name', name: stepOf(text), path, otherwise, ...facts };
}

/** A method, whose result may be a property of its object: `full()` of `person.name`. */
export function unknownMethod(
  object: Expression,
  { call, whole }: Written,
  options: PathOptions,
  otherwise?: Expression,
): NameExpression {
  const owner = object.kind === 'name' ? object.path : object;
  return unknownCall(whole, owner && extended(owner, call, options), options, otherwise);
}

/** `o.get("p", x)` of Python; `xs.includes(x)` of JavaScript and `xs.contains(x)` of Java. Undefined for others. */
export function lookedUp(
  object: Expression,
  name: string,
  [first, second, ...others]: readonly Expression[],
  isPython: boolean,
  options: PathOptions,
): Expression | undefined {
  if (first === undefined || others.length > 0) return undefined;
  if ((name === 'includes' || name === 'contains') && second === undefined)
    return { kind: 'comparison', operator: 'in', left: first, right: object };
  if (name !== 'get' || !isPython) return undefined;
  const own = withKey(object, first, options);
  return second === undefined ? own : { kind: 'else', left: own, right: second };
}

/** A filter, whose result may be a property beside its input: `price|net` of `item`. */
export function unknownFilter(
  input: Expression,
  { call, whole }: Written,
  options: PathOptions,
): NameExpression {
  const last = input.kind === 'path' && input.steps.length > 1 ? input.steps.at(-1)?.key : undefined;
  if (input.kind !== 'path' || last === undefined) return unknownCall(whole, undefined, options);
  const owner = { ...input, steps: input.steps.slice(0, -1) };
  return unknownCall(whole, extended(owner, `${last}|${call}`, options), options);
}
