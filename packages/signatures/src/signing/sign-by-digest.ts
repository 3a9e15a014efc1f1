import type { X509Certificate } from 'node:crypto';
import type { HashAlgorithm } from '@scriptorium/pki/keys';
import { earlierSignatures } from '../pades/earlier-signatures.ts';
import { readPdf } from '../pades/read-pdf.ts';
import { type PdfSigning, signPdf } from '../pades/sign-pdf.ts';
import { SignatureError } from '../signature-error.ts';

/** For a key with a chain of certificates, and a time-stamp. */
const CMS_BYTES_MAX = 32 * 1024;

/** How to sign a PDF whose bytes stay here. */
export interface ByDigest extends Partial<Omit<PdfSigning, 'reserve' | 'seeded'>> {
  /** By which the key signs; by default `sha256`. */
  hash?: HashAlgorithm;
  /** What is asked for. The author of a field may require a time-stamp. By default `B-B`. */
  level?: 'B-B' | 'B-T';
  /** The signer's own first, for a field whose author permits certain ones only. */
  certificates?: readonly X509Certificate[];
  /** Room that the document keeps for the CMS. */
  cmsBytesMax?: number;
}

/**
 * Signs a PDF without sending it. Prepares it here, and embeds the detached CMS that `cmsOf` returns for the digest of its signed
 * bytes, such as that of `POST /v1/sign/digest`. Throws UNPROCESSABLE for a CMS that is too long or not a valid signature of this
 * document, and what signing throws.
 */
export async function signPdfByDigest(
  pdf: Buffer,
  { hash = 'sha256', level = 'B-B', certificates = [], cmsBytesMax = CMS_BYTES_MAX, ...options }: ByDigest,
  cmsOf: (digest: Buffer) => Promise<Uint8Array>,
): Promise<Buffer> {
  const defaults = { allowBrokenSignatures: false, signingTime: new Date() };
  const seeded = { hash, level, certificates };
  const signing = { ...defaults, reserve: cmsBytesMax, seeded, ...options };
  const { bytes, fieldName } = await signPdf(pdf, signing, {
    hash,
    async cms(digest) {
      const cms = Buffer.from(await cmsOf(digest));
      if (cms.length > cmsBytesMax)
        throw refusal(`The CMS has ${cms.length} bytes, more than the ${cmsBytesMax} of \`cmsBytesMax\`.`);
      return cms;
    },
  });
  const made = earlierSignatures(readPdf(bytes, options.password)).find((one) => one.fieldName === fieldName);
  if (made?.verdict !== 'holds')
    throw refusal(`The CMS is not a valid signature of this document: ${made?.verdict}.`);
  return bytes;
}

const refusal = (message: string) => new SignatureError('UNPROCESSABLE', message);
