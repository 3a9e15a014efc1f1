import { pixelsDiffering } from './pixels.ts';
import { sameLines } from './same-lines.ts';
import { type ShownLine, shownLines } from './shown-lines.ts';

/** How far a PDF is from that of Office. */
export interface Distance {
  pagesOfOffice: number;
  pages: number;
  linesOfOffice: number;
  /** Lines of Office with the same text here. */
  sameLines: number;
  /** Those that are on the same page, too. */
  onSamePage: number;
  /** The distances of the words in those lines, points. */
  wordsMoved: number[];
  /** Characters that only the PDF of Office has. */
  lostCharacters: number;
  /** Share of the pixels with ink. */
  pixelsDiffering: number;
}

/** Compares the PDF that Office made of a document with another one. Both are paths. */
export function distance(ofOffice: string, other: string): Distance {
  const [first, second] = [shownLines(ofOffice), shownLines(other)];
  const pairs = sameLines(first.lines, second.lines).map(([at, otherAt]) => [
    first.lines[at],
    second.lines[otherAt],
  ]);
  const onSamePage = pairs.filter(([one, two]) => one?.page === two?.page);
  return {
    pagesOfOffice: first.pages,
    pages: second.pages,
    linesOfOffice: first.lines.length,
    sameLines: pairs.length,
    onSamePage: onSamePage.length,
    wordsMoved: onSamePage.flatMap(([one, two]) => (one && two ? moves(one, two) : [])),
    lostCharacters: lost(first.lines, second.lines),
    pixelsDiffering: pixelsDiffering(ofOffice, other, Math.min(first.pages, second.pages)),
  };
}

/** The distances of words with the same text, if the lines have the same words. */
function moves(one: ShownLine, two: ShownLine): number[] {
  if (one.words.length !== two.words.length) return [];
  return one.words.flatMap((word, index) => {
    const other = two.words[index];
    if (other?.text !== word.text) return [];
    return Math.hypot(other.left - word.left, other.middle - word.middle);
  });
}

function lost(first: readonly ShownLine[], second: readonly ShownLine[]): number {
  const counts = new Map<string, number>();
  const add = (lines: readonly ShownLine[], step: number) => {
    for (const { text } of lines)
      for (const character of text) counts.set(character, (counts.get(character) ?? 0) + step);
  };
  add(first, 1);
  add(second, -1);
  return [...counts.values()].reduce((sum, count) => sum + Math.max(0, count), 0);
}
