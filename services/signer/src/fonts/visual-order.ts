import { joinArabic } from './arabic.ts';

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LEFT_TO_RIGHT = /\p{L}|\p{N}/u;
const DIGIT = /\p{Nd}/u;
const MIRRORED: Record<string, string> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '<': '>',
  '>': '<',
  '{': '}',
  '}': '{',
};

type Direction = 'left' | 'right' | 'number' | 'neutral';

function directionOf(character: string): Direction {
  if (DIGIT.test(character)) return 'number';
  if (RIGHT_TO_LEFT.test(character)) return 'right';
  return LEFT_TO_RIGHT.test(character) ? 'left' : 'neutral';
}

interface Run {
  isRight: boolean;
  characters: string[];
}

/** What lies between two runs of one direction belongs to them, else to the line. */
function runsOf(characters: readonly string[], isLineRight: boolean): Run[] {
  const directions = characters.map(directionOf);
  const strong = directions.map((direction) =>
    direction === 'right' ? true : direction === 'left' ? false : undefined,
  );
  const runs: Run[] = [];
  const next: (boolean | undefined)[] = new Array(strong.length);
  let following: boolean | undefined;
  for (let at = strong.length - 1; at >= 0; at--) {
    following = strong[at] ?? following;
    next[at] = following;
  }
  let before: boolean | undefined;
  for (const [at, character] of characters.entries()) {
    before = strong[at] ?? before;
    const isRight =
      strong[at] ??
      (directions[at] === 'number' ? before === true : before === next[at] ? before : isLineRight);
    const run = runs.at(-1);
    if (run && run.isRight === (isRight ?? isLineRight)) run.characters.push(character);
    else runs.push({ isRight: isRight ?? isLineRight, characters: [character] });
  }
  return runs;
}

/** A run from right to left as it is set from the left; numbers in it keep their order. */
function reversed(characters: readonly string[]): string {
  const turned = characters
    .map((character) => MIRRORED[character] ?? character)
    .reverse()
    .join('');
  return turned.replace(/\p{Nd}[\p{Nd}.,:/]*\p{Nd}/gu, (number) => [...number].reverse().join(''));
}

/**
 * A line of text in the order in which its glyphs are set, from the left: the Unicode Bidirectional Algorithm (UAX #9)
 * without explicit embeddings, which names and reasons do not have.
 */
export function inVisualOrder(text: string): string {
  if (!RIGHT_TO_LEFT.test(text)) return text;
  const characters = [...joinArabic(text)];
  const first = characters
    .map(directionOf)
    .find((direction) => direction === 'left' || direction === 'right');
  const isLineRight = first === 'right';
  const runs = runsOf(characters, isLineRight);
  const ordered = isLineRight ? runs.reverse() : runs;
  return ordered.map((run) => (run.isRight ? reversed(run.characters) : run.characters.join(''))).join('');
}
