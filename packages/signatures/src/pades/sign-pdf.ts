import { SignatureError } from '../signature-error.ts';
import { earlierSignatures, refuseBrokenSignatures } from './earlier-signatures.ts';
import { embedBySignPdf, suitsSignPdf } from './embed-by-signpdf.ts';
import { type PrepareOptions, prepareSignature } from './prepare-signature.ts';
import {
  type ByteRange,
  type CmsMaker,
  digestOf,
  embedSignature,
  type PreparedPdf,
  roomOf,
} from './prepared.ts';
import { readPdf } from './read-pdf.ts';
import { SUB_FILTER } from './signature-dictionary.ts';

export interface PdfSigning extends PrepareOptions {
  /** Sign even if an earlier signature is invalid. */
  allowBrokenSignatures: boolean;
  /** The password of an encrypted document. */
  password?: string;
}

/** `<`: only a hexadecimal string can be filled in place. */
const OPEN_HEX = 0x3c;

/** A PDF whose last signature has its value. */
export interface SignedPdf {
  bytes: Buffer;
  byteRange: ByteRange;
  fieldName: string;
}

/**
 * Returns a PDF that lacks only the value of its signature. Throws UNPROCESSABLE if an earlier signature is invalid, and what
 * `readPdf` and `prepareSignature` throw.
 */
export async function preparePdf(
  bytes: Buffer,
  { allowBrokenSignatures, password, ...options }: PdfSigning,
): Promise<PreparedPdf> {
  const pdf = readPdf(bytes, password);
  if (!allowBrokenSignatures) refuseBrokenSignatures(earlierSignatures(pdf));
  return prepareSignature(pdf, options);
}

/** Signs a PDF: prepares it, creates the CMS over it, and embeds it. Throws as `preparePdf` does. */
export async function signPdf(bytes: Buffer, signing: PdfSigning, maker: CmsMaker): Promise<SignedPdf> {
  const prepared = await preparePdf(bytes, signing);
  return suitsSignPdf(prepared) ? embedBySignPdf(prepared, maker) : embedInPlace(prepared, maker);
}

/** The second step for a document of `preparePdf` that was sent to the caller. Does not change `bytes`. */
export async function completePdf(bytes: Buffer, maker: CmsMaker, password?: string): Promise<SignedPdf> {
  const prepared = findPrepared(Buffer.from(bytes), password);
  const cms = async (digest: Buffer): Promise<Buffer> => {
    const made = await maker.cms(digest);
    if (made.length <= roomOf(prepared)) return made;
    throw new SignatureError(
      'UNPROCESSABLE',
      `The signature takes ${made.length} bytes, but the document was prepared for ${Math.floor(roomOf(prepared))}: prepare it with the same certificates and level.`,
    );
  };
  // Embedded in place at any size, because the bytes to sign are this exact document.
  return embedInPlace(prepared, { ...maker, cms });
}

async function embedInPlace(prepared: PreparedPdf, maker: CmsMaker): Promise<SignedPdf> {
  const { byteRange, fieldName } = prepared;
  const bytes = embedSignature(prepared, await maker.cms(digestOf(prepared, maker.hash)));
  return { bytes, byteRange, fieldName };
}

/** Finds the signature that has no value yet and covers the whole document. Throws UNPROCESSABLE if there is none. */
function findPrepared(bytes: Buffer, password?: string): PreparedPdf {
  const empty = earlierSignatures(readPdf(bytes, password)).find(
    ({ contents, byteRange, subFilter, kind }) =>
      byteRange !== undefined &&
      kind === 'signature' &&
      subFilter === SUB_FILTER &&
      bytes[byteRange[1]] === OPEN_HEX &&
      byteRange[2] + byteRange[3] === bytes.length &&
      contents.every((byte) => byte === 0),
  );
  if (!empty?.byteRange) {
    throw new SignatureError(
      'UNPROCESSABLE',
      'The document does not contain a prepared signature without a value.',
    );
  }
  return { bytes, byteRange: empty.byteRange, fieldName: empty.fieldName };
}
