import { Update } from '@scriptorium/pdf/update';
import { type OpensslKey, opensslCms } from '@scriptorium/testing/openssl-signing';
import { readPdfEvidence } from '../src/pades/pdf-evidence.ts';
import { type PrepareOptions, prepareSignature } from '../src/pades/prepare-signature.ts';
import { embedSignature, signedParts } from '../src/pades/prepared.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import type { ReasonCode } from '../src/reasons.ts';
import { RESERVE, SIGNING_TIME } from './signing.ts';

/** Returns the fault codes of each signature of a document, by its name. */
export function codesOf(pdf: Buffer): Record<string, ReasonCode[]> {
  const { signatures } = readPdfEvidence(pdf);
  return Object.fromEntries(
    signatures.map(({ id, faults }) => [id, [...new Set(faults.map(({ code }) => code))].sort()]),
  );
}

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Appends a well-formed update. */
export function updated(pdf: Buffer, change: (update: Update) => void): Buffer {
  const update = new Update(readPdf(pdf).document);
  change(update);
  return update.finish().bytes;
}

/** Replaces the last occurrence of a text with one that is not longer, padded with spaces. */
export function replaced(pdf: Buffer, before: string, now: string): Buffer {
  const at = pdf.lastIndexOf(before, pdf.length, 'latin1');
  if (at === -1 || now.length > before.length) throw new Error(`${before} cannot be replaced`);
  const bytes = Buffer.from(pdf);
  bytes.write(now.padEnd(before.length), at, 'latin1');
  return bytes;
}

/** Returns the offset in the newest `startxref`. */
export function startxrefOf(pdf: Buffer): number {
  const at = pdf.lastIndexOf('startxref', pdf.length, 'latin1');
  return Number(
    pdf
      .toString('latin1', at + 9, at + 24)
      .trim()
      .split(/\s/)[0],
  );
}

/** Signs an edited prepared document: the byte range stays, and the digest is over the edited bytes. */
export async function signedOddly(
  pdf: Buffer,
  key: OpensslKey,
  edit: (bytes: Buffer, byteRange: readonly [number, number, number, number]) => Buffer,
  options: Partial<PrepareOptions> = {},
): Promise<Buffer> {
  const ready = await prepareSignature(readPdf(pdf), {
    reserve: RESERVE,
    signingTime: SIGNING_TIME,
    ...options,
  });
  const bytes = edit(ready.bytes, ready.byteRange);
  return embedSignature({ ...ready, bytes }, await opensslCms(signedParts(bytes, ready.byteRange), key));
}
