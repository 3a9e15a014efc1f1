import type { TargetFormat } from '@scriptorium/contracts/jobs/target-formats';
import type { Dropped } from '@scriptorium/ooxml/package';
import { type ClaimedConformance, conform } from '@scriptorium/pdf/conformance';
import { PdfError } from '@scriptorium/pdf/error';
import { nameFields, type PdfWithFields, placeFields, placeLinks } from '@scriptorium/pdf/fields';
import {
  type Attachment,
  FinishError,
  type FinishedPdf,
  finishPdf,
  type Finishing as PdfFinishing,
} from '@scriptorium/pdf/finish';
import type { Facts } from '@scriptorium/sanitizer/sanitize';
import { vetPdf, vetResult } from '../conversion/vet-result.ts';
import { EngineError } from '../engines/engine.ts';
import { isInvoiceName, readInvoice } from './invoice.ts';

/** What a PDF gets after its conversion. */
export interface Finishing extends Omit<PdfFinishing, 'attachments' | 'invoice'> {
  attachments: readonly RequestedAttachment[];
}

interface RequestedAttachment extends Omit<Attachment, 'relationship'> {
  /** Chosen by the content of the file if missing. */
  relationship?: Attachment['relationship'] | undefined;
  /** The profile that an invoice must have. */
  level?: string | undefined;
}

type FieldPlaces = NonNullable<Facts['fieldPlaces']>;

/** A result, the folder of its document, and what a PDF claims and gets. */
export interface FinishRequest {
  format: TargetFormat;
  bytes: Buffer;
  folder: string | undefined;
  claims: ClaimedConformance;
  finishing: Finishing | undefined;
  /** Where it gets fields. */
  fieldPlaces?: FieldPlaces | undefined;
  /** The names of the fields that it has. */
  formFields?: Facts['formFields'] | undefined;
  /** Where it gets links. Without `areAll`, they may be on pages that it does not have. */
  textLinks?: { links: NonNullable<Facts['textLinks']>; areAll: boolean } | undefined;
}

/** A finished result, and what was removed from it. */
export interface VettedFile extends FinishedPdf {
  removed: Dropped[];
  /** The names of its new fields, or undefined for a place on no page. */
  fieldNames?: PdfWithFields['names'];
  /** The places of links were not found, and the file has their marks. */
  areLinksLost?: boolean;
}

/**
 * Vets a result (`vetResult`). Before, a PDF gets its fields; afterwards, what it claims is completed, and what the caller asks
 * for is added. Rejects with an `EngineError` or `AppError` if it cannot be read, and with VALIDATION_ERROR for what a PDF cannot
 * get.
 */
export async function finish({
  format,
  folder,
  claims,
  finishing,
  fieldPlaces,
  formFields,
  textLinks,
  ...made
}: FinishRequest): Promise<VettedFile> {
  if (format !== 'pdf') return { ...(await vetResult(format, made.bytes, folder)), missing: [] };
  const linked = textLinks ? withLinks(made.bytes, textLinks) : made.bytes;
  if (linked === undefined) return { bytes: made.bytes, removed: [], missing: [], areLinksLost: true };
  const named = formFields ? ofFields(() => nameFields(linked, formFields)) : linked;
  const placed = fieldPlaces && ofFields(() => withFields(named, fieldPlaces));
  const { bytes, removed } = vetPdf(placed?.bytes ?? named, folder);
  return { ...finished(bytes, claims, finishing), removed, ...(placed && { fieldNames: placed.names }) };
}

/** Undefined if a place was not found. A PDF that is too large for a look at each page has its links as LibreOffice writes them. */
function withLinks(
  bytes: Buffer,
  { links, areAll }: NonNullable<FinishRequest['textLinks']>,
): Buffer | undefined {
  try {
    return placeLinks(bytes, links, !areAll);
  } catch (error) {
    if (error instanceof PdfError) return undefined;
    throw error;
  }
}

/** Only links that the sanitizer wrote have the prefix, since no document knows it. */
const withFields = (bytes: Buffer, { prefix, fields }: FieldPlaces): PdfWithFields =>
  placeFields(bytes, fields, (address) => address.startsWith(prefix));

function ofFields<Result>(write: () => Result): Result {
  try {
    return write();
  } catch (cause) {
    throw new EngineError('crashed', 'the fields of the output cannot be written', { cause });
  }
}

function finished(bytes: Buffer, claims: ClaimedConformance, finishing: Finishing | undefined): FinishedPdf {
  const isClaiming = claims.pdfua || claims.pdfa !== undefined;
  if (finishing === undefined) return isClaiming ? conform(bytes, claims) : { bytes, missing: [] };
  const { attachments, ...others } = finishing;
  const invoices = attachments.flatMap((file, at) => (isInvoiceName(file.name) ? [{ file, at }] : []));
  const [first, second] = invoices;
  if (second) throw new FinishError(`attach[${second.at}].name`, 'is that of a second invoice');
  const invoice = first && readInvoice({ ...first.file, field: `attach[${first.at}]` });
  const named = attachments.map(({ level: _checked, ...file }, at): Attachment => {
    if (!invoice || at !== first?.at) return { ...file, relationship: file.relationship ?? 'Unspecified' };
    return { ...file, name: invoice.properties.fileName, relationship: invoice.relationship };
  });
  return finishPdf(bytes, claims, { ...others, attachments: named, invoice: invoice?.properties });
}
