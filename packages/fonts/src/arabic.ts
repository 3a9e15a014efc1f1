/** The isolated, final, initial and medial forms of a letter. A right-joining letter has only two. */
type Forms = number[];

const LIGATURES_FIRST = 0xfef5;
const LIGATURES_LAST = 0xfefc;
/** Presentation Forms-A and -B contain the forms of a letter consecutively, in the order of `Forms`. */
const BLOCKS: [number, number][] = [
  [0xfb50, 0xfbb1],
  [0xfbd3, 0xfbe7],
  [0xfbfc, 0xfbff],
  [0xfe80, 0xfef4],
];

const forms = new Map<string, Forms>();
for (const [first, last] of BLOCKS) {
  for (let code = first; code <= last; code++) {
    const letter = String.fromCharCode(code).normalize('NFKC');
    if (letter.length !== 1) continue;
    forms.set(letter, [...(forms.get(letter) ?? []), code]);
  }
}
const ligatures = new Map<string, Forms>();
for (let code = LIGATURES_FIRST; code <= LIGATURES_LAST; code += 2) {
  ligatures.set(String.fromCharCode(code).normalize('NFKC'), [code, code + 1]);
}

const ARABIC = /[\u0620-\u06ff]/;
const MARK = /\p{Mn}/u;
const TATWEEL = '\u0640';
const JOINER = '\u200d';

/** A character to draw, and the text that it represents. */
export interface Letter {
  shape: string;
  text: string;
}

/**
 * The characters of a text in reading order. Arabic letters become the presentation forms (Unicode, chapter 9.2) that
 * their neighbors require, so that fonts without shaping tables display them too.
 */
export function joinArabic(text: string): Letter[] {
  if (!ARABIC.test(text)) return Array.from(text, (character) => ({ shape: character, text: character }));
  const letters = withLigatures(Array.from(text));
  return letters.flatMap((letter, index) => {
    if (letter === JOINER) return [];
    const shapes = forms.get(letter) ?? ligatures.get(letter);
    if (!shapes) return [{ shape: letter, text: letter }];
    const joinsBefore = shapes.length > 1 && joinsOn(neighbor(letters, index, -1));
    const joinsAfter = shapes.length === 4 && joinsBack(neighbor(letters, index, 1));
    const form = (joinsBefore ? 1 : 0) + (joinsAfter ? 2 : 0);
    return [{ shape: String.fromCharCode(shapes[form] ?? shapes[0] ?? 0), text: letter }];
  });
}

/** Lam and a following alef form a ligature. */
function withLigatures(characters: string[]): string[] {
  const letters: string[] = [];
  for (const character of characters) {
    const pair = `${letters.at(-1)}${character}`;
    if (ligatures.has(pair)) letters.splice(-1, 1, pair);
    else letters.push(character);
  }
  return letters;
}

/** The next letter in a direction, without marks. */
function neighbor(letters: readonly string[], index: number, step: 1 | -1): string {
  let at = index + step;
  while (MARK.test(letters[at] ?? '')) at += step;
  return letters[at] ?? '';
}

const isJoiner = (letter: string): boolean => letter === TATWEEL || letter === JOINER;
const joinsOn = (letter: string): boolean => isJoiner(letter) || forms.get(letter)?.length === 4;
const joinsBack = (letter: string): boolean =>
  isJoiner(letter) || ligatures.has(letter) || (forms.get(letter)?.length ?? 0) > 1;
