import type { Dialect } from '../template/dialect.ts';

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The order of children in the schema (ECMA-376-1 §17.3.2.28, §17.3.1.26). */
const ORDERS = {
  rPr: names(`rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof
    snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl
    cs em lang eastAsianLayout specVanish oMath`),
  pPr: names(`pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs
    suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd
    snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment
    textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange`),
} as const;

/** Tags, comments and the like, with values of attributes as a whole. */
const TAG = /<!--[\s\S]*?-->|<(\/?)([^\s/>!?]+)(?:[^>"']|"[^"]*"|'[^']*')*>/g;

/** Run or paragraph properties that were read from a template once, and can be written with changes many times. */
export class Properties {
  readonly #kind: keyof typeof ORDERS;
  readonly #dialect: Dialect;
  readonly #source: string;
  /** The children in order, with their local names. Those in other namespaces keep their whole names. */
  readonly #children: readonly (readonly [name: string, source: string])[];

  /** `source` is the element or empty. */
  constructor(kind: keyof typeof ORDERS, source: string, dialect: Dialect) {
    this.#kind = kind;
    this.#dialect = dialect;
    this.#source = source;
    this.#children = childrenOf(source);
  }

  has(name: string): boolean {
    return this.#children.some(([own]) => own === name);
  }

  /**
   * The element with these children instead of its own, in the order of the schema; an empty text removes a child.
   * `kept` are the only own children that stay, if given. Empty if nothing is left.
   */
  with(changes: Readonly<Record<string, string>>, kept?: readonly string[]): string {
    const own = this.#children.filter(
      ([name]) => !Object.hasOwn(changes, name) && (kept === undefined || kept.includes(name)),
    );
    const added = Object.entries(changes).filter(([, source]) => source !== '');
    if (added.length === 0 && own.length === this.#children.length) return this.#source;
    const order = ORDERS[this.#kind];
    const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
    const all = [...own, ...added].sort(([one], [other]) => rank(one) - rank(other));
    const content = all.map(([, source]) => source).join('');
    return content === '' ? '' : this.#dialect.element(this.#kind, {}, content);
  }
}

function childrenOf(source: string): [string, string][] {
  const children: [string, string][] = [];
  let depth = 0;
  let prefix = '';
  let start = 0;
  for (const match of source.matchAll(TAG)) {
    const [tag, slash, name] = match;
    if (name === undefined) continue;
    const isEmpty = tag.endsWith('/>');
    if (slash === '/') depth--;
    else if (depth === 0) prefix = name.slice(0, name.indexOf(':') + 1);
    else if (depth === 1) start = match.index;
    if (slash === '' && !isEmpty) depth++;
    const isEnd = depth === 1 && (slash === '/' || isEmpty);
    if (!isEnd) continue;
    const local = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    children.push([local, source.slice(start, match.index + tag.length)]);
  }
  return children;
}
