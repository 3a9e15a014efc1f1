import { callOf, knownFormatter } from './calls.ts';
import { ExpressionError } from './errors.ts';
import { pathOf } from './paths.ts';
import type { Comparison, Condition, Expression, Link } from './syntax-tree.ts';
import { quoted } from './tokens.ts';

const CONDITIONS: ReadonlySet<string> = new Set<Condition>([
  'ifEQ',
  'ifNE',
  'ifGT',
  'ifGTE',
  'ifLT',
  'ifLTE',
  'ifIN',
  'ifNIN',
  'ifEM',
  'ifNEM',
]);
/** Older formatters with the message among their arguments. */
const MATCHES: Readonly<Record<string, Condition>> = { ifEqual: 'ifEQ', ifContain: 'ifIN', ifEmpty: 'ifEM' };
const PATHS = { isSearchedWhole: false };
const STEP = /\[\s*(?:(-?\d+)|(["'“”‘’][^\]]*["'“”‘’])|([?^!]?)([^\]]*))\s*\]|\.([^.:[\]]+)/uy;
/** What commas outside of texts divide. */
const PARTS = /(?:"[^"]*"|'[^']*'|[^,])+/g;
const CONDITION = /^([\p{L}_][\p{L}\p{N}_.]*)\s*(=|!=|<=|>=|<|>)\s*([\s\S]+)$/u;
const NAME = /\s*([\p{L}_][\p{L}\p{N}_]*)\s*/uy;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Parses Carbone's `d.price:mul(.quantity):formatN(2)`. The first step may be `d`, the data. An argument without
 * quotes is a text, except numbers and paths that start with a dot, `d.` or `$`.
 */
export function parseChain(text: string): Expression {
  let at = /[:]/u.exec(text)?.index ?? text.length;
  let input: Expression = carbonePath(text.slice(0, at).trim());
  const links: Link[] = [];
  while (at < text.length) {
    NAME.lastIndex = at + 1;
    const name = text.charAt(at) === ':' ? NAME.exec(text)?.[1] : undefined;
    if (name === undefined) throw new ExpressionError(`unexpected “${text.slice(at, at + 20)}”`);
    at = NAME.lastIndex;
    const { args, end } = text.charAt(at) === '(' ? carboneArguments(text, at + 1) : { args: [], end: at };
    at = end;
    if (name === 'count') input = numbered(links, args);
    else links.push(linkOf(name, args));
  }
  return links.length === 0 ? input : { kind: 'chain', input, links };
}

/** `d.id:count(1)` numbers the items of a loop. */
function numbered(links: readonly Link[], args: readonly Expression[]): Expression {
  if (links.length > 0 || args.length > 1)
    throw new ExpressionError('“count” must follow the path, with one number');
  const right = args[0] ?? ({ kind: 'literal', value: 1 } as const);
  const left = pathOf(['loop', 'index0'], PATHS);
  return { kind: 'arithmetic', operator: '+', left, right, isOfText: false };
}

function linkOf(name: string, args: readonly Expression[]): Link {
  const [value, message, isContinued] = args;
  if (CONDITIONS.has(name)) return { type: 'if', condition: name as Condition, value };
  if (name === 'and' || name === 'or') return { type: name, value };
  if (name === 'show' || name === 'elseShow') {
    if (value === undefined) throw new ExpressionError(`“${name}” needs a text`);
    return { type: name, value };
  }
  const condition = Object.hasOwn(MATCHES, name) ? MATCHES[name] : undefined;
  if (condition === undefined) return { type: 'format', ...callOf(knownFormatter(name), args) };
  const [compared, shown, flag] =
    condition === 'ifEM' ? [undefined, value, message] : [value, message, isContinued];
  if (shown === undefined) throw new ExpressionError(`“${name}” needs a text`);
  const isFlagSet = flag?.kind === 'literal' && (flag.value === true || flag.value === 'true');
  return { type: 'match', condition, value: compared, message: shown, isContinued: isFlagSet };
}

/** A path such as `d.items[0].name`, `.name`, `..name`, `$x.name`, or with brackets that search, filter or sort. */
function carbonePath(text: string): Expression {
  const dots = /^\.+/.exec(text)?.[0].length ?? 0;
  const first = /^[^.[\]]+/.exec(text.slice(dots))?.[0] ?? '';
  if (first === '' && text !== '.' && text[dots] !== '[')
    throw new ExpressionError(`unexpected “${text.slice(0, 20)}”`);
  let names = [first.trim()];
  let list: Expression | undefined;
  let isOfAll = false;
  const read = (): Expression => {
    const object = list ?? rootOf(names, dots);
    if (list === undefined) return object;
    if (isOfAll)
      return { kind: 'each', what: 'map', list: object, variable: undefined, body: ownPath(names) };
    return names.reduce<Expression>(
      (whole, name) => ({ kind: 'member', object: whole, key: { kind: 'literal', value: name } }),
      object,
    );
  };
  STEP.lastIndex = dots + first.length;
  while (STEP.lastIndex < text.length) {
    const from = STEP.lastIndex;
    const match = STEP.exec(text);
    const [, index, key, sign, inside, name] = match ?? [];
    if (match === null || (inside !== undefined && isOfAll))
      throw new ExpressionError(`“${text.slice(from, from + 20)}” in a path is not supported`);
    if (inside === undefined) names.push(index ?? key?.slice(1, -1) ?? name?.trim() ?? '');
    else {
      isOfAll = inside.trim() === '';
      list = isOfAll ? read() : changed(read(), sign ?? '', inside);
      names = [];
    }
  }
  return read();
}

function rootOf(names: readonly string[], dots: number): Expression {
  const [root, ...rest] = names;
  const isRoot = dots === 0 && root === 'd';
  const isOwn = dots === 1 && root !== '';
  if (isRoot && rest.length === 0) return pathOf(['this'], PATHS);
  return pathOf(
    isRoot ? rest : isOwn || root === '' ? ['this', ...names.filter(Boolean)] : names,
    PATHS,
    Math.max(0, dots - 1),
  );
}

function ownPath(names: readonly string[]): Expression {
  return pathOf(['this', ...names], PATHS);
}

/** `[a=1]` is the first item of which this is true, `[?a=1]` all of them. `[^a]` sorts, `[!a]` drops what has the same `a`. */
function changed(list: Expression, sign: string, inside: string): Expression {
  if (sign === '^' || sign === '!') {
    const attribute: Expression = { kind: 'literal', value: inside.trim() };
    return {
      kind: 'format',
      input: list,
      ...callOf(knownFormatter(sign === '^' ? 'sort' : 'unique'), [attribute]),
    };
  }
  const tests = (inside.match(PARTS) ?? ['']).map((written): Expression => {
    const [, left = '', operator = '', right = ''] = CONDITION.exec(written.trim()) ?? [];
    if (left === '') throw new ExpressionError(`“[${inside}]” in a path is not supported`);
    const compared = /^\.[^.]/.test(right) ? ownPath(right.slice(1).split('.')) : literalOf(right);
    const sameSign = operator === '=' ? '==' : (operator as Comparison);
    return { kind: 'comparison', operator: sameSign, left: ownPath(left.split('.')), right: compared };
  });
  const body = tests.reduce((left, right) => ({ kind: 'and', left, right }));
  return { kind: 'each', what: sign === '?' ? 'filter' : 'find', list, variable: undefined, body };
}

function literalOf(written: string): Expression {
  const text = quoted(written, 0);
  if (text !== undefined) return { kind: 'literal', value: text.value };
  if (written.startsWith('..'))
    throw new ExpressionError(`“${written.slice(0, 20)}” is not supported in brackets`);
  return argumentOf(written.trim());
}

/** Arguments up to the closing parenthesis, and the offset after it. */
function carboneArguments(text: string, from: number): { args: Expression[]; end: number } {
  const args: Expression[] = [];
  let at = from;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    const token = quoted(text, at);
    const raw = token === undefined ? (/^[^,)]*/.exec(text.slice(at))?.[0] ?? '') : '';
    at = token?.end ?? at + raw.length;
    while (/\s/.test(text.charAt(at))) at++;
    const sign = text.charAt(at);
    if (sign !== ',' && sign !== ')') throw new ExpressionError('“)” is missing');
    if (token !== undefined) args.push({ kind: 'literal', value: token.value });
    else if (raw.trim() !== '' || sign === ',' || args.length > 0) args.push(argumentOf(raw.trim()));
    at++;
    if (sign === ')') return { args, end: skipSpace(text, at) };
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text.charAt(at))) at++;
  return at;
}

function argumentOf(raw: string): Expression {
  if (NUMBER.test(raw)) return { kind: 'literal', value: Number(raw) };
  if (raw === 'true' || raw === 'false') return { kind: 'literal', value: raw === 'true' };
  if (/^(?:\.+[\p{L}_]|d\.|\$[\p{L}_])/u.test(raw)) return carbonePath(raw);
  return { kind: 'literal', value: raw };
}
