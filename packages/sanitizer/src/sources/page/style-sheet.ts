/** A declaration of a rule or a style attribute. The name is in small letters. */
export interface Declaration {
  name: string;
  value: string;
  source: string;
}

/** A rule with its selectors, or a page rule. */
export interface StyleRule {
  head: string;
  declarations: Declaration[];
}

/** Called with the source text of each omission. */
export type OnOmitted = (text: string) => void;

/** Further rules are omitted. Hand-written style sheets are shorter. */
const RULES_MAX = 20_000;
const NESTED_MAX = 4;
/** Signs with a meaning, and texts in quotes as a whole, which end with their line. */
const SIGN = /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|\\[\s\S]|[(){};]/g;
/** The width of a page for media queries, CSS pixels: Letter without margins, as browsers print. */
const PAGE_WIDTH = 739;
const FEATURE = /^\(\s*([a-z-]+)\s*(?::\s*([\w.-]+)\s*)?\)$/;
const FEATURES: Readonly<Record<string, (value: string) => boolean | undefined>> = {
  'min-width': (value) => compare(value, (width) => width <= PAGE_WIDTH),
  'max-width': (value) => compare(value, (width) => width >= PAGE_WIDTH),
  'min-device-width': (value) => compare(value, (width) => width <= PAGE_WIDTH),
  'max-device-width': (value) => compare(value, (width) => width >= PAGE_WIDTH),
  orientation: (value) => value === 'portrait',
  'prefers-color-scheme': (value) => value === 'light',
  hover: (value) => value === 'none',
};

function compare(value: string, test: (width: number) => boolean): boolean | undefined {
  const [, width, unit] = /^([\d.]{1,10})(px|r?em)$/.exec(value) ?? [];
  return width === undefined ? undefined : test(Number(width) * (unit === 'px' ? 1 : 16));
}

/** Whether one query is true on paper. Undefined if it asks for something else. */
function isTrue(query: string): boolean | undefined {
  const [first = '', ...rest] = query
    .trim()
    .toLowerCase()
    .split(/\band\b/)
    .map((part) => part.trim());
  const [, not, type = ''] = /^(?:(not|only)\s+)?([a-z]*)$/.exec(first) ?? [];
  const isType = first.startsWith('(') || type === '' || type === 'all' || type === 'print';
  const results = (first.startsWith('(') ? [first, ...rest] : rest).map((condition) => {
    const [, name = '', value = ''] = FEATURE.exec(condition) ?? [];
    return Object.hasOwn(FEATURES, name) ? FEATURES[name]?.(value) : undefined;
  });
  const isOther = !isType || results.includes(false);
  if (!isOther && results.includes(undefined)) return undefined;
  return not === 'not' ? isOther : !isOther;
}

/** The same for a list of queries, of which one is enough. */
export function isOnPaper(queries: string): boolean | undefined {
  const results = queries.slice(0, 1_000).split(',').map(isTrue);
  return results.includes(true) || (results.includes(undefined) ? undefined : false);
}

export function declarationsOf(css: string): Declaration[] {
  const found: Declaration[] = [];
  const add = (source: string) => {
    const colon = source.indexOf(':');
    const name = source.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    found.push({ name, value: source.slice(colon + 1).trim(), source: source.trim() });
  };
  let start = 0;
  let depth = 0;
  for (const { 0: sign, index } of css.matchAll(SIGN)) {
    if (sign === '(') depth++;
    if (sign === ')') depth = Math.max(0, depth - 1);
    if (sign !== ';' || depth > 0) continue;
    add(css.slice(start, index));
    start = index + 1;
  }
  add(css.slice(start));
  return found;
}

export function withoutComments(css: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = css.indexOf('/*'); at !== -1; at = css.indexOf('/*', from)) {
    pieces.push(css.slice(from, at));
    const end = css.indexOf('*/', at + 2);
    from = end === -1 ? css.length : end + 2;
  }
  pieces.push(css.slice(from));
  return pieces.join(' ').replaceAll('<!--', ' ').replaceAll('-->', ' ');
}

/** The rules that count on paper, of a style sheet without comments. */
export function* rulesOf(css: string, onOmitted: OnOmitted, depth = 0): Generator<StyleRule> {
  let count = 0;
  let start = 0;
  let open = 0;
  let head: string | undefined;
  for (const { 0: sign, index } of css.matchAll(SIGN)) {
    if (sign === '{' && open++ === 0) {
      head = css.slice(start, index).trim();
      start = index + 1;
    } else if (sign === '}' && open > 0 && --open === 0) {
      if (++count > RULES_MAX) return onOmitted('further rules');
      yield* blockOf(head ?? '', css.slice(start, index), onOmitted, depth);
      start = index + 1;
    } else if (sign === ';' && open === 0) {
      const rule = css.slice(start, index).trim();
      if (rule !== '') onOmitted(rule);
      start = index + 1;
    }
  }
  if (open > 0) yield* blockOf(head ?? '', css.slice(start), onOmitted, depth);
  else if (css.slice(start).trim() !== '') onOmitted(css.slice(start).trim());
}

function* blockOf(head: string, block: string, onOmitted: OnOmitted, depth: number): Generator<StyleRule> {
  const media = /^@media\b/i.test(head) ? isOnPaper(head.slice('@media'.length)) : undefined;
  if (media === false) return;
  if (media === true && depth < NESTED_MAX) yield* rulesOf(block, onOmitted, depth + 1);
  else if (head.startsWith('@') && !/^@page\b/i.test(head)) onOmitted(head);
  else yield { head, declarations: declarationsOf(block) };
}
