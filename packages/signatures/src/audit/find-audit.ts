import { unlessMalformed } from '@scriptorium/pdf/error';
import { Costs, Dict, type PdfDocument, PdfString, type PdfValue, Stream } from '@scriptorium/pdf/read';
import type { DocumentEvidence } from '../evidence.ts';
import type { PdfSignature } from '../pades/found-signature.ts';
import { AUDIT_FILE_NAME } from './audit-json.ts';

/** Maximum files and name tree nodes to check. */
const LOOKS_MAX = 10_000;

/** Finds the embedded audit trail: the last file of its name among the document's own files or its attachments. */
function findAudit(document: PdfDocument): Stream | undefined {
  let looks = 0;
  for (const value of specifications(document)) {
    if (++looks > LOOKS_MAX) return undefined;
    const specification = document.resolve(value);
    if (!(specification instanceof Dict) || fileName(document, specification) !== AUDIT_FILE_NAME) continue;
    const files = document.dict(specification, 'EF');
    const file = files && (document.get(files, 'UF') ?? document.get(files, 'F'));
    if (file instanceof Stream) return file;
  }
  return undefined;
}

function fileName(document: PdfDocument, specification: Dict): string | undefined {
  const name = document.get(specification, 'UF') ?? document.get(specification, 'F');
  return name instanceof PdfString ? name.text : undefined;
}

/** Iterates backwards: /AF of the catalog, then the name tree of embedded files (ISO 32000-2, 14.13 and 7.11.4). */
function* specifications(document: PdfDocument): Generator<PdfValue> {
  const catalog = document.catalog.value;
  const associated = document.get(catalog, 'AF');
  if (Array.isArray(associated)) yield* backwards(associated);
  const names = document.dict(catalog, 'Names');
  const stack: PdfValue[] = [names?.get('EmbeddedFiles') ?? null];
  const seen = new Set<PdfValue>();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const dict = document.resolve(node);
    if (!(dict instanceof Dict) || seen.has(dict)) continue;
    seen.add(dict);
    if (seen.size > LOOKS_MAX) return;
    const kids = document.get(dict, 'Kids');
    if (Array.isArray(kids) && !seen.has(kids)) {
      seen.add(kids);
      for (const kid of kids.slice(-LOOKS_MAX)) stack.push(kid);
    }
    const leaf = document.get(dict, 'Names');
    // Keys and values alternate.
    if (Array.isArray(leaf)) yield* backwards(leaf);
  }
}

function* backwards(values: readonly PdfValue[]): Generator<PdfValue> {
  for (let at = values.length - 1; at >= 0; at--) yield values[at] ?? null;
}

const AUDIT_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Returns the audit trail of a PDF. It is sealed if the bytes that each of these signatures covers contain the same file. A
 * file that cannot be decompressed is returned empty. Throws DOCUMENT_TOO_COMPLEX.
 */
export function sealedAudit(
  document: PdfDocument,
  signatures: readonly PdfSignature[],
): DocumentEvidence['audit'] {
  const file = unlessMalformed(() => findAudit(document));
  if (!file) return undefined;
  const bytes = contentOf(document, file);
  const isSealed = signatures.every(({ revision, coversRevision }) => {
    const signed = coversRevision ? unlessMalformed(() => findAudit(revision.document)) : undefined;
    if (!signed) return false;
    return signed === file || contentOf(revision.document, signed).equals(bytes);
  });
  return { bytes, isSealed: isSealed && signatures.length > 0 };
}

function contentOf(document: PdfDocument, file: Stream): Buffer {
  const costs = new Costs(AUDIT_BYTES_MAX);
  return unlessMalformed(() => document.unpacked(file, costs)) ?? Buffer.alloc(0);
}
