import { detectDocumentType } from '../document-type.ts';
import { SignatureError } from '../signature-error.ts';
import { signDigest } from './sign-digest.ts';
import { signDocxDocument } from './sign-docx-document.ts';
import { signInOrder } from './sign-in-order.ts';
import { signPdfDocument } from './sign-pdf-document.ts';
import type { Signed, SignRequest, SignTools } from './sign-tools.ts';

/**
 * Signs a PDF (PAdES) or a DOCX (XAdES in its package). Returns the document signed as requested, or throws. Throws
 * SignatureError: INVALID_FILE_FORMAT for other documents, what reading the document throws, and what keys and authorities
 * throw. With `digestHash`, the source is a digest, and the result a `digestReply` in JSON. For one of several signatures, the error is the cause of a `OneOfSeveralError`.
 */
export function sign(request: SignRequest, tools: SignTools): Promise<Signed> {
  const { signatures, digestHash } = request.signing;
  if (digestHash !== undefined) return signDigest(request, digestHash, tools);
  if (signatures === undefined) return signOnce(request, tools);
  return signInOrder(request, signatures, (each) => signOnce(each, tools));
}

function signOnce(request: SignRequest, tools: SignTools): Promise<Signed> {
  switch (detectDocumentType(request.source)) {
    case 'pdf':
      return signPdfDocument(request, tools);
    case 'docx':
      return signDocxDocument(request, tools);
    default:
      throw new SignatureError('INVALID_FILE_FORMAT', 'The document is neither a PDF nor a DOCX.');
  }
}
