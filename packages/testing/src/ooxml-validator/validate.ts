import { readParts } from './archive-parts.ts';
import { checkIds } from './id-rules.ts';
import { checkRelationships } from './relationship-rules.ts';
import { checkSchema } from './schema-rules.ts';

/**
 * The faults of a DOCX, each as a sentence with the part and the place. Empty if Word and LibreOffice should open it without a
 * repair. It uses other readers (yauzl, saxes) than the code that writes documents.
 */
export async function faultsOf(docx: Buffer): Promise<string[]> {
  const faults: string[] = [];
  const parts = await readParts(docx, faults);
  faults.push(...checkRelationships(parts), ...checkIds(parts), ...checkSchema(parts));
  return faults;
}

/** The faults of a document that its source document does not have. */
export async function newFaultsOf(before: Buffer, after: Buffer): Promise<string[]> {
  const known = new Set(await faultsOf(before));
  return (await faultsOf(after)).filter((fault) => !known.has(fault));
}
