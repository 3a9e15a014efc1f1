import { DerError } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import type { ValidationData } from '../keys/raw-signer.ts';
import { algorithmId, hashName, UnsupportedAlgorithmError } from '../x509/algorithms.ts';
import { type Certificate, hasExtendedKeyUsage } from '../x509/certificate.ts';
import { readTime } from '../x509/time.ts';
import { protectsAlgorithms } from './algorithm-protection.ts';
import { checkDigest } from './check-digest.ts';
import { checkSignature, weaknesses } from './check-signature.ts';
import { findSigner } from './find-signer.ts';
import { type Attributes, onlyValue, readSignedData, type SignedData } from './read-signed-data.ts';
import { revocationValues } from './revocation-values.ts';
import type { TimestampEvidence } from './signature-timestamps.ts';
import { signatureTimestamps } from './signature-timestamps.ts';
import { type CmsKind, HashedParts, signedContent } from './signed-content.ts';
import { namesAnySigner, namesSigner } from './signing-certificate.ts';

/** Results of the cryptographic checks of a signature, without trust. */
export interface SignedCore {
  /** Such as `SHA-256`, `RSA-PKCS1-v1_5`. */
  digestAlgorithm: string;
  signatureAlgorithm: string;
  digestHolds: boolean;
  /** Also false if it could not be checked; a fault then gives the reason. */
  signatureHolds: boolean;
  signer: Certificate | undefined;
  /** All certificates in the signature, including the signer's. */
  certificates: Certificate[];
  /** Whether the signed data name the signer certificate (RFC 5035; EN 319 132-1, 5.2.2). */
  namesSigner: 'yes' | 'no' | 'absent';
  /** The valid time-stamps over this signature. The others are faults. */
  timestamps: TimestampEvidence[];
  /** The time that a document time-stamp states. */
  statedTime?: Date;
  /** Validation data from inside the signature. */
  validationData: ValidationData;
}

/** Results for a CMS over a document. */
export interface CmsReading {
  /** Undefined if the CMS is unreadable; `faults` then give the reason. */
  core?: SignedCore;
  faults: Fault[];
  /** The signing-time attribute. */
  claimedSigningTime?: Date;
}

/**
 * Reads and checks a CMS (RFC 5652) over these parts of a document: the value of /Contents, with its padding zeros.
 * Does not throw on bad input: every problem becomes a fault. `requireSigningCertificate`: the format requires that
 * the signed attributes name the certificate (EN 319 142-1, 6.3). For time-stamps this is always required (RFC 3161,
 * 2.4.2).
 */
export function readSignedCore(
  contents: Buffer,
  signedParts: readonly Buffer[],
  kind: CmsKind,
  requireSigningCertificate: boolean,
): CmsReading {
  try {
    return checkSignedData(
      readSignedData(contents),
      new HashedParts(signedParts),
      kind,
      requireSigningCertificate,
    );
  } catch (error) {
    if (error instanceof UnsupportedAlgorithmError)
      return { faults: [fault('ALGORITHM_UNSUPPORTED', 'The signature is not supported', error)] };
    if (error instanceof DerError)
      return { faults: [fault('CMS_INVALID', 'The value is not a readable CMS with one signer', error)] };
    throw error;
  }
}

const OTHER_ALGORITHMS = 'The signed attributes name other algorithms than the signature does.';

function checkSignedData(
  data: SignedData,
  document: HashedParts,
  kind: CmsKind,
  requireSigningCertificate: boolean,
): CmsReading {
  const { signer: info } = data;
  const about = signedContent(data, document, kind);
  const signer = findSigner(data);
  const digest = checkDigest(data, about.content);
  const signature = checkSignature(info, signer, about.content, digest.hash);
  const naming = signer
    ? namesSigner(info.signed?.attributes, signer)
    : namesAnySigner(info.signed?.attributes)
      ? 'no'
      : 'absent';
  const stamps = signatureTimestamps(info);
  const hash = about.hash ?? digest.hash;
  return {
    core: {
      digestAlgorithm: hash ? hashName(hash) : algorithmId(info.digestAlgorithm),
      signatureAlgorithm: signature.scheme?.family ?? algorithmId(info.signatureAlgorithm),
      digestHolds: about.holds && (digest.holds ?? signature.holds),
      signatureHolds: signature.holds,
      signer,
      certificates: data.certificates,
      namesSigner: naming,
      timestamps: stamps.timestamps,
      ...(about.statedTime && { statedTime: about.statedTime }),
      validationData: { certificates: [], ...revocationValues(data) },
    },
    faults: [
      ...about.faults,
      ...digest.faults,
      ...signature.faults,
      ...(protectsAlgorithms(info) ? [] : [fault('ALGORITHM_UNSUPPORTED', OTHER_ALGORITHMS)]),
      ...(signer ? objectionsToSigner(signer, kind) : []),
      ...namingFaults(naming, signer !== undefined, requireSigningCertificate || kind === 'timestamp'),
      ...stamps.faults,
      ...weaknesses([about.hash, digest.hash], signature.scheme, signer?.x509.publicKey),
    ],
    ...(kind !== 'timestamp' && claimedSigningTime(info.signed?.attributes)),
  };
}

/** RFC 3161, 2.3: a time-stamping certificate must have no other purpose. */
function objectionsToSigner(signer: Certificate, kind: CmsKind): Fault[] {
  if (kind !== 'timestamp' || isForTimestamps(signer)) return [];
  return [fault('CHAIN_INVALID', 'The certificate of the time-stamp is not restricted to time-stamping.')];
}

function isForTimestamps(signer: Certificate): boolean {
  try {
    return hasExtendedKeyUsage(signer, OID.timeStamping, true);
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

function namingFaults(naming: SignedCore['namesSigner'], hasSigner: boolean, isRequired: boolean): Fault[] {
  if (naming === 'yes' || (naming === 'no' && !hasSigner)) return [];
  if (naming === 'no')
    return [
      fault('SIGNING_CERTIFICATE_MISMATCH', 'The signed attributes do not name the certificate that signed.'),
    ];
  return [
    isRequired
      ? fault(
          'SIGNING_CERTIFICATE_REQUIRED',
          'The signed attributes do not name the signer certificate, which the format requires.',
        )
      : fault('SIGNING_CERTIFICATE_ABSENT', 'The signed attributes do not name the signer certificate.'),
  ];
}

/** The time is only a claim, so an unreadable one is ignored. */
function claimedSigningTime(attributes: Attributes | undefined): Pick<CmsReading, 'claimedSigningTime'> {
  try {
    const value = onlyValue(attributes, OID.signingTime);
    return value === undefined ? {} : { claimedSigningTime: readTime(value) };
  } catch (error) {
    if (error instanceof DerError) return {};
    throw error;
  }
}
