import type { Inspector } from '@scriptorium/ooxml/package';

/** A Unicode script, and a character that every font for it contains. */
interface Script {
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

const SCRIPTS: readonly Script[] = NAMES.map(([name, sample]) => ({
  name,
  sample,
  pattern: new RegExp(`\\p{Script=${name}}`, 'u'),
}));

const BEYOND_LATIN = /[\u0370-\uffff]/;

/** Fonts have some emoji, and lack others. */
const EMOJI = /\p{Emoji_Presentation}/gu;
/** In all, with the scripts: fonts are asked for each. */
const FOUND_MAX = SCRIPTS.length + 20;

/** Adds the scripts of a text, except Latin, and its emoji to `found`. */
export function addScripts(found: Set<string>, text: string): void {
  if (!BEYOND_LATIN.test(text)) return;
  for (const { name, pattern } of SCRIPTS) if (!found.has(name) && pattern.test(text)) found.add(name);
  for (const [emoji] of text.matchAll(EMOJI)) {
    if (found.size >= FOUND_MAX) break;
    found.add(emoji);
  }
}

/** A character that every font for a script, or for an emoji, contains; undefined for another name. */
export function sampleOf(name: string): string | undefined {
  return SCRIPTS.find((script) => script.name === name)?.sample ?? name.match(EMOJI)?.[0];
}

/** Adds the scripts and the emoji of the text in these elements to `found`. */
export function surveyScripts(found: Set<string>, elements: readonly string[] = ['w:t']): Inspector {
  const text = (piece: string) => addScripts(found, piece);
  return { visit: () => Object.fromEntries(elements.map((name) => [name, { text }])) };
}
