import { AppError } from '../errors.ts';
import { describeForeignFile, isCompoundFile, isEncryptedPackage } from './foreign-file.ts';
import { decodeXml, startTags, XmlError } from './xml-tags.ts';
import { readZipDirectory, readZipEntry, type ZipDirectory } from './zip-directory.ts';

const PART_BYTES_MAX = 1024 * 1024;
const CONTENT_TYPES = '[content_types].xml';
const PACKAGE_RELATIONSHIPS = '_rels/.rels';

/** The relationship from a package to its main part: transitional, and ISO/IEC 29500 Strict. */
const OFFICE_DOCUMENT = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument',
  'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument',
]);

/** Content types of a main part that is a Word document: DOCX, DOTX, DOCM, DOTM. */
const WORD_MAIN_TYPES = new Set([
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml',
  'application/vnd.ms-word.document.macroenabled.main+xml',
  'application/vnd.ms-word.template.macroenabledtemplate.main+xml',
]);

const OTHER_MAIN_TYPES: readonly (readonly [part: string, kind: string])[] = [
  ['spreadsheetml', 'an Excel workbook (XLSX)'],
  ['ms-excel', 'an Excel workbook (XLSX)'],
  ['presentationml', 'a PowerPoint presentation (PPTX)'],
  ['ms-powerpoint', 'a PowerPoint presentation (PPTX)'],
  ['visio', 'a Visio drawing (VSDX)'],
];

const OPEN_DOCUMENT_KINDS: readonly (readonly [type: string, kind: string])[] = [
  ['opendocument.text', 'an OpenDocument text (ODT)'],
  ['opendocument.spreadsheet', 'an OpenDocument spreadsheet (ODS)'],
  ['opendocument.presentation', 'an OpenDocument presentation (ODP)'],
  ['epub', 'an e-book (EPUB)'],
];

function notWord(kind: string): AppError {
  return new AppError('INVALID_FILE_FORMAT', `The file is ${kind}, not a Word document (DOCX).`);
}

function damaged(why: string, cause?: unknown): AppError {
  return new AppError('INVALID_FILE_FORMAT', `The DOCX is damaged: ${why}.`, { cause });
}

/** What a zip archive without `[Content_Types].xml` seems to be. */
function describeArchive(bytes: Buffer, directory: ZipDirectory): string {
  const mimetype = directory.get('mimetype');
  if (mimetype === undefined) return 'a ZIP archive';
  const type = readZipEntry(bytes, mimetype, PART_BYTES_MAX).toString('latin1');
  return OPEN_DOCUMENT_KINDS.find(([part]) => type.includes(part))?.[1] ?? 'a ZIP archive';
}

function readTags(bytes: Buffer, directory: ZipDirectory, name: string) {
  const entry = directory.get(name);
  if (entry === undefined) throw damaged(`it has no ${name}`);
  try {
    return [...startTags(decodeXml(readZipEntry(bytes, entry, PART_BYTES_MAX)))];
  } catch (error) {
    if (error instanceof XmlError) throw damaged(`${entry.fileName} holds ${error.message}`, error);
    throw error;
  }
}

/** A relationship's target, relative to the package, as a lower-case part name without the leading slash. */
function partName(target: string): string {
  try {
    return decodeURIComponent(new URL(target, 'http://package/').pathname.slice(1)).toLowerCase();
  } catch (cause) {
    throw damaged('the relationship to its main part has a malformed target', cause);
  }
}

function mainPartName(bytes: Buffer, directory: ZipDirectory): string {
  for (const { name, attributes } of readTags(bytes, directory, PACKAGE_RELATIONSHIPS)) {
    const isMain = name === 'Relationship' && OFFICE_DOCUMENT.has(attributes.get('Type') ?? '');
    if (!isMain || attributes.get('TargetMode') === 'External') continue;
    const part = partName(attributes.get('Target') ?? '');
    if (!directory.has(part)) throw damaged('its main part is missing');
    return part;
  }
  throw damaged('no relationship leads to its main part');
}

/** The content type of a part: its Override, else its extension's Default (ECMA-376-2 §7.2.3.5). */
function contentType(bytes: Buffer, directory: ZipDirectory, part: string): string {
  let type = '';
  for (const { name, attributes } of readTags(bytes, directory, CONTENT_TYPES)) {
    const given = attributes.get('ContentType')?.trim().toLowerCase() ?? '';
    if (name === 'Override' && attributes.get('PartName')?.toLowerCase() === `/${part}`) return given;
    const extension = attributes.get('Extension')?.toLowerCase();
    if (name === 'Default' && extension !== undefined && part.endsWith(`.${extension}`)) type = given;
  }
  return type;
}

/**
 * Says that a file is a Word document (DOCX, DOTX, DOCM or DOTM), by its bytes alone; its name and media type are
 * not asked. Throws AppError: INVALID_FILE_FORMAT with what the file seems to be, DOCUMENT_ENCRYPTED, or
 * DOCUMENT_TOO_COMPLEX where the archive itself passes a bound. The document's own parts are not looked into.
 */
export async function identifyDocument(bytes: Uint8Array): Promise<'docx'> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length === 0) throw new AppError('INVALID_FILE_FORMAT', 'The file is empty.');
  if (isCompoundFile(buffer) && isEncryptedPackage(buffer)) {
    throw new AppError(
      'DOCUMENT_ENCRYPTED',
      'The document is protected by a password or by rights management.',
    );
  }
  if (buffer.toString('latin1', 0, 4) !== 'PK\x03\x04') throw notWord(describeForeignFile(buffer));
  const directory = await readZipDirectory(buffer);
  if (!directory.has(CONTENT_TYPES)) throw notWord(describeArchive(buffer, directory));
  const type = contentType(buffer, directory, mainPartName(buffer, directory));
  if (WORD_MAIN_TYPES.has(type)) return 'docx';
  const other = OTHER_MAIN_TYPES.find(([part]) => type.includes(part));
  throw notWord(other?.[1] ?? 'an Office package of another kind');
}
