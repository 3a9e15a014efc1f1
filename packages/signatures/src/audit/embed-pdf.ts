import { inflateSync } from 'node:zlib';
import { type FontBook, hostFonts } from '@scriptorium/fonts/font-book';
import type { PlacedImage } from '@scriptorium/pdf/images';
import { isName, type PdfDocument, Stream } from '@scriptorium/pdf/read';
import { Update } from '@scriptorium/pdf/update';
import { addImage } from '../pades/appearance/image.ts';
import { readPdf } from '../pades/read-pdf.ts';
import type { SignWarning } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import { textNotShown } from '../text-warning.ts';
import { drawPages, lastPageSize } from './append-pages.ts';
import { attachFile } from './attach-file.ts';
import { AUDIT_FILE_NAME, type AuditRecord, auditJson } from './audit-json.ts';
import { auditPages } from './audit-pages.ts';

/**
 * Device-independent definition of gray (ISO 32000-2, 8.6.5.6), because PDF/A forbids a device color space that the
 * document does not define. Used only there, since some readers tint it.
 */
const DEFAULT_GRAY = '/ColorSpace<</DefaultGray[/CalGray<</WhitePoint[0.9505 1 1.089]/Gamma 2.2>>]>>';

const NO_FONTS: SignWarning = {
  code: 'AUDIT_NO_PAGES',
  message: `This service has no font for drawing pages; the audit trail is only in ${AUDIT_FILE_NAME}.`,
};

export interface AuditedPdf {
  pdf: Buffer;
  warnings: SignWarning[];
}

/** What the pages show beside the record. */
interface PageLook {
  timeZone?: string | undefined;
  /** PNG or JPEG: those of the signatures, in their order. */
  images?: readonly (Buffer | undefined)[];
}

/**
 * Adds a record to a PDF in one incremental update: as the file `audit.json`, and if `pages` is set, as pages after the last one.
 * The original bytes are unchanged. Returns undefined if the document is already signed, because adding a page or file would
 * break the signature. The same holds if its password does not permit additions. The warning PDFA_LOST reports that the claimed
 * part of PDF/A does not allow such a file. AUDIT_NO_PAGES reports that the host has no fonts, and TEXT_NOT_SHOWN that no font
 * has some characters. Throws what `readPdf` throws.
 */
export async function addAuditTrail(
  pdf: Buffer,
  record: AuditRecord,
  {
    pages,
    fonts = hostFonts(),
    password,
    ...look
  }: { pages: boolean; fonts?: FontBook; password?: string | undefined } & PageLook,
): Promise<AuditedPdf | undefined> {
  const { document, isSigned } = readPdf(pdf, password);
  if (isSigned || !document.rights.modify) return undefined;
  const update = new Update(document);
  const warnings = pdfaWarnings(claimedPdfA(document));
  if (pages && fonts.isEmpty) warnings.push(NO_FONTS);
  else if (pages) warnings.push(...(await addPages(update, record, fonts, look)));
  attachFile(update, {
    key: `${record.id}.json`,
    name: AUDIT_FILE_NAME,
    description: `Audit trail ${record.id}`,
    mimeType: 'application/json',
    date: new Date(record.entries[0]?.timestamp ?? 0),
    data: auditJson(record),
  });
  return { pdf: update.finish().bytes, warnings };
}

/** Returns warnings about text that cannot be shown. */
async function addPages(
  update: Update,
  record: AuditRecord,
  book: FontBook,
  { timeZone, images = [] }: PageLook,
): Promise<SignWarning[]> {
  const { document } = update;
  const placed = await Promise.all(images.map((image) => image && placeImage(update, image)));
  const pictures = placed.map((image, index) => image && { ...image, name: `Signature${index + 1}` });
  const objects = pictures.flatMap((picture) => (picture ? [`/${picture.name} ${picture.ref}`] : []));
  const size = lastPageSize(document);
  const isGrayUnknown =
    claimedPdfA(document) !== undefined && !document.catalog.value.entries.has('OutputIntents');
  const missing = drawPages(update, {
    size,
    book,
    pages: (measure) => auditPages(record, size, measure, { timeZone, pictures }),
    resources: `${isGrayUnknown ? DEFAULT_GRAY : ''}${objects.length > 0 ? `/XObject<<${objects.join('')}>>` : ''}`,
  });
  return textNotShown('audit pages', missing);
}

/** Returns undefined for an image that the signature which shows it refuses. */
function placeImage(update: Update, image: Buffer): Promise<PlacedImage | undefined> {
  return addImage(update, image).catch((error: unknown) => {
    if (error instanceof SignatureError) return undefined;
    throw error;
  });
}

function pdfaWarnings(part: string | undefined): SignWarning[] {
  if (part === undefined || takesFiles(part)) return [];
  const message = `The document claims PDF/A-${part}, which does not allow the attached ${AUDIT_FILE_NAME}; it no longer conforms.`;
  return [{ code: 'PDFA_LOST', message }];
}

const METADATA_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Returns the part of PDF/A (ISO 19005) that a document claims, such as `3`, followed by `f` if PDF/A-4 allows files.
 * Returns undefined if it claims none.
 */
function claimedPdfA(document: PdfDocument): string | undefined {
  const metadata = document.get(document.catalog.value, 'Metadata');
  const xml = metadata instanceof Stream ? textOf(document, metadata) : '';
  const part = /pdfaid:part(?:\s*=\s*["']|>)\s*(\d)/.exec(xml)?.[1];
  const conformance = /pdfaid:conformance(?:\s*=\s*["']|>)\s*(\w)/.exec(xml)?.[1];
  return part === '4' && conformance?.toLowerCase() === 'f' ? '4f' : part;
}

/** PDF/A-3 and PDF/A-4f allow files of any type. */
const takesFiles = (part: string): boolean => part === '3' || part === '4f';

/** PDF/A-1 metadata must be uncompressed, later parts allow Flate. Other filters yield an empty text. */
function textOf(document: PdfDocument, { dict, data }: Stream): string {
  const filter = document.get(dict, 'Filter');
  const [first = null, ...more] = Array.isArray(filter) ? filter : [filter];
  if (first === null) return data.subarray(0, METADATA_BYTES_MAX).toString('utf8');
  if (more.length > 0 || !isName(document.resolve(first), 'FlateDecode')) return '';
  try {
    return inflateSync(data, { maxOutputLength: METADATA_BYTES_MAX }).toString('utf8');
  } catch {
    return '';
  }
}
