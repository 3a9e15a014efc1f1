import { ExpressionError } from './errors.ts';
import type { Formatter } from './formatters/formatter.ts';
import { formatterNamed, nearName } from './formatters/table.ts';
import type { Expression, FormatterCall } from './syntax-tree.ts';

/** Methods of JavaScript and Python that mean the same as the formatter with their name. */
export const METHODS: ReadonlySet<string> = new Set([
  'upper',
  'lower',
  'title',
  'capitalize',
  'strip',
  'trim',
  'strftime',
  'toUpperCase',
  'toLowerCase',
  'toFixed',
  'firstCap',
  'netFormat',
  'join',
]);
export const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  none: null,
  None: null,
  undefined: null,
};
/** Methods that are computed where the data has no result of theirs. `format` is one of a text, and of a date. */
export const COMPUTED_METHODS: ReadonlySet<string> = new Set([
  'format',
  'split',
  'replace',
  'replaceAll',
  'comma_and_list',
  'startswith',
  'startsWith',
  'endswith',
  'endsWith',
]);

/** The formatter with a name; throws an ExpressionError with a near name for an unknown one. */
export function knownFormatter(name: string): Formatter {
  const formatter = formatterNamed(name);
  if (formatter !== undefined) return formatter;
  const near = nearName(name);
  throw new ExpressionError(
    `unknown formatter “${name}”${near === undefined ? '' : `; did you mean “${near}”?`}`,
  );
}

/** A use of a formatter, whose arguments are by place or by name (Jinja's `attribute='price'`). */
export function callOf(
  formatter: Formatter,
  positional: readonly Expression[],
  named: ReadonlyMap<string, Expression> = new Map(),
): FormatterCall {
  const { name, parameters = [], isVariadic } = formatter;
  if (positional.length > parameters.length && isVariadic === undefined) {
    throw new ExpressionError(`“${name}” takes ${countOf(parameters.length)}, not ${positional.length}`);
  }
  const args = positional.map((argument, index) =>
    parameters[index]?.kind === 'path' ? asPath(argument) : argument,
  );
  for (const [key, value] of named) {
    const index = parameters.findIndex((parameter) => parameter.name === key);
    if (index < 0 || args[index] !== undefined)
      throw new ExpressionError(`“${name}” takes no argument “${key}”`);
    args[index] = parameters[index]?.kind === 'path' ? asPath(value) : value;
  }
  const missing = parameters.find(({ isRequired }, index) => isRequired && args[index] === undefined);
  if (missing !== undefined) throw new ExpressionError(`“${name}” needs the argument “${missing.name}”`);
  return { formatter, args: Array.from(args, (argument) => argument ?? { kind: 'literal', value: null }) };
}

function countOf(count: number): string {
  return count === 0 ? 'no arguments' : count === 1 ? 'one argument' : `at most ${count} arguments`;
}

/** The names of properties of each item are written with quotes or without: `sum('price')`, `sum(price)`. */
function asPath(argument: Expression): Expression {
  if (argument.kind !== 'path') return argument;
  return { kind: 'literal', value: argument.steps.map(({ key }) => key).join('.') };
}
