import { inflateSync } from 'node:zlib';
import type { PdfDocument } from '@scriptorium/pdf/read/document';
import { isName, Stream } from '@scriptorium/pdf/read/values';

const METADATA_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The part of PDF/A (ISO 19005) that a document claims to keep to, such as `3`, with an `f` behind it where PDF/A-4 is to
 * hold files; undefined where it claims none.
 */
export function claimedPdfA(document: PdfDocument): string | undefined {
  const metadata = document.get(document.catalog.value, 'Metadata');
  const xml = metadata instanceof Stream ? textOf(document, metadata) : '';
  const part = /pdfaid:part(?:\s*=\s*["']|>)\s*(\d)/.exec(xml)?.[1];
  const conformance = /pdfaid:conformance(?:\s*=\s*["']|>)\s*(\w)/.exec(xml)?.[1];
  return part === '4' && conformance?.toLowerCase() === 'f' ? '4f' : part;
}

/** PDF/A-3 and PDF/A-4f take files of any kind. */
export const takesFiles = (part: string): boolean => part === '3' || part === '4f';

/** Metadata of PDF/A-1 are not packed, later ones may be; what is packed in another way counts as none. */
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
