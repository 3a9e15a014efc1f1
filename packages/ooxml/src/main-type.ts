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

const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const EXCEL = 'application/vnd.ms-excel';
const SLIDES = 'application/vnd.openxmlformats-officedocument.presentationml';
const POWERPOINT = 'application/vnd.ms-powerpoint';

/** A kind of Office package. */
export interface PackageKind {
  /** A noun phrase for messages. */
  name: string;
  /** Content types of its main part. */
  mainTypes: ReadonlySet<string>;
}

export const WORD_PACKAGE: PackageKind = { name: 'a Word document (DOCX)', mainTypes: WORD_MAIN_TYPES };

/** XLSX, XLTX, XLSM and XLTM; the first type is that of XLSX. */
export const EXCEL_PACKAGE: PackageKind = {
  name: 'an Excel workbook (XLSX)',
  mainTypes: new Set([
    `${SHEET}.sheet.main+xml`,
    `${SHEET}.template.main+xml`,
    `${EXCEL}.sheet.macroenabled.main+xml`,
    `${EXCEL}.template.macroenabled.main+xml`,
  ]),
};

/** PPTX, POTX, PPSX and the same with macros; the first type is that of PPTX. */
export const POWERPOINT_PACKAGE: PackageKind = {
  name: 'a PowerPoint presentation (PPTX)',
  mainTypes: new Set([
    `${SLIDES}.presentation.main+xml`,
    `${SLIDES}.template.main+xml`,
    `${SLIDES}.slideshow.main+xml`,
    `${POWERPOINT}.presentation.macroenabled.main+xml`,
    `${POWERPOINT}.template.macroenabled.main+xml`,
    `${POWERPOINT}.slideshow.macroenabled.main+xml`,
  ]),
};

const OTHER_MAIN_TYPES: readonly (readonly [part: string, type: string])[] = [
  ['wordprocessingml', WORD_PACKAGE.name],
  ['ms-word', WORD_PACKAGE.name],
  ['ms-excel.sheet.binary', 'a binary Excel workbook (XLSB)'],
  ['ms-excel.addin', 'an Excel add-in (XLAM)'],
  ['ms-powerpoint.addin', 'a PowerPoint add-in (PPAM)'],
  ['spreadsheetml', EXCEL_PACKAGE.name],
  ['ms-excel', EXCEL_PACKAGE.name],
  ['presentationml', POWERPOINT_PACKAGE.name],
  ['ms-powerpoint', POWERPOINT_PACKAGE.name],
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
