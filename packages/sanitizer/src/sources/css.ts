import { LayoutCount } from './layout-count.ts';
import {
  type Declaration,
  type OnOmitted,
  rulesOf,
  type StyleRule,
  withoutComments,
} from './page/style-sheet.ts';

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
  'white-space',
  'widows',
  'width',
  'word-spacing',
]);
const FAMILIES = /^(?:background|border|font|margin|padding|text)(?:-[a-z]+){0,3}$/;
const ADDRESSED = /^(?:background|border|list-style)-image/;

const VALUE_CHARS_MAX = 300;
const SELECTOR_CHARS_MAX = 1_000;
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

/** The declarations that only format. */
export function safeDeclarations(declarations: readonly Declaration[], onOmitted: OnOmitted): string {
  const kept: string[] = [];
  for (const { name, value, source } of declarations) {
    const isKnown = PROPERTIES.has(name) || (FAMILIES.test(name) && !ADDRESSED.test(name));
    if (name === 'column-count') new LayoutCount().columns(value);
    if (isKnown && isSafeValue(value)) kept.push(`${name}: ${value}`);
    else if (source.includes('@') || mayFetch(source)) onOmitted(source);
  }
  return kept.join('; ');
}

/** The rules with plain selectors and declarations, and page rules, all without addresses. */
export function safeRules(rules: Iterable<StyleRule>, onOmitted: OnOmitted): string {
  const kept: string[] = [];
  for (const { head, declarations } of rules) {
    const isKept = PAGE_RULE.test(head) || (head.length <= SELECTOR_CHARS_MAX && SELECTOR.test(head));
    const safe = isKept ? safeDeclarations(declarations, onOmitted) : '';
    if (!isKept) onOmitted(head);
    else if (safe !== '') kept.push(`${head} { ${safe} }`);
  }
  return kept.join('\n');
}

/** The same for the text of a style sheet. */
export const safeStyleSheet = (css: string, onOmitted: OnOmitted): string =>
  safeRules(rulesOf(withoutComments(css), onOmitted), onOmitted);
