import type { RemovedAction } from '@scriptorium/pdf/actions';
import { type ClaimedConformance, conform } from '@scriptorium/pdf/conformance';
import { type PdfWithFields, placeFields } from '@scriptorium/pdf/fields';
import {
  type Attachment,
  FinishError,
  type FinishedPdf,
  finishPdf,
  type Finishing as PdfFinishing,
} from '@scriptorium/pdf/finish';
import type { Facts } from '@scriptorium/sanitizer/sanitize';
import { vetResult } from '../conversion/vet-result.ts';
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

export type FieldPlaces = NonNullable<Facts['fieldPlaces']>;

/** A PDF, the folder of its document, what it claims, and what it gets. */
interface FinishRequest {
  bytes: Buffer;
  folder: string | undefined;
  claims: ClaimedConformance;
  finishing: Finishing | undefined;
  /** Where it gets fields. */
  fieldPlaces?: FieldPlaces | undefined;
}

/** A finished PDF, and the links and actions that were removed from it. */
export interface VettedPdf extends FinishedPdf {
  removed: RemovedAction[];
  /** The names of its new fields, or undefined for a place on no page. */
  fieldNames?: PdfWithFields['names'];
}

/**
 * Puts fields into a PDF, vets it (`vetResult`), completes what it claims, and adds what the caller asks for. Rejects with an `EngineError` or
 * `AppError` if it cannot be read, and with VALIDATION_ERROR for what it cannot get.
 */
export function finish({ folder, claims, finishing, fieldPlaces, ...made }: FinishRequest): VettedPdf {
  const placed = fieldPlaces && withFields(made.bytes, fieldPlaces);
  const { bytes, removed } = vetResult(placed?.bytes ?? made.bytes, folder);
  return { ...finished(bytes, claims, finishing), removed, ...(placed && { fieldNames: placed.names }) };
}

/** Only links that the sanitizer wrote have the prefix, since no document knows it. */
function withFields(bytes: Buffer, { prefix, fields }: FieldPlaces): PdfWithFields {
  try {
    return placeFields(bytes, fields, (address) => address.startsWith(prefix));
  } catch (cause) {
    throw new EngineError('crashed', 'the fields of the output cannot be placed', { cause });
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
