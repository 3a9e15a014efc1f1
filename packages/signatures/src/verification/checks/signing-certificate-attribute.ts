import type { SignatureEvidence } from '../../evidence.ts';
import type { Fault } from '../../reasons.ts';
import { type Check, faultsFor } from './check.ts';

/** Formats that bind the certificate into what is signed (EN 319 122-1, 5.2.2; EN 319 132-1, 5.2.2; RFC 5816). */
const BINDING: readonly SignatureEvidence['format'][] = ['PAdES', 'XAdES', 'RFC3161'];

/** Whether what was signed names the certificate: without, another one over the same key may be put in its place. */
export const signingCertificateAttribute: Check = {
  name: 'signingCertificateAttribute',
  run({ evidence }) {
    const faults = faultsFor(evidence, 'signingCertificateAttribute');
    const { core } = evidence;
    if (faults.length > 0) return faults;
    if (core?.signer === undefined) return undefined;
    return objections(evidence.format, core.namesSigner);
  },
};

function objections(format: SignatureEvidence['format'], namesSigner: 'yes' | 'no' | 'absent'): Fault[] {
  if (namesSigner === 'yes') return [];
  if (namesSigner === 'no')
    return [
      { code: 'SIGNING_CERTIFICATE_MISMATCH', message: 'The signed attributes name another certificate.' },
    ];
  return BINDING.includes(format)
    ? [
        {
          code: 'SIGNING_CERTIFICATE_REQUIRED',
          message: `The signed attributes name no certificate, which ${format} asks for.`,
        },
      ]
    : [{ code: 'SIGNING_CERTIFICATE_ABSENT', message: 'The signed attributes name no certificate.' }];
}
