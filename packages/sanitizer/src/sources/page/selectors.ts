import type { PageElement } from './tree.ts';

type Test = (element: PageElement) => boolean;
type Spend = (work: number) => void;
export type Pseudo = '' | 'before' | 'after';

interface Compound {
  /** What stands before it: a sign, or a space. */
  combinator: string;
  tests: Test[];
  /** The part that the fewest elements have, such as `#id`. */
  key: string;
}

export interface Selector {
  compounds: Compound[];
  pseudo: Pseudo;
  /** One number, for comparison (Selectors 4 §16). */
  specificity: number;
}

const IDENT = String.raw`(?:[\w\u0080-\uffff-]|\\[^\n])+`;
const ATTRIBUTE = String.raw`\[\s*(${IDENT})\s*(?:([~|^$*]?=)\s*("[^"]*"|'[^']*'|${IDENT})\s*(?:[is]\s*)?)?\]`;
/** A space, a sign, a name, an attribute or a pseudo-class. */
const TOKEN = new RegExp(
  String.raw`([ \t\r\n\f]+)|([,>+~*])|([#.]?)(${IDENT})|${ATTRIBUTE}|(::?)([a-z-]+)(?:\(([^()]{0,200})\))?`,
  'iy',
);
const ESCAPE = /\\(?:([\da-f]{1,6})[ \t\r\n\f]?|([^\n]))/gi;
const NTH = /^(?:([+-]?\d{0,6})n)?([+-]?\d{1,6})?$/;
const [ID, CLASS, NAME] = [2 ** 16, 2 ** 8, 1];

/** A text of CSS without its escapes (CSS Syntax 3 §4.3.7). */
export const unescaped = (css: string): string =>
  css.replace(ESCAPE, (_, hex?: string, sign?: string) => {
    const code = Number.parseInt(hex ?? '', 16);
    return sign ?? (code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd');
  });

/** States that a page on paper never has. */
const NEVER = /^(?:hover|focus|focus-within|focus-visible|active|visited|target)$/;
const IS_CONTROL = /^(?:input|select|textarea|button|option)$/;

function nth(formula: string, placeOf: (element: PageElement) => number): Test | undefined {
  const named = { odd: '2n+1', even: '2n' }[formula.trim().toLowerCase()];
  const match = NTH.exec(named ?? formula.replaceAll(' ', '').toLowerCase());
  if (match === null || match[0] === '') return undefined;
  const sign = match[1];
  const step = sign === undefined ? 0 : Number(/\d$/.test(sign) ? sign : `${sign}1`);
  const start = Number(match[2] ?? 0);
  return (element) => {
    const left = placeOf(element) - start;
    return step === 0 ? left === 0 : left % step === 0 && left / step >= 0;
  };
}

function pseudoClass(name: string, content: string, spend: Spend): Test | undefined {
  const fromEnd = ({ parent, place }: PageElement) => (parent?.last?.place ?? 0) - place + 1;
  if (NEVER.test(name)) return () => false;
  if (name === 'root') return (element) => element.name === 'html';
  if (name === 'link' || name === 'any-link') return (element) => element.attributes.href !== undefined;
  if (name === 'checked')
    return ({ attributes: { checked, selected } }) => (checked ?? selected) !== undefined;
  if (name === 'disabled') return (element) => element.attributes.disabled !== undefined;
  if (name === 'enabled')
    return (element) => IS_CONTROL.test(element.name) && element.attributes.disabled === undefined;
  if (name === 'first-child') return (element) => element.place === 1;
  if (name === 'last-child') return (element) => fromEnd(element) === 1;
  if (name === 'only-child') return (element) => element.place === 1 && fromEnd(element) === 1;
  if (name === 'empty') return (element) => element.children.length === 0;
  if (name === 'nth-child') return nth(content, (element) => element.place);
  if (name === 'nth-last-child') return nth(content, fromEnd);
  if (name !== 'not') return undefined;
  const inner = selectorsOf(content, spend);
  const isPlain = inner.every((selector) => selector?.compounds.length === 1 && selector.pseudo === '');
  if (!isPlain) return undefined;
  return (element) =>
    inner.every((selector) => !selector?.compounds[0]?.tests.every((test) => test(element)));
}

function attributeTest(name: string, sign: string | undefined, wanted: string, spend: Spend): Test {
  return ({ attributes }) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    // A search for `aaab` in many `a` compares each of its letters.
    spend(((value?.length ?? 0) * (sign === '*=' ? wanted.length : 1)) / 100);
    if (value === undefined || sign === undefined) return value !== undefined;
    if (sign === '=') return value === wanted;
    if (wanted === '') return false;
    if (sign === '^=') return value.startsWith(wanted);
    if (sign === '$=') return value.endsWith(wanted);
    if (sign === '*=') return value.includes(wanted);
    return sign === '~='
      ? value.split(/\s/).includes(wanted)
      : value === wanted || value.startsWith(`${wanted}-`);
  };
}

const rankOf = (key: string): number => ['*', undefined, '.', '#'].indexOf(/^[*.#]/.exec(key)?.[0]);

/** The selectors of a list. Those that are not understood are undefined. */
export function selectorsOf(list: string, spend: Spend): (Selector | undefined)[] {
  const selectors: (Selector | undefined)[] = [];
  const text = list.trim();
  let compound: Compound = { combinator: '', tests: [], key: '*' };
  let selector: Selector = { compounds: [compound], pseudo: '', specificity: 0 };
  let isUnderstood = true;
  const begin = () => {
    selectors.push(isUnderstood && compound.tests.length > 0 ? selector : undefined);
    compound = { combinator: '', tests: [], key: '*' };
    selector = { compounds: [compound], pseudo: '', specificity: 0 };
    isUnderstood = true;
  };
  const combine = (sign: string) => {
    if (compound.tests.length > 0) {
      compound = { combinator: sign, tests: [], key: '*' };
      selector.compounds.push(compound);
    } else if (sign !== ' ') compound.combinator = sign;
  };
  const add = (test: Test | undefined, specificity: number, key?: string) => {
    if (test === undefined) isUnderstood = false;
    else compound.tests.push(test);
    selector.specificity += specificity;
    if (key !== undefined && rankOf(key) > rankOf(compound.key)) compound.key = key;
  };
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    at = token === null ? at + 1 : TOKEN.lastIndex;
    const [, space, sign, prefix, ident, attribute, compare, wanted = '', colons, pseudo, content = ''] =
      token ?? [];
    if (token === null) isUnderstood = false;
    else if (sign === ',') begin();
    else if (sign === '*') add(() => true, 0);
    else if (space !== undefined || sign !== undefined) combine(sign ?? ' ');
    else if (ident !== undefined) addName(prefix ?? '', unescaped(ident), add);
    else if (attribute !== undefined)
      add(
        attributeTest(attribute.toLowerCase(), compare, unescaped(wanted.replace(/^["']|["']$/g, '')), spend),
        CLASS,
      );
    else if (pseudo === 'before' || pseudo === 'after') {
      selector.pseudo = pseudo;
      add(() => true, NAME);
    } else if (colons === '::') add(pseudo === 'marker' ? undefined : () => false, NAME);
    else add(pseudoClass(pseudo?.toLowerCase() ?? '', content, spend), CLASS);
  }
  begin();
  return selectors;
}

function addName(
  prefix: string,
  ident: string,
  add: (test: Test, specificity: number, key: string) => void,
): void {
  const name = ident.toLowerCase();
  if (prefix === '#') add((element) => element.attributes.id === ident, ID, `#${ident}`);
  else if (prefix === '.') add((element) => element.classes.has(ident), CLASS, `.${ident}`);
  else add((element) => element.name === name, NAME, name);
}

/** Whether the compounds up to `at` fit the element. `spend` counts the work, which is not linear, and throws. */
export function isMatch(
  element: PageElement | undefined,
  compounds: readonly Compound[],
  spend: Spend,
  at = compounds.length - 1,
): boolean {
  const compound = compounds[at];
  if (compound === undefined) return true;
  spend(compound.tests.length);
  if (element?.parent === undefined || !compound.tests.every((test) => test(element))) return false;
  const next = (other: PageElement | undefined) => isMatch(other, compounds, spend, at - 1);
  if (at === 0) return true;
  if (compound.combinator === '>') return next(element.parent);
  if (compound.combinator === '+') return next(element.before);
  const step = compound.combinator === '~' ? 'before' : 'parent';
  for (let other = element[step]; other !== undefined; other = other[step]) if (next(other)) return true;
  return false;
}
