import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { IssueRequest } from '@scriptorium/testing/pki/identity';
import { createPki } from '@scriptorium/testing/pki/pki';
import type { Attack, AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { faultyCms } from './cms.ts';
import { signedOddly } from './odd-signing.ts';

const HOUR_MS = 3_600_000;

const signedBy = async (lab: Lab, request: Partial<IssueRequest>): Promise<Buffer> => {
  const signer = await lab.pki.issue({ name: 'Ada Lovelace', ...request });
  return signedOddly(lab, plainPdf(), { cms: (signed) => faultyCms(signed, { signer }) });
};

const issued = (
  name: string,
  request: Partial<IssueRequest>,
  codes: Attack['codes'],
  verdict: Attack['verdict'],
): Attack => ({ name, codes, ...(verdict && { verdict }), make: (lab) => signedBy(lab, request) });

export const falseTrust: AttackClass = {
  name: 'Untrustworthy certificates',
  source: 'RFC 5280, 6; ETSI EN 319 102-1, 5.2',
  isOfTrust: true,
  attacks: [
    {
      name: 'the authority is fake, with the names of the real one',
      codes: ['CHAIN_UNTRUSTED'],
      verdict: 'valid_untrusted',
      async make(lab) {
        const false_ = await createPki();
        try {
          const signer = await false_.issue({ name: lab.ada.name });
          return await signedOddly(lab, plainPdf(), { cms: (signed) => faultyCms(signed, { signer }) });
        } finally {
          await false_.close();
        }
      },
    },
    {
      name: 'the authority is fake, and the certificates of the real one are included',
      codes: ['CHAIN_UNTRUSTED'],
      verdict: 'valid_untrusted',
      async make(lab) {
        const false_ = await createPki();
        try {
          const signer = await false_.issue({ name: lab.ada.name });
          const certificates = [signer.der, ...lab.ada.chain];
          return await signedOddly(lab, plainPdf(), {
            cms: (signed) => faultyCms(signed, { signer, certificates }),
          });
        } finally {
          await false_.close();
        }
      },
    },
    issued(
      'the certificate has expired',
      { notBefore: new Date(Date.now() - 48 * HOUR_MS), notAfter: new Date(Date.now() - HOUR_MS) },
      ['CERTIFICATE_EXPIRED'],
      'indeterminate',
    ),
    issued(
      'the certificate is not yet valid',
      { notBefore: new Date(Date.now() + HOUR_MS), notAfter: new Date(Date.now() + 48 * HOUR_MS) },
      ['CERTIFICATE_NOT_YET_VALID'],
      'invalid',
    ),
    issued(
      'the certificate is for encryption only',
      { keyUsage: ['keyEncipherment'] },
      ['CHAIN_INVALID'],
      'invalid',
    ),
    {
      name: 'the certificate was issued by an authority that must not issue certificates',
      codes: ['CHAIN_INVALID', 'CHAIN_UNTRUSTED'],
      verdict: 'invalid',
      async make(lab) {
        const issuer = await lab.pki.issue({ name: 'Clerk', ca: {}, keyUsage: ['digitalSignature'] });
        return signedBy(lab, { issuer });
      },
    },
    {
      name: 'the certificate is deeper below the root than its authority permits',
      codes: ['CHAIN_INVALID', 'CHAIN_UNTRUSTED'],
      verdict: 'invalid',
      async make(lab) {
        const upper = await lab.pki.issue({ name: 'Upper', ca: { pathLength: 0 } });
        const lower = await lab.pki.issue({ name: 'Lower', ca: {}, issuer: upper });
        return signedBy(lab, { issuer: lower });
      },
    },
    {
      name: 'the certificate is revoked',
      codes: ['CERTIFICATE_REVOKED'],
      verdict: 'indeterminate',
      revocation: 'online',
      async make(lab) {
        const signer = await lab.pki.issue({ name: 'Ada Lovelace' });
        lab.pki.revoke(signer);
        return lab.sign(plainPdf(), { by: signer });
      },
    },
    {
      name: 'the certificate was revoked before the proven time of the signature',
      codes: ['SIGNED_AFTER_REVOCATION'],
      revocation: 'online',
      async make(lab) {
        const signer = await lab.pki.issue({ name: 'Ada Lovelace' });
        lab.pki.revoke(signer);
        return lab.sign(plainPdf(), { by: signer, level: 'B-T' });
      },
    },
    {
      name: 'the authority of the certificate is revoked',
      codes: ['CERTIFICATE_REVOKED'],
      verdict: 'indeterminate',
      revocation: 'online',
      async make(lab) {
        const issuer = await lab.pki.issue({ name: 'Compromised', ca: {} });
        const signer = await lab.pki.issue({ name: 'Ada Lovelace', issuer });
        lab.pki.revoke(issuer);
        return lab.sign(plainPdf(), { by: signer });
      },
    },
  ],
};
