import { OoxmlError } from '@scriptorium/ooxml/error';
import { PdfError } from '@scriptorium/pdf/error';
import { readCertificate } from '@scriptorium/pki/certificates';
import { compareRevisions } from '@scriptorium/rendering/compare-revisions';
import { SignatureError } from '../../src/signature-error.ts';
import { verify } from '../../src/verification/verify-document.ts';
import type { VerifyTools } from '../../src/verification/verify-tools.ts';
import type { RevocationMode, Verification, VerifyReply } from '../../src/verify-report.ts';
import type { Lab } from './lab.ts';

/** Returns the verifier's reply with the authorities of the lab as anchors. */
export function judged(
  lab: Pick<Lab, 'anchors' | 'fetcher'>,
  source: Buffer,
  revocation: RevocationMode = 'embedded',
  {
    password,
    secondReader,
    ...options
  }: Pick<Verification, 'pictures' | 'validationTime'> &
    Pick<VerifyTools, 'secondReader'> & { password?: string } = {},
): Promise<VerifyReply> {
  const anchors = lab.anchors.map(readCertificate);
  const trust = { anchors: lab.anchors.map((der) => der.toString('base64')) };
  return verify(
    { source, password, verification: { trust, revocation, ...options } },
    {
      now: () => new Date(),
      service: [],
      anchors: () => anchors,
      fetcher: lab.fetcher,
      renderer: { compare: compareRevisions },
      secondReader,
    },
  );
}

/** Does the same, and returns undefined if the verifier rejects the document as unreadable. */
export async function judgedOrRefused(
  lab: Pick<Lab, 'anchors' | 'fetcher'>,
  source: Buffer,
  revocation?: RevocationMode,
): Promise<VerifyReply | undefined> {
  try {
    return await judged(lab, source, revocation);
  } catch (error) {
    if ([OoxmlError, PdfError, SignatureError].some((type) => error instanceof type)) return undefined;
    throw error;
  }
}

/** Returns the codes of all reasons. */
export const codesOf = ({ signatures }: VerifyReply): string[] =>
  signatures.flatMap(({ reasons }) => reasons.map(({ code }) => code));
