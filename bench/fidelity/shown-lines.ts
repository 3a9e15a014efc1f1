import { execFileSync } from 'node:child_process';
import { decodeReferences } from '@scriptorium/ooxml/xml';

const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;
/** Points. Lines whose middles are closer than this share of their height are one line. */
const SAME_LINE_SHARE = 0.35;
const HEIGHT_MIN = 4;
/** A gap wider than this many heights, of at least so many points, separates columns and cells. */
const GAP_HEIGHTS = 1.6;
const GAP_HEIGHT_MIN = 6;
/** A line is searched among the last ones only: words come from the top to the bottom. */
const OPEN_LINES = 6;
/** Signs of lists and hyphens differ by font and not by layout, and so do spaces and what does not show. */
const IGNORED = /[\s\p{Co}\p{Cc}\p{Cf}•·▪◦‣○●■□–—\-‐‑➢✓✔❖]/gu;

/** A word of a page. In points, from the left and the top. */
interface Word {
  text: string;
  left: number;
  right: number;
  middle: number;
  height: number;
}

/** A line of a page, or of a column or cell of it. */
export interface ShownLine {
  page: number;
  /** Without what `IGNORED` has. */
  text: string;
  words: Word[];
}

export interface ShownDocument {
  pages: number;
  lines: ShownLine[];
}

/** The lines of a PDF, as poppler finds its words. */
export function shownLines(pdf: string): ShownDocument {
  const html = execFileSync('pdftotext', ['-bbox', pdf, '-'], {
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pages = html.split('<page ').slice(1);
  return { pages: pages.length, lines: pages.flatMap((page, index) => linesOf(wordsOf(page), index)) };
}

function wordsOf(page: string): Word[] {
  const words: Word[] = [];
  const pattern = /<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)<\/word>/gs;
  for (const [, left, top, right, bottom, html = ''] of page.matchAll(pattern)) {
    const text = comparable(decodeReferences(html));
    if (text === '') continue;
    const middle = (Number(top) + Number(bottom)) / 2;
    words.push({
      text,
      left: Number(left),
      right: Number(right),
      middle,
      height: Number(bottom) - Number(top),
    });
  }
  return words.sort((a, b) => a.middle - b.middle);
}

const comparable = (text: string): string => text.normalize('NFKC').replace(IGNORED, '');

function linesOf(words: readonly Word[], page: number): ShownLine[] {
  const rows: Word[][] = [];
  for (const word of words) {
    const row = rows.slice(-OPEN_LINES).findLast(([first]) => first !== undefined && areLevel(first, word));
    if (row === undefined) rows.push([word]);
    else row.push(word);
  }
  return rows.flatMap((row) =>
    splitAtGaps(row.sort((a, b) => a.left - b.left)).map((part) => ({
      page,
      text: part.map(({ text }) => text).join(''),
      words: part,
    })),
  );
}

const areLevel = (first: Word, word: Word): boolean =>
  Math.abs(first.middle - word.middle) <
  SAME_LINE_SHARE * Math.max(HEIGHT_MIN, Math.min(word.height, first.height));

function splitAtGaps(row: readonly Word[]): Word[][] {
  const parts: Word[][] = [];
  let last: Word | undefined;
  for (const word of row) {
    const gap = last === undefined ? Number.POSITIVE_INFINITY : word.left - last.right;
    if (gap > GAP_HEIGHTS * Math.max(GAP_HEIGHT_MIN, word.height)) parts.push([word]);
    else parts.at(-1)?.push(word);
    last = word;
  }
  return parts;
}
