import { qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { type JoinInput, Joining, type JoinOptions } from '../../src/join/joining.ts';
import type { PdfDocument } from '../../src/read/document.ts';
import { openPdf } from '../../src/read/open.ts';
import { Dict, Name, PdfString, type PdfValue, Ref } from '../../src/read/values.ts';

const BYTES_MAX = 64 * 1024 * 1024;

/** The joined file of these documents. */
export function joinedBytes(inputs: readonly JoinInput[], options: Partial<JoinOptions> = {}) {
  const joining = new Joining(
    { bytesMax: BYTES_MAX, ...options },
    (address) => !/^(?:file|javascript):|^\\\\/.test(address),
  );
  for (const input of inputs) joining.add(input);
  const { chunks, length, pages, warnings } = joining.finish();
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== length) throw new Error(`${bytes.length} bytes instead of ${length}`);
  return { bytes, pages, warnings };
}

/** The joined file, read again; qpdf has no complaints about it. */
export async function joined(inputs: readonly JoinInput[], options: Partial<JoinOptions> = {}) {
  const { bytes, pages, warnings } = joinedBytes(inputs, options);
  const complaints = await qpdfComplaints(bytes);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  return { bytes, pages, warnings, ...readerOf(bytes) };
}

/** Follows keys of dictionaries and indices of arrays from the catalog on. */
export type Follow = (...path: (string | number)[]) => PdfValue;

export function readerOf(bytes: Buffer): { document: PdfDocument; at: Follow } {
  const { document, isSearched } = openPdf(bytes);
  if (isSearched) throw new Error('the cross-reference data are broken');
  return { document, at: (...path) => followed(document, document.catalog.value, path) };
}

export function followed(
  document: PdfDocument,
  from: PdfValue,
  path: readonly (string | number)[],
): PdfValue {
  let value = document.resolve(from);
  for (const step of path) {
    if (typeof step === 'number')
      value = document.resolve(Array.isArray(value) ? (value[step] ?? null) : null);
    else value = value instanceof Dict ? document.get(value, step) : null;
  }
  return value;
}

/** The pages of a document, in order. */
export function pagesOf(document: PdfDocument): Ref[] {
  const list = (node: PdfValue): Ref[] => {
    const kids = followed(document, node, ['Kids']);
    return Array.isArray(kids) ? kids.flatMap(list) : node instanceof Ref ? [node] : [];
  };
  return list(document.catalog.value.get('Pages'));
}

/** A value with what it refers to, a few levels deep. */
export function written(document: PdfDocument, value: PdfValue, levels = 6): string {
  const resolved = document.resolve(value);
  if (levels === 0) return '';
  if (Array.isArray(resolved)) return resolved.map((item) => written(document, item, levels - 1)).join(' ');
  if (resolved instanceof Dict)
    return [...resolved.entries]
      .filter(([key]) => key !== 'Parent')
      .map(([key, entry]) => `/${key} ${written(document, entry.value, levels - 1)}`)
      .join(' ');
  if (resolved instanceof Name) return `/${resolved.text}`;
  return resolved instanceof PdfString ? resolved.text : String(resolved);
}
