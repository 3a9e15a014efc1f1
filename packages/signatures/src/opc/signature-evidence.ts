import type { Part } from '@scriptorium/ooxml/package';
import { type Certificate, hashName, tryReadCertificate } from '@scriptorium/pki/certificates';
import { type SignedCore, type TimestampEvidence, weaknesses } from '@scriptorium/pki/cms';
import { SIGNATURE_NAMES } from '@scriptorium/pki/keys';
import type { SignatureEvidence } from '../evidence.ts';
import { isSignatureOf } from './algorithms.ts';
import type { ContentCoverage } from './content-coverage.ts';
import { FaultList } from './fault-list.ts';
import { CERTIFICATE_RELATIONSHIP, type ListedSignature } from './listed-signatures.ts';
import { type ReadSignature, readBase64, readSignature, signedBytes } from './read-signature.ts';
import { hashOf, objectsHold, type PartFinding, type SignedParts } from './reference-digest.ts';
import type { Signable } from './signable.ts';
import { SignatureFormatError, UnsupportedMethodError } from './signature-errors.ts';
import { claimedTimes, openTimestamps, readClaims, readEmbedded } from './signature-properties.ts';
import { type ChosenSigner, chooseSigner } from './signer-certificate.ts';

/** Programs take the time twice, once for each way to state it. */
const SAME_TIME_MS = 60_000;

/** The package that all signatures of a document are compared with. */
export interface SignedPackage {
  signable: Signable;
  parts: SignedParts;
  coverage: ContentCoverage;
}

/** The evidence of one signature, with the keys of the parts that it covers and that are unchanged. */
export interface PartsEvidence {
  evidence: SignatureEvidence;
  findings: readonly PartFinding[];
}

/** Collects the evidence of a signature of a package (ECMA-376-2 §13, MS-OFFCRYPTO §2.5.2, EN 319 132-1). */
export function signatureEvidence(listed: ListedSignature, content: SignedPackage): PartsEvidence {
  const faults = new FaultList(listed.faults);
  const signature = attempt(faults, () =>
    listed.part === undefined ? undefined : readSignature(listed.part.xml),
  );
  const checked = signature && attempt(faults, () => checkContent(signature, content, faults));
  // If the covered content could not be read, no core is better than a wrong one.
  const core =
    checked &&
    attempt(faults, () => readCore(signature, certificateParts(listed.part, content.signable), faults));
  const claimed = signature && claimedTime(signature, faults);
  const evidence: SignatureEvidence = {
    id: listed.id,
    type: 'approval',
    format: signature === undefined ? 'unknown' : signature.signedProperties ? 'XAdES' : 'XMLDSig',
    faults: faults.list,
    core: core && { ...core, digestHolds: checked.digestHolds },
    ...(claimed && { claimedSigningTime: claimed }),
    ...(signature && { claims: readClaims(signature) }),
    revision: 1,
    totalRevisions: 1,
    permissions: {},
    modifications: faults.modifications,
  };
  return { evidence, findings: checked?.findings ?? [] };
}

/** Turns format errors of a signature into faults. */
function attempt<T>(faults: FaultList, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SignatureFormatError)) throw error;
    const isUnsupported = error instanceof UnsupportedMethodError;
    const [code, what] = isUnsupported
      ? (['ALGORITHM_UNSUPPORTED', 'is not supported'] as const)
      : (['XML_SIGNATURE_INVALID', 'does not have a form that packages allow'] as const);
    faults.add(code, `The signature ${what}: ${error.message}.`);
    return undefined;
  }
}

interface CheckedContent {
  findings: readonly PartFinding[];
  digestHolds: boolean;
}

/** Compares a signature with the package. The Manifest of an invalid signature proves nothing. */
function checkContent(
  signature: ReadSignature,
  { parts, coverage }: SignedPackage,
  faults: FaultList,
): CheckedContent {
  if (!objectsHold(signature)) {
    faults.add('DIGEST_MISMATCH', 'The signed objects within the signature were changed after signing.');
    return { findings: [], digestHolds: false };
  }
  const findings = parts.examine(signature.manifest);
  for (const finding of findings) faults.addFinding(finding);
  faults.append(coverage.judge(findings));
  const isChanged = findings.some(({ outcome }) => outcome === 'changed' || outcome === 'missing');
  return { findings, digestHolds: !isChanged };
}

/** Certificates may be in separate parts (ECMA-376-2 §13.2.3). */
function certificateParts(part: Part | undefined, { document }: Signable): Certificate[] {
  const leads = part?.relationships.list.filter(({ type }) => type === CERTIFICATE_RELATIONSHIP) ?? [];
  return leads.slice(0, CERTIFICATE_PARTS_MAX).flatMap(({ part: key }) => {
    const found = key === undefined ? undefined : document.parts.get(key);
    return found === undefined ? [] : [tryReadCertificate(found.bytes) ?? []].flat();
  });
}

const CERTIFICATE_PARTS_MAX = 20;

function readCore(
  signature: ReadSignature,
  fromParts: readonly Certificate[],
  faults: FaultList,
): Omit<SignedCore, 'digestHolds'> {
  const { method, references, manifest } = signature;
  const value = readBase64(signature.value);
  const data = signedBytes(signature);
  const embedded = readEmbedded(signature);
  const certificates = [...signature.certificates, ...fromParts];
  const chosen = chooseSigner(
    certificates.length > 0
      ? certificates
      : embedded.certificates.flatMap((der) => tryReadCertificate(der) ?? []),
    signature.signedProperties,
    ({ x509 }) => isSignatureOf(value, data, method, x509),
  );
  addSignerFaults(chosen, signature, faults);
  const hashes = [...references.map(({ reference }) => reference), ...manifest].map(hashOf);
  for (const { code, message, isSha1 } of weaknesses(
    [...hashes, method.hash],
    undefined,
    chosen.signer?.x509.publicKey,
  ))
    faults.add(code, message, isSha1);
  return {
    digestAlgorithm: hashName(method.hash),
    signatureAlgorithm: SIGNATURE_NAMES[method.algorithm],
    signatureHolds: chosen.signatureHolds,
    signer: chosen.signer,
    certificates,
    namesSigner: chosen.namesSigner,
    timestamps: readStamps(signature, faults),
    validationData: embedded,
  };
}

function addSignerFaults(
  { signer, signatureHolds, namesSigner, isAmbiguous }: ChosenSigner,
  { signedProperties }: ReadSignature,
  faults: FaultList,
): void {
  if (signer === undefined) {
    faults.add(
      'SIGNER_CERTIFICATE_MISSING',
      'The signature does not contain the signer’s certificate, or it cannot be read.',
    );
    return;
  }
  if (!signatureHolds)
    faults.add(
      'SIGNATURE_INVALID',
      'The signature value does not match the signed data and the key of the certificate.',
    );
  if (namesSigner === 'no' || isAmbiguous)
    faults.add(
      'SIGNING_CERTIFICATE_MISMATCH',
      isAmbiguous
        ? 'More than one certificate fits the signature, and it does not name one.'
        : 'The signature names a different certificate than the one that signed.',
    );
  if (namesSigner !== 'absent') return;
  if (signedProperties === undefined)
    faults.add('SIGNING_CERTIFICATE_ABSENT', 'The signed properties do not name the certificate.');
  else
    faults.add(
      'SIGNING_CERTIFICATE_REQUIRED',
      'The signed properties do not name the certificate, which XAdES requires.',
    );
}

function readStamps(signature: ReadSignature, faults: FaultList): TimestampEvidence[] {
  return openTimestamps(signature).flatMap((outcome) => {
    if (!('code' in outcome)) return [outcome];
    faults.add(outcome.code, outcome.message);
    return [];
  });
}

function claimedTime(signature: ReadSignature, faults: FaultList): Date | undefined {
  const [time, ...others] = claimedTimes(signature);
  if (time !== undefined && others.some((other) => Math.abs(other.getTime() - time.getTime()) > SAME_TIME_MS))
    faults.add('SIGNING_TIME_AMBIGUOUS', 'The signature states two different signing times.');
  return time;
}
