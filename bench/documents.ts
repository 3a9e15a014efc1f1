import { docxWith } from '@scriptorium/testing/fixtures/docx';

const WORDS =
  'the scribes of house copied what they were given line by and not asked thought it vellum ink quill gold margin'.split(
    ' ',
  );
const PARAGRAPHS_A_PAGE = 11;
const WORDS_A_PARAGRAPH = 62;

export interface DocumentKind {
  name: string;
  pages: number;
}

export const KINDS: DocumentKind[] = [
  { name: '1 page', pages: 1 },
  { name: '10 pages', pages: 10 },
];

let made = 0;

/** A linear congruential generator: the harness uses the same documents in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ; state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
    yield state >>> 8;
}

/**
 * A new plain-text document of about that many pages. An engine that caches layouts must not profit from a hundred
 * identical documents, which no real caller sends.
 */
export function makeDocument({ pages }: DocumentKind): Buffer {
  const random = numbers(++made);
  const word = () => WORDS[random.next().value % WORDS.length] ?? '';
  const paragraphs = Array.from(
    { length: pages * PARAGRAPHS_A_PAGE - 2 },
    (_, index) => `${made}.${index} ${Array.from({ length: WORDS_A_PARAGRAPH }, word).join(' ')}`,
  );
  return docxWith(paragraphs);
}
