import { createHash } from 'node:crypto';
import { signedData } from '@scriptorium/pki/cms';
import { type PrepareOptions, prepareSignature } from '../../../src/pades/prepare-signature.ts';
import { embedSignature, type PreparedPdf, signedParts } from '../../../src/pades/prepared.ts';
import { readPdf } from '../../../src/pades/read-pdf.ts';
import { type Lab, signerOf } from '../lab.ts';
import { lastSignature, overwritten } from './edit.ts';

export interface OddSigning extends Partial<PrepareOptions> {
  /** Changes the file before signing; its length stays. */
  edit?: (prepared: PreparedPdf) => Buffer;
  /** The signed and stated byte range. */
  range?: (right: PreparedPdf['byteRange']) => [number, number, number, number];
  /** Makes the CMS; the signer's own by default. */
  cms?: (signed: Buffer) => Buffer | Promise<Buffer>;
}

const RESERVE = 8_192;

/** Signs bytes chosen by a dishonest signer, with a valid signature. */
export async function signedOddly(lab: Lab, pdf: Buffer, odd: OddSigning = {}): Promise<Buffer> {
  const { edit, range, cms, ...options } = odd;
  const prepared = await prepareSignature(readPdf(pdf), {
    reserve: RESERVE,
    signingTime: new Date(),
    reason: 'As agreed',
    ...options,
  });
  const { byteRange } = prepared;
  let bytes = edit ? edit(prepared) : prepared.bytes;
  const chosen = range ? range(byteRange) : byteRange;
  if (range) bytes = overwritten(bytes, lastSignature(bytes).range, `/ByteRange [${chosen.join(' ')}]`);
  const signed = Buffer.concat(signedParts(bytes, chosen));
  return embedSignature({ ...prepared, bytes }, await (cms ?? own(lab))(signed));
}

const own = (lab: Lab) => async (signed: Buffer) => {
  const digest = createHash('sha256').update(signed).digest();
  return (await signedData({ digest, signer: await signerOf(lab.ada) })).cms;
};
