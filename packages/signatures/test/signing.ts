import { type OpensslKey, opensslCms } from '@scriptorium/testing/openssl-signing';
import { type PrepareOptions, prepareSignature } from '../src/pades/prepare-signature.ts';
import { embedSignature, type PreparedPdf, signedParts } from '../src/pades/prepared.ts';
import { readPdf } from '../src/pades/read-pdf.ts';

export const RESERVE = 4_096;
export const SIGNING_TIME = new Date('2026-03-04T05:06:07Z');

/** Prepares a signature with default options. */
export async function prepared(pdf: Buffer, options: Partial<PrepareOptions> = {}): Promise<PreparedPdf> {
  return prepareSignature(readPdf(pdf), { reserve: RESERVE, signingTime: SIGNING_TIME, ...options });
}

/** Signs a PDF with a CMS of openssl. */
export async function signed(
  pdf: Buffer,
  key: OpensslKey,
  options: Partial<PrepareOptions> = {},
): Promise<Buffer> {
  const ready = await prepared(pdf, options);
  return embedSignature(ready, await opensslCms(signedParts(ready.bytes, ready.byteRange), key));
}
