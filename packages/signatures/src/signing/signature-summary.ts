import { createHash } from 'node:crypto';
import { certificateOf, distinguishedName } from '@scriptorium/pki/certificates';
import { algorithmNames, type RawSigner } from '@scriptorium/pki/keys';
import type { SignatureLevel } from '../levels.ts';
import type { MadeSignature } from '../sign-request.ts';

export interface SummaryParts {
  signer: RawSigner;
  signatureValue: Buffer;
  level: SignatureLevel;
  signingTime: Date;
  timestampTime?: Date | undefined;
  fieldName?: string;
  byteRange?: readonly number[];
}

/** Describes a signature in the reply. */
export function describeSignature({ signer, signatureValue, ...made }: SummaryParts): MadeSignature {
  const [certificate] = signer.certificates;
  return {
    id: createHash('sha256').update(signatureValue).digest('hex'),
    ...(made.fieldName !== undefined && { fieldName: made.fieldName }),
    level: made.level,
    ...algorithmNames(signer),
    signingTime: made.signingTime.toISOString(),
    ...(made.timestampTime && { timestampTime: made.timestampTime.toISOString() }),
    certificate: {
      subject: distinguishedName(certificate.subject),
      issuer: distinguishedName(certificate.issuer),
      serialNumber: certificate.serialNumber.toLowerCase(),
      notAfter: certificateOf(certificate).notAfter.toISOString(),
      sha256: createHash('sha256').update(certificate.raw).digest('hex'),
    },
    ...(made.byteRange && { byteRange: [...made.byteRange] }),
  };
}
