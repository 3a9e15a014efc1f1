import { Budget } from '@scriptorium/ooxml/bounds';
import { describeArchive, describeForeignFile } from '@scriptorium/ooxml/package';
import { type Archive, readArchive } from '@scriptorium/ooxml/zip';
import { SanitizerError } from '../sanitizer-error.ts';

/** Folders that tell Office packages from each other. */
const PACKAGE_FOLDERS: readonly (readonly [folder: string, kind: string])[] = [
  ['word/', 'a Word document (DOCX)'],
  ['xl/', 'an Excel workbook (XLSX)'],
  ['ppt/', 'a PowerPoint presentation (PPTX)'],
];

/** What a zip archive is, as a noun phrase. */
export function describeZip(archive: Archive, budget: Budget): string {
  if (!archive.has('[content_types].xml')) return describeArchive(archive, budget);
  const names = [...archive.keys()];
  const found = PACKAGE_FOLDERS.find(([folder]) => names.some((name) => name.startsWith(folder)));
  return found?.[1] ?? 'an Office package of another kind';
}

async function describe(bytes: Buffer): Promise<string> {
  if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') return describeForeignFile(bytes);
  const budget = new Budget();
  const archive = await readArchive(bytes, budget).catch(() => undefined);
  return archive === undefined ? 'a damaged ZIP archive' : describeZip(archive, budget);
}

/** Both are noun phrases: what the file seems to be, and what it should be. */
export function refusedAs(kind: string, expected: string): SanitizerError {
  return new SanitizerError('INVALID_FILE_FORMAT', `The file is ${kind}, not ${expected}.`);
}

/** The refusal of a file that is not of the format that it was sent as; names what it seems to be. */
export async function wrongFormat(bytes: Buffer, expected: string): Promise<SanitizerError> {
  if (bytes.length === 0) return new SanitizerError('INVALID_FILE_FORMAT', 'The file is empty.');
  return refusedAs(await describe(bytes), expected);
}

export function damaged(why: string, cause?: unknown): SanitizerError {
  return new SanitizerError('INVALID_FILE_FORMAT', `The document is damaged: ${why}.`, { cause });
}
