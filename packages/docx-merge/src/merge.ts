import { Budget } from '@scriptorium/ooxml/bounds';
import { writePackage } from '@scriptorium/ooxml/package';
import { MergedDocument } from './merged-document.ts';
import type { MergeWarning } from './settings.ts';
import { openSource } from './source.ts';

export { MergeError } from './merge-error.ts';
export type { MergeWarning } from './settings.ts';

export type Break = 'page' | 'odd' | 'even' | 'continuous';

export interface MergePart {
  source: Buffer;
  /** These take the place of the options of the whole. */
  break?: Break | undefined;
  headers?: 'keep' | 'first' | undefined;
}

export interface MergeOptions {
  /** How a document begins after the one before it. */
  break: Break;
  /** `keep`: each document has its own headers and footers. `first`: the others take those of the first. */
  headers: 'keep' | 'first';
  /** `keep`: each looks as it did. `first`: a style of the same name takes the look of the first document. */
  styles: 'keep' | 'first';
  /** `keep`: lists, captions and notes of each document begin again. `continue`: they go on. */
  numbering: 'keep' | 'continue';
  /** `keep`: as in each document. `continue`: through the whole. `restart`: each document begins at 1. */
  pageNumbers: 'keep' | 'continue' | 'restart';
}

export interface Merged {
  bytes: Buffer;
  warnings: MergeWarning[];
}

/**
 * Appends Word documents to the first one, each with its formatting. One document alone keeps its bytes. Throws MergeError
 * with the position of the document that cannot be read, and DOCUMENT_TOO_COMPLEX if all together exceed a bound.
 */
export async function merge(parts: readonly MergePart[], options: MergeOptions): Promise<Merged> {
  const budget = new Budget();
  const [first, ...others] = await openAll(parts, budget);
  if (first === undefined) throw new Error('there is no document to merge');
  if (others.length === 0) return { bytes: parts[0]?.source ?? Buffer.alloc(0), warnings: [] };
  const merged = new MergedDocument(first, others, options);
  for (const [at, source] of others.entries()) merged.append(source, parts[at + 1] ?? {});
  return { bytes: writePackage(merged.finish(), { isCompressed: true }), warnings: merged.warnings };
}

async function openAll(parts: readonly MergePart[], budget: Budget) {
  const sources = [];
  for (const [at, { source }] of parts.entries()) sources.push(await openSource(source, at, budget));
  return sources;
}
