import { conform } from '../conformance/conform.ts';
import type { ClaimedConformance, Shortfall } from '../conformance/shortfalls.ts';
import { openPdf } from '../read/open.ts';
import { Dict, Ref } from '../read/values.ts';
import { type EncryptionRequest, newEncryption } from '../security/new-encryption.ts';
import { rewritePdf } from '../write/rewrite.ts';
import { editDict, Update } from '../write/update.ts';
import type { InvoiceProperties } from '../write/xmp.ts';
import { type Attachment, attachFiles } from './attach-files.ts';
import { type Metadata, setMetadata } from './metadata.ts';
import { addWatermark } from './watermark.ts';

/** What a PDF gets after it was converted. */
export interface Finishing {
  metadata?: Metadata | undefined;
  watermark?: string | undefined;
  attachments?: readonly Attachment[] | undefined;
  /** Names the attachment that is an invoice. */
  invoice?: InvoiceProperties | undefined;
  encryption?: EncryptionRequest | undefined;
}

/** A finished PDF, and what it lacks of what it claims. */
export interface FinishedPdf {
  bytes: Buffer;
  missing: Shortfall[];
}

/**
 * Finishes a PDF that LibreOffice wrote: adds what the caller asks for, completes what it claims (`conform`), and encrypts it.
 * The result has one revision. Throws PdfError, and FinishError for a text that cannot be shown.
 */
export function finishPdf(
  bytes: Buffer,
  claims: ClaimedConformance,
  finishing: Finishing,
  now = new Date(),
): FinishedPdf {
  const changed = changedPdf(bytes, claims, finishing, now);
  const isClaiming = claims.pdfua || claims.pdfa !== undefined;
  const { bytes: complete, missing } = isClaiming
    ? conform(changed, claims)
    : { bytes: changed, missing: [] };
  const { encryption } = finishing;
  const { document } = openPdf(complete);
  return { bytes: rewritePdf(document, encryption && newEncryption(encryption)), missing };
}

function changedPdf(
  bytes: Buffer,
  { pdfa }: ClaimedConformance,
  { metadata, watermark, attachments = [], invoice, encryption }: Finishing,
  now: Date,
): Buffer {
  const update = new Update(openPdf(bytes).document);
  const { catalog, trailer } = update.document;
  const changes = {
    ...(metadata || invoice ? setMetadata(update, metadata ?? {}, invoice) : {}),
    ...(attachments.length > 0 ? attachFiles(update, attachments, now) : {}),
    ...(encryption && { Extensions: extensionsOf(update) }),
  };
  if (watermark !== undefined) addWatermark(update, watermark, { isBehind: pdfa === '1b' });
  const root = trailer.get('Root');
  if (root instanceof Ref && Object.keys(changes).length > 0)
    update.replace(root, editDict(catalog.value, changes));
  return update.finish().bytes;
}

/** Declares to readers of PDF 1.7 that the encryption is that of PDF 2.0 (Adobe supplement to ISO 32000, level 8). */
function extensionsOf({ document }: Update): string {
  const own = document.get(document.catalog.value, 'Extensions');
  const adobe = { ADBE: `<</BaseVersion/1.7/ExtensionLevel 8>>` };
  return own instanceof Dict ? editDict(own, adobe) : `<</ADBE ${adobe.ADBE}>>`;
}
