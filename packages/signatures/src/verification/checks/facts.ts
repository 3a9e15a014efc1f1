import type { SignatureEvidence } from '../../evidence.ts';
import type { Fault } from '../../reasons.ts';
import { type Check, faultsFor } from './check.ts';

/**
 * Checks that need only the facts found by the document reader: its faults and the core of the signature. Trust and time do
 * not matter for them.
 */
export const FACT_CHECKS: readonly Check[] = [
  { name: 'format', run: ({ evidence }) => faultsFor(evidence, 'format') },
  {
    name: 'coverage',
    run: ({ evidence }) => unlessUnread(evidence, faultsFor(evidence, 'coverage')),
  },
  {
    name: 'digest',
    run: ({ evidence }) =>
      factOf(evidence, 'digest', ({ digestHolds }) => digestHolds, {
        code: 'DIGEST_MISMATCH',
        message: 'The document was modified after signing (digest mismatch).',
      }),
  },
  {
    name: 'signature',
    run: ({ evidence }) =>
      factOf(evidence, 'signature', ({ signatureHolds, signer }) => signatureHolds && signer !== undefined, {
        code: 'SIGNATURE_INVALID',
        message: 'The signature value does not match the key of its certificate.',
      }),
  },
  {
    name: 'signingCertificateAttribute',
    run: ({ evidence }) => {
      const faults = faultsFor(evidence, 'signingCertificateAttribute');
      if (faults.length > 0) return faults;
      return evidence.core?.signer && namingFaults(evidence.format, evidence.core.namesSigner);
    },
  },
];

type Core = NonNullable<SignatureEvidence['core']>;

/** Returns undefined, which means not checked, if the signature could not be read that far. */
const unlessUnread = ({ core }: SignatureEvidence, faults: Fault[]): Fault[] | undefined =>
  core === undefined && faults.length === 0 ? undefined : faults;

/** Returns the reader's faults, otherwise `fault` if the core is invalid. */
function factOf(
  evidence: SignatureEvidence,
  check: Check['name'],
  holds: (core: Core) => boolean,
  fault: Fault,
): Fault[] | undefined {
  const faults = faultsFor(evidence, check);
  const { core } = evidence;
  if (faults.length > 0 || core === undefined) return unlessUnread(evidence, faults);
  return holds(core) ? [] : [fault];
}

/** Formats whose signed data must name the certificate (EN 319 122-1, 5.2.2; EN 319 132-1, 5.2.2; RFC 5816). */
const BINDING: readonly SignatureEvidence['format'][] = ['PAdES', 'XAdES', 'RFC3161'];

/** Checks that the signed data name the certificate: otherwise another certificate with the same key could replace it. */
function namingFaults(format: SignatureEvidence['format'], namesSigner: Core['namesSigner']): Fault[] {
  if (namesSigner === 'yes') return [];
  if (namesSigner === 'no')
    return [
      {
        code: 'SIGNING_CERTIFICATE_MISMATCH',
        message: 'The signed attributes name a different certificate.',
      },
    ];
  return BINDING.includes(format)
    ? [
        {
          code: 'SIGNING_CERTIFICATE_REQUIRED',
          message: `The signed attributes do not name the certificate, which ${format} requires.`,
        },
      ]
    : [{ code: 'SIGNING_CERTIFICATE_ABSENT', message: 'The signed attributes do not name the certificate.' }];
}
