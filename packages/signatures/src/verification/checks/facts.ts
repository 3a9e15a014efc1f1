import type { SignatureEvidence } from '../../evidence.ts';
import type { Fault } from '../../reasons.ts';
import { type Check, faultsFor } from './check.ts';

/**
 * The checks that need nothing but what the reader of the document found: its faults, and the facts of the signature's
 * core. Whom to trust, and when, does not matter to them.
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
        message: 'The signature value is not that of its certificate.',
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

/** Undefined, for there is nothing to check, where the signature could not be read that far. */
const unlessUnread = ({ core }: SignatureEvidence, faults: Fault[]): Fault[] | undefined =>
  core === undefined && faults.length === 0 ? undefined : faults;

/** What the reader objected to, else `fault` where the core does not hold. */
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

/** Formats that bind the certificate into what is signed (EN 319 122-1, 5.2.2; EN 319 132-1, 5.2.2; RFC 5816). */
const BINDING: readonly SignatureEvidence['format'][] = ['PAdES', 'XAdES', 'RFC3161'];

/** Whether what was signed names the certificate: without, another one over the same key may be put in its place. */
function namingFaults(format: SignatureEvidence['format'], namesSigner: Core['namesSigner']): Fault[] {
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
