import type { Budget } from './bounds.ts';
import { type Archive, unpackEntry } from './zip-reader.ts';

/** Content types of the main part of a Word document: DOCX, DOTX, DOCM, DOTM. */
export const WORD_MAIN_TYPES = new Set([
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml',
  'application/vnd.ms-word.document.macroenabled.main+xml',
  'application/vnd.ms-word.template.macroenabledtemplate.main+xml',
]);

export const DOCX_MAIN_TYPE =
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

const OTHER_MAIN_TYPES: readonly (readonly [part: string, type: string])[] = [
  ['spreadsheetml', 'an Excel workbook (XLSX)'],
  ['ms-excel', 'an Excel workbook (XLSX)'],
  ['presentationml', 'a PowerPoint presentation (PPTX)'],
  ['ms-powerpoint', 'a PowerPoint presentation (PPTX)'],
  ['visio', 'a Visio drawing (VSDX)'],
];

const OPEN_DOCUMENT_TYPES: readonly (readonly [type: string, type: string])[] = [
  ['opendocument.text', 'an OpenDocument text (ODT)'],
  ['opendocument.spreadsheet', 'an OpenDocument spreadsheet (ODS)'],
  ['opendocument.presentation', 'an OpenDocument presentation (ODP)'],
  ['epub', 'an e-book (EPUB)'],
];

const MIMETYPE_BYTES_MAX = 200;

/** Describes an OOXML package by the content type of its main part, as a noun phrase. */
export function describeMainType(contentType: string): string {
  const found = OTHER_MAIN_TYPES.find(([part]) => contentType.includes(part));
  return found?.[1] ?? 'an Office package of another type';
}

/** Describes a ZIP archive without `[Content_Types].xml`, as a noun phrase. */
export function describeArchive(archive: Archive, budget: Budget): string {
  const mimetype = archive.get('mimetype');
  if (mimetype === undefined || mimetype.size > MIMETYPE_BYTES_MAX) return 'a ZIP archive';
  const type = unpackEntry(mimetype, budget).toString('latin1');
  return OPEN_DOCUMENT_TYPES.find(([part]) => type.includes(part))?.[1] ?? 'a ZIP archive';
}
