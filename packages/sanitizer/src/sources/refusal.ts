import { Budget } from '@scriptorium/ooxml/bounds';
import { describeArchive, describeForeignFile } from '@scriptorium/ooxml/package';
import { type Archive, readArchive } from '@scriptorium/ooxml/zip';
import { SanitizerError } from '../sanitizer-error.ts';

/** Folders that distinguish the types of Office packages. */
const PACKAGE_FOLDERS: readonly (readonly [folder: string, kind: string])[] = [
  ['word/', 'a Word document (DOCX)'],
  ['xl/', 'an Excel workbook (XLSX)'],
  ['ppt/', 'a PowerPoint presentation (PPTX)'],
];

/** Describes the content of a ZIP archive as a noun phrase. */
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

const withoutArticle = (kind: string): string => kind.replace(/^an? /, '');

/** `kind` and `expected` are noun phrases: the detected and the declared format, which may be the same. */
export function refusedAs(kind: string, expected: string): SanitizerError {
  if (withoutArticle(kind) === withoutArticle(expected))
    return damaged(`it begins like ${expected}, but the rest does not belong to one`);
  return new SanitizerError('INVALID_FILE_FORMAT', `The file is ${kind}, not ${expected}.`);
}

/** The error for a file that is not in its declared format. Names the detected format. */
export async function wrongFormat(bytes: Buffer, expected: string): Promise<SanitizerError> {
  if (bytes.length === 0) return new SanitizerError('INVALID_FILE_FORMAT', 'The file is empty.');
  return refusedAs(await describe(bytes), expected);
}

/** The error for a document whose password the service does not open. `kind` is a noun phrase with an article. */
export function protectedByPassword(kind: string): SanitizerError {
  const accepted = 'Only packages that Word, Excel and PowerPoint write are opened with a password.';
  return new SanitizerError(
    'DOCUMENT_ENCRYPTED',
    `The file is ${kind}, protected by a password. ${accepted}`,
  );
}

export function damaged(why: string, cause?: unknown): SanitizerError {
  return new SanitizerError('INVALID_FILE_FORMAT', `The document is damaged: ${why}.`, { cause });
}
