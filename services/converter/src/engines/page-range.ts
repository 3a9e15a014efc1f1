import { NoSuchPageError } from './engine.ts';

/**
 * Throws `NoSuchPageError` if a page, or the start of a range, lies behind the document's end. A range that only ends
 * behind it is cut, as printers do.
 */
export function requirePages(range: string, documentPages: number): void {
  for (const part of range.split(',')) {
    const first = Number(part.split('-')[0]);
    if (first > documentPages) throw new NoSuchPageError(first, documentPages);
  }
}
