import { loadFile, type RenderedFile, type RenderedPdf } from './rendered-pdf.ts';

/** Pages beyond are counted, but not compared. */
const PAGES_MAX = 100;

/** The first difference of two documents; `page` counts from 0. */
export type DocumentDifference =
  | { what: 'page count'; pages: [number, number] }
  | { what: 'outline' }
  | { what: 'text' | 'links' | 'picture'; page: number };

/**
 * Compares the text, the links and the picture of each page of two PDFs, and their outlines. Returns the first difference; undefined if there is none.
 * Throws RenderingError.
 */
export async function compareDocuments(
  first: Uint8Array,
  second: Uint8Array,
): Promise<DocumentDifference | undefined> {
  const files: RenderedFile[] = [];
  const opened: RenderedPdf[] = [];
  try {
    for (const bytes of [first, second]) {
      const file = await loadFile(bytes);
      files.push(file);
      opened.push(file.open());
    }
    const [a, b] = opened as [RenderedPdf, RenderedPdf];
    if (a.pages !== b.pages) return { what: 'page count', pages: [a.pages, b.pages] };
    if (a.outline().join('\n') !== b.outline().join('\n')) return { what: 'outline' };
    for (let page = 0; page < Math.min(a.pages, PAGES_MAX); page++) {
      const what = comparePages(a, b, page);
      if (what !== undefined) return { what, page };
    }
    return undefined;
  } finally {
    for (const pdf of opened) pdf.close();
    for (const file of files) file.close();
  }
}

function comparePages(
  a: RenderedPdf,
  b: RenderedPdf,
  index: number,
): 'text' | 'links' | 'picture' | undefined {
  const pages = [a.page(index)];
  try {
    pages.push(b.page(index));
    const [text, otherText] = pages.map((page) => page.text());
    if (text !== otherText) return 'text';
    const [links, otherLinks] = pages.map((page) => page.links().join('\n'));
    if (links !== otherLinks) return 'links';
    const [picture, other] = pages.map((page) => page.render());
    const isSame =
      picture?.width === other?.width &&
      Buffer.compare(picture?.pixels ?? EMPTY, other?.pixels ?? EMPTY) === 0;
    return isSame ? undefined : 'picture';
  } finally {
    for (const page of pages) page.close();
  }
}

const EMPTY = new Uint8Array();
