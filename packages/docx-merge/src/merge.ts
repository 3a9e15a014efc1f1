import { Budget } from '@scriptorium/ooxml/bounds';
import { writePackage } from '@scriptorium/ooxml/package';
import type { MergeOptions, MergePart } from './merge-options.ts';
import { MergedDocument } from './merged-document.ts';
import { contentWarnings, type MergeWarning } from './settings.ts';
import { openSource, type Source } from './source.ts';

export { MergeError } from './merge-error.ts';
export type { Break, MergeOptions, MergePart } from './merge-options.ts';
export type { MergeWarning } from './settings.ts';

export interface Merged {
  bytes: Buffer;
  warnings: MergeWarning[];
}

/**
 * Appends Word documents to the first one, each with its formatting. One document alone keeps its bytes,
 * unless it has active content. Throws MergeError
 * with the position of the document that cannot be read, and DOCUMENT_TOO_COMPLEX if all together exceed a bound.
 *
 * @example
 * import { minimalDocx, openPackage } from '@scriptorium/ooxml/package';
 * const source = minimalDocx('<w:p/>');
 * const options = { break: 'page', headers: 'keep', styles: 'keep', numbering: 'keep', pageNumbers: 'restart' };
 * const { bytes, warnings } = await merge([{ source }, { source }], options);
 * (await openPackage(bytes)).main.xml.split('<w:sectPr').length - 1 // 2
 */
export async function merge(parts: readonly MergePart[], options: MergeOptions): Promise<Merged> {
  const budget = new Budget();
  const [first, ...others] = await openAll(parts, budget);
  if (first === undefined) throw new Error('there is no document to merge');
  if (others.length === 0) return alone(first, parts[0]?.source ?? Buffer.alloc(0));
  const merged = new MergedDocument(first, others, options);
  for (const [at, source] of others.entries()) merged.append(source, parts[at + 1] ?? {});
  return { bytes: writePackage(merged.finish(), { isCompressed: true }), warnings: merged.warnings };
}

function alone(source: Source, given: Buffer): Merged {
  const warnings = contentWarnings(source);
  const bytes = warnings.length === 0 ? given : writePackage(source.document, { isCompressed: true });
  return { bytes, warnings };
}

async function openAll(parts: readonly MergePart[], budget: Budget) {
  const sources = [];
  for (const [at, { source }] of parts.entries()) sources.push(await openSource(source, at, budget));
  return sources;
}
