import type { RevocationMode, VerifyReply } from '@scriptorium/shared/jobs/verify';
import { readCertificate } from '../../src/trust/certificate.ts';
import { verify } from '../../src/verify.ts';
import type { Lab } from './lab.ts';

/** What the verifier answers to who trusts the authorities of the lab. */
export function judged(
  lab: Lab,
  source: Buffer,
  revocation: RevocationMode = 'embedded',
): Promise<VerifyReply> {
  const anchors = lab.anchors.map(readCertificate);
  const trust = { anchors: lab.anchors.map((der) => der.toString('base64')) };
  return verify(
    { source, verification: { trust, revocation } },
    { now: () => new Date(), service: [], anchors: () => anchors, fetcher: lab.fetcher },
  );
}

/** The codes of all reasons that it gives. */
export const codesOf = ({ signatures }: VerifyReply): string[] =>
  signatures.flatMap(({ reasons }) => reasons.map(({ code }) => code));
