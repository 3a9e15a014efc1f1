import type { Counters } from './counters.ts';
import type { Look } from './look.ts';
import { numeral } from './numerals.ts';
import { unescaped } from './selectors.ts';
import type { PageElement } from './tree.ts';

const PART =
  /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|attr\(\s*([\w-]{1,100})\s*\)|([\w-]+(?:\([^()]*\))?)|\//g;
/** Signs that only the font of the page has. */
const PRIVATE = '\ue000';
const ICON = /[\ue000-\uf8ff]/;
/** Quotation marks by language, outside and inside (CLDR). */
const QUOTES: readonly (readonly [language: RegExp, marks: string])[] = [
  [/^(?:de|cs|sk|bg|hr|sl|et|lt|is)\b/, '„“‚‘'],
  [/^fr\b/, '«»«»'],
  [/^(?:es|it|pt|el|ca)\b/, '«»“”'],
  [/^(?:ru|uk|be)\b/, '«»„“'],
  [/^(?:pl|ro|hu)\b/, '„”«»'],
  [/^(?:nb|nn|no|da)\b/, '«»‘’'],
  [/^(?:sv|fi)\b/, '””’’'],
  [/^(?:ja|zh-(?:hant|tw))\b/, '「」『』'],
];

export function quoteOf({ language, quotes }: Look, isEnd: boolean): string {
  const marks = QUOTES.find(([languages]) => languages.test(language))?.[1] ?? '“”‘’';
  return marks.charAt((quotes > 1 ? 2 : 0) + (isEnd ? 1 : 0));
}

/** The text of `counter()` or `counters()`. Undefined for others. */
function textOfCounter(call: string, counters: Counters): string | undefined {
  const [kind = '', ...rest] = call.match(/"[^"]*"|'[^']*'|[\w-]+/g) ?? [];
  if (!/^counters?$/i.test(kind) || !call.includes('(')) return undefined;
  const [name = '', separator, named] = kind.length === 'counter'.length ? [rest[0], '', rest[1]] : rest;
  const numbers = counters.valuesOf(name).map((value) => numeral(value, named?.toLowerCase() ?? 'decimal'));
  const isKnown = !/^pages?$/.test(name) && !numbers.includes(undefined);
  if (!isKnown) return undefined;
  return kind.length === 'counter'.length
    ? numbers.at(-1)
    : numbers.join(unescaped(separator?.slice(1, -1) ?? ''));
}

/** The text of a `content`. Empty if it cannot be shown; `onLost` gets it. */
export function textOfContent(
  content: string,
  { attributes }: PageElement,
  look: Look,
  counters: Counters,
  onLost: (content: string) => void,
): string {
  let text = '';
  for (const [part, double, single, attribute, word] of content.matchAll(PART)) {
    if (part === '/') break;
    if (attribute !== undefined) text += attributes[attribute.toLowerCase()] ?? '';
    else if (word === 'open-quote' || word === 'close-quote') text += quoteOf(look, word === 'close-quote');
    else if (word === undefined) text += unescaped((double ?? single ?? '').replaceAll('\\\n', ''));
    else if (!/^(?:none|normal|inherit|initial|unset|no-open-quote|no-close-quote)$/.test(word))
      text += textOfCounter(word, counters) ?? PRIVATE;
  }
  if (!ICON.test(text)) return text;
  onLost(`content: ${content}`);
  return '';
}
