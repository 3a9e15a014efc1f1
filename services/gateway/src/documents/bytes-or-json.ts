import type { BlobRef } from '@scriptorium/contracts/define-job';
import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { signReply } from '@scriptorium/signatures/sign-request';
import type { z } from 'zod';
import type { Success } from '../http/route.ts';
import type { DocumentSource } from '../requests/document-source.ts';
import type { Answer } from './answer.ts';

export const JSON_TYPE = 'application/json';
export const BYTES_TYPE = 'application/octet-stream';

/** The answers with the bytes of a DOCX or PDF, which callers get who accept their type. */
export const documentBytes: Success[] = [TARGET_CONTENT_TYPES.docx, TARGET_CONTENT_TYPES.pdf, BYTES_TYPE].map(
  (contentType) => ({
    description: 'With `Accept` of that type, the bytes of the document',
    contentType,
    headers: { 'Content-Disposition': 'For bytes: `attachment` with a file name (RFC 6266)' },
  }),
);

/** The headers with which a signed document as bytes is answered. */
export const SIGN_HEADERS = { 'X-Sign-Warnings': 'The codes of `warnings`. Absent if there are none' };

/** Signature of the local file header (APPNOTE 4.3.7). */
const ZIP_MAGIC = Buffer.from('PK\x03\x04', 'latin1');

/** Whether a DOCX or PDF is a DOCX, by its first bytes. */
export const beginsAsDocx = (source: Buffer): boolean =>
  source.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC);

const PDF_HEAD_BYTES = 1024;

/** A PDF may have other bytes before its header (ISO 32000-1, annex H.3). A worker refuses what is neither PDF nor DOCX. */
export const beginsAsPdf = (source: Buffer): boolean =>
  !beginsAsDocx(source) && source.subarray(0, PDF_HEAD_BYTES).includes('%PDF-');

interface Wanted {
  /** JSON, or the type of the bytes. */
  type: string;
  uploadedName?: string | undefined;
  /** What the signer wrote beside the document, which has `warnings`. */
  reply?: { ref: BlobRef; schema: z.ZodObject<Pick<typeof signReply.shape, 'warnings'>> } | undefined;
  /** Properties of JSON beside the document. */
  properties?: object | undefined;
}

/** Returns a DOCX or PDF as the content of an answer: in JSON, or as bytes. */
export function documentContent(
  document: BlobRef,
  contentType: string,
  { type, uploadedName, reply, properties = {} }: Wanted,
): Answer['content'] {
  const more = reply && { more: { ...reply, headersOf: signWarnings } };
  if (type === JSON_TYPE) return { document, contentType, properties, ...more };
  return {
    file: document,
    contentType: type === BYTES_TYPE ? type : contentType,
    ...(uploadedName !== undefined && { uploadedName }),
    ending: contentType === TARGET_CONTENT_TYPES.pdf ? 'pdf' : 'docx',
    ...more,
  };
}

function signWarnings(reply: object): Record<string, string> {
  const codes = signReply
    .pick({ warnings: true })
    .parse(reply)
    .warnings.map(({ code }) => code);
  return codes.length > 0 ? { 'X-Sign-Warnings': codes.join(', ') } : {};
}

/** The name of the file of a form. Undefined if the document came in another way. */
export const uploadedNameOf = (document: DocumentSource): string | undefined => document.upload?.name;
