import { LayoutCount } from './layout-count.ts';

/** Properties that Writer supports in HTML and that take no address. */
const PROPERTIES = new Set([
  'background-color',
  'border-collapse',
  'border-spacing',
  'clear',
  'color',
  'column-count',
  'column-gap',
  'direction',
  'display',
  'float',
  'height',
  'letter-spacing',
  'line-height',
  'list-style-type',
  'max-width',
  'min-height',
  'min-width',
  'orphans',
  'page-break-after',
  'page-break-before',
  'page-break-inside',
  'size',
  'table-layout',
  'vertical-align',
  'visibility',
  'white-space',
  'widows',
  'width',
  'word-spacing',
]);
const FAMILIES = /^(?:background|border|font|margin|padding|text)(?:-[a-z]+){0,3}$/;
const ADDRESSED = /^(?:background|border|list-style)-image/;

const VALUE_CHARS_MAX = 300;
const SELECTOR_CHARS_MAX = 1_000;
/** Further rules are omitted. Hand-written style sheets are shorter. */
const RULES_MAX = 20_000;
/** No backslash, brackets, colon or at sign. */
const VALUE = /^[\w\s#%.,'"+\-!/*\u0080-\uffff]*$/;
/** The name of a font may have brackets. */
const STRING = /"[^"]*"|'[^']*'/g;
/** A function has nothing between its name and its bracket (CSS Syntax 3, 4.3.4). */
const FUNCTION = /[\w\-\u0080-\uffff]\(|\\/;
const COLOR_FUNCTION = /\b(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\)/gi;
const SELECTOR = /^[\w\s.#,>:*\-\u0080-\uffff]+$/;
const PAGE_RULE = /^@page(?:\s+:(?:first|left|right))?$/i;

function isSafeValue(value: string): boolean {
  if (value.length > VALUE_CHARS_MAX || mayFetch(value)) return false;
  const plain = value.replace(COLOR_FUNCTION, '').replace(STRING, (text) => text.replace(/[()]/g, ''));
  return VALUE.test(plain);
}

/** Whether CSS has an escape, or a function that does not make a color. */
export const mayFetch = (css: string): boolean => FUNCTION.test(css.replace(COLOR_FUNCTION, ' '));

/** Called with the source text of each omission. */
export type OnOmitted = (text: string) => void;

/** The declarations of a style attribute or a rule that only format. */
export function safeDeclarations(css: string, onOmitted: OnOmitted): string {
  const kept: string[] = [];
  for (const declaration of css.split(';')) {
    const colon = declaration.indexOf(':');
    const name = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    const isKnown = PROPERTIES.has(name) || (FAMILIES.test(name) && !ADDRESSED.test(name));
    if (name === 'column-count') new LayoutCount().columns(value);
    if (isKnown && isSafeValue(value)) kept.push(`${name}: ${value}`);
    else if (declaration.includes('@') || mayFetch(declaration)) onOmitted(declaration.trim());
  }
  return kept.join('; ');
}

function withoutComments(css: string): string {
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

/** The offset after the block that opens at `open`, including nested blocks. */
function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    if (css[at] === '{') depth++;
    else if (css[at] === '}' && --depth === 0) return at + 1;
  }
  return css.length;
}

/** The rules of a style sheet with plain selectors and declarations, and its page rules, all without addresses. */
export function safeStyleSheet(text: string, onOmitted: OnOmitted): string {
  const css = withoutComments(text);
  const rules: string[] = [];
  const headEnds = /[{;]/g;
  for (let from = 0; from < css.length; from = headEnds.lastIndex) {
    headEnds.lastIndex = from;
    const headEnd = headEnds.exec(css)?.index;
    const head = css.slice(from, headEnd).trim();
    if (headEnd === undefined || css[headEnd] === ';') {
      if (head !== '') onOmitted(head);
      if (headEnd === undefined) break;
      continue;
    }
    const end = blockEnd(css, headEnd);
    headEnds.lastIndex = end;
    const isKept = PAGE_RULE.test(head) || (head.length <= SELECTOR_CHARS_MAX && SELECTOR.test(head));
    const declarations = isKept ? safeDeclarations(css.slice(headEnd + 1, end - 1), onOmitted) : '';
    if (!isKept) onOmitted(head);
    else if (declarations !== '') rules.push(`${head} { ${declarations} }`);
    if (rules.length > RULES_MAX) {
      onOmitted('further rules');
      break;
    }
  }
  return rules.join('\n');
}
