import { docxWith } from '@scriptorium/shared/testing/fixtures/docx';

const SENTENCE =
  'The scribes of the house copied what they were given, line by line, and were not asked what they thought of it. ';
const PARAGRAPHS_A_PAGE = 11;

export interface BenchDocument {
  name: string;
  bytes: Buffer;
}

/** A document of about that many pages of plain text. `mark` is in its text, so that answers can be told apart. */
export function documentOf(pages: number, mark: string): Buffer {
  const count = pages * PARAGRAPHS_A_PAGE - 2;
  return docxWith(Array.from({ length: count }, (_, i) => `${mark} ${i + 1}. ${SENTENCE.repeat(3)}`));
}

export const DOCUMENTS: BenchDocument[] = [
  { name: '1 page', bytes: documentOf(1, 'one') },
  { name: '10 pages', bytes: documentOf(10, 'ten') },
];
