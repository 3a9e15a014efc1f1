import { readParts } from './archive-parts.ts';
import { checkIds } from './id-rules.ts';
import { checkRelationships } from './relationship-rules.ts';
import { checkSchema } from './schema-rules.ts';

/**
 * What is wrong with a DOCX, each as a sentence with the part and the place; nothing where Word and LibreOffice should
 * open it without a repair. It reads with other readers (yauzl, saxes) than the code that writes documents.
 */
export async function faultsOf(docx: Buffer): Promise<string[]> {
  const faults: string[] = [];
  const parts = await readParts(docx, faults);
  faults.push(...checkRelationships(parts), ...checkIds(parts), ...checkSchema(parts));
  return faults;
}

/** Of a document that was made of another: what is wrong with it and was not before. */
export async function newFaultsOf(before: Buffer, after: Buffer): Promise<string[]> {
  const known = new Set(await faultsOf(before));
  return (await faultsOf(after)).filter((fault) => !known.has(fault));
}
