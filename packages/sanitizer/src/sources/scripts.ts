import type { Inspector } from '@scriptorium/ooxml/package';

/** A Unicode script, and a character that every font for it contains. */
export interface Script {
  name: string;
  sample: string;
  pattern: RegExp;
}

/** Scripts other than Latin, by their Unicode property (UAX #24). */
const NAMES: readonly (readonly [name: string, sample: string])[] = [
  ['Greek', 'α'],
  ['Cyrillic', 'я'],
  ['Armenian', 'ա'],
  ['Hebrew', 'א'],
  ['Arabic', 'ع'],
  ['Syriac', 'ܐ'],
  ['Thaana', 'ހ'],
  ['Devanagari', 'अ'],
  ['Bengali', 'অ'],
  ['Gurmukhi', 'ਅ'],
  ['Gujarati', 'અ'],
  ['Oriya', 'ଅ'],
  ['Tamil', 'அ'],
  ['Telugu', 'అ'],
  ['Kannada', 'ಅ'],
  ['Malayalam', 'അ'],
  ['Sinhala', 'අ'],
  ['Thai', 'ก'],
  ['Lao', 'ກ'],
  ['Tibetan', 'ཀ'],
  ['Myanmar', 'က'],
  ['Georgian', 'ა'],
  ['Hangul', '한'],
  ['Ethiopic', 'አ'],
  ['Cherokee', 'Ꭰ'],
  ['Khmer', 'ក'],
  ['Mongolian', 'ᠠ'],
  ['Hiragana', 'あ'],
  ['Katakana', 'ア'],
  ['Bopomofo', 'ㄅ'],
  ['Han', '中'],
];

export const SCRIPTS: readonly Script[] = NAMES.map(([name, sample]) => ({
  name,
  sample,
  pattern: new RegExp(`\\p{Script=${name}}`, 'u'),
}));

const BEYOND_LATIN = /[\u0370-\uffff]/;

/** Adds the scripts of the text in these elements, except Latin, to `found`. */
export function surveyScripts(found: Set<string>, elements: readonly string[] = ['w:t']): Inspector {
  const text = (piece: string) => {
    if (!BEYOND_LATIN.test(piece)) return;
    for (const { name, pattern } of SCRIPTS) if (!found.has(name) && pattern.test(piece)) found.add(name);
  };
  return { visit: () => Object.fromEntries(elements.map((name) => [name, { text }])) };
}
