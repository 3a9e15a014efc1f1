import { createHash } from 'node:crypto';
import { type Certificate, displayName, distinguishedName } from '@scriptorium/pki/certificates';
import { plainText } from '@scriptorium/pki/fault';
import { readAuditJson } from '../audit/audit-json.ts';
import { checkRecord } from '../audit/audit-record.ts';
import { shownJson } from '../audit/shown-text.ts';
import type { DocumentEvidence, SignatureEvidence } from '../evidence.ts';
import { levelWith, type SignatureLevel } from '../levels.ts';
import type { Qualification } from '../lists/qualification.ts';
import { changeText } from '../reports/sentences.ts';
import type { Chain } from '../reports/xml.ts';
import type { Modification, VerifiedSignature, VerifyReply } from '../verify-report.ts';
import { type Answered, answersOfDocument } from './answers.ts';
import { type Assessment, judgeDocument } from './policy.ts';

/** Maximum for all signatures together: each covers the earlier ones and repeats their modifications. */
const MODIFICATIONS_SHOWN_MAX = 2_000;
const MODIFICATIONS_SHOWN_MIN = 10;
const REASONS_SHOWN_MAX = 50;
const EVENTS_SHOWN_MAX = 200;
const EMPTY_FIELDS_SHOWN_MAX = 200;
const TEXT_CHARS_MAX = 500;
const WORST_FIRST: readonly Modification['level'][] = ['forbidden', 'doubtful', 'permitted'];

/** Why `valid` is true although no anchor of the request is at the end of the chain. */
const SIGNED_BY_SERVICE =
  'The document is intact, and this service signed it with its own key. The certificate does not chain to a trusted anchor of this request.';

/** A fully validated signature. */
export interface ValidatedSignature extends Answered {
  provenTime: Date | undefined;
  isServiceKey: boolean;
  /** As far as it was found. */
  chain: Chain;
  /** If the request asks the trusted lists. */
  qualification: Qualification | undefined;
}

export interface Verified {
  source: Buffer;
  document: DocumentEvidence;
  /** In document order. */
  validated: readonly ValidatedSignature[];
  validationTime: Date;
}

/** Builds the reply: the results of the checks and the verdict. */
export function report(verified: Verified): VerifyReply {
  const { source, document, validated, validationTime } = verified;
  const { verdict, by, counted } = judgeDocument(validated);
  const answers = answersOfDocument(counted);
  const signers = validated.flatMap(({ evidence: { type, core } }) =>
    type === 'documentTimestamp' || core?.signer === undefined ? [] : [describeSigner(core.signer)],
  );
  const reason = reasonOf(verdict, answers.trust, by, validated.length);
  const lastSigner = signers.at(-1);
  return {
    valid: verdict === 'valid' || (verdict === 'valid_untrusted' && answers.trust === 'service'),
    ...(reason !== undefined && { reason }),
    ...(lastSigner && { signer: lastSigner, signers }),
    document: {
      contentType: document.contentType,
      bytes: source.length,
      sha256: createHash('sha256').update(source).digest('hex'),
      ...(document.pages !== undefined && { pages: document.pages }),
    },
    verdict,
    ...answers,
    ...timesOf(validated, answers.time),
    documentModified: modificationOf(validated),
    validationTime: validationTime.toISOString(),
    signatures: validated.map((each) => describeSignature(each, verified)),
    ...describeEmptyFields(document),
    auditTrail: describeAudit(document, validated),
  };
}

/** Times of the document: when all of its signatures provably existed, and the last time that a signer claims. */
function timesOf(
  validated: readonly ValidatedSignature[],
  time: VerifyReply['time'],
): Pick<VerifyReply, 'provenTime' | 'claimedSigningTime'> {
  const people = validated.filter(({ evidence }) => evidence.type !== 'documentTimestamp');
  const proven = last(people.map(({ provenTime }) => provenTime));
  const claimed = last(people.map(({ evidence }) => evidence.claimedSigningTime));
  return {
    ...(time === 'proven' && proven && { provenTime: proven.toISOString() }),
    ...(claimed && { claimedSigningTime: claimed.toISOString() }),
  };
}

function last(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined).map((time) => time.getTime());
  return known.length === 0 ? undefined : new Date(Math.max(...known));
}

function reasonOf(
  verdict: VerifyReply['verdict'],
  trust: VerifyReply['trust'],
  by: Assessment | undefined,
  count: number,
): string | undefined {
  if (verdict === 'valid') return undefined;
  if (by === undefined)
    return count === 0 ? 'The document is not signed.' : 'The document is not signed, only time-stamped.';
  if (verdict === 'valid_untrusted' && trust === 'service') return SIGNED_BY_SERVICE;
  const message = by.judgement.decisive?.message ?? 'A check could not be made.';
  return count === 1 ? message : `Signature ${shown(by.evidence.id)}: ${message}`;
}

function modificationOf(validated: readonly ValidatedSignature[]): VerifyReply['documentModified'] {
  const isChanged = validated.some(({ findings }) =>
    findings.some(({ check, result }) => result === 'failed' && (check === 'digest' || check === 'coverage')),
  );
  const levels = validated.flatMap(({ evidence }) => evidence.modifications.map(({ level }) => level));
  if (isChanged || levels.includes('forbidden')) return 'forbidden';
  // What the signature does not cover may have been added or changed, and the text shows it.
  const isUnknown = validated.some(({ evidence }) =>
    evidence.faults.some(({ code }) => code === 'PROPERTIES_SHOWN'),
  );
  return levels.length > 0 || isUnknown ? 'permitted' : 'no';
}

/** The time that the signer states, or the authority of a document time-stamp. */
export const claimedTimeOf = ({ claimedSigningTime, core }: SignatureEvidence): Date | undefined =>
  claimedSigningTime ?? core?.statedTime;

function describeSignature(
  one: ValidatedSignature,
  { source, document, validated }: Verified,
): VerifiedSignature {
  const { evidence, findings, judgement, provenTime, isServiceKey, answers } = one;
  const { core, byteRange, permissions, claims = {} } = evidence;
  const claimedTime = claimedTimeOf(evidence);
  const level = levelOf(evidence, document);
  const { subIndication } = judgement;
  const locks = permissions.lockedFields;
  return {
    id: shown(evidence.id),
    type: evidence.type,
    format: evidence.format,
    ...(level && { level }),
    indication: judgement.indication,
    ...(subIndication !== undefined && { subIndication }),
    ...answers,
    coversWholeDocument: coversAll(one, source.length),
    reasons: findings.flatMap(({ reasons }) => reasons).slice(0, REASONS_SHOWN_MAX),
    checks: Object.fromEntries(
      findings.map(({ check, result }) => [check, result]),
    ) as VerifiedSignature['checks'],
    ...(core?.signer && { signer: describeSigner(core.signer) }),
    ...(claims.name !== undefined && { claimedName: shown(claims.name) }),
    ...(claims.reason !== undefined && { reason: shown(claims.reason) }),
    ...(claims.location !== undefined && { location: shown(claims.location) }),
    isServiceKey,
    ...(one.qualification && { qualification: one.qualification }),
    ...(core && { digestAlgorithm: core.digestAlgorithm, signatureAlgorithm: core.signatureAlgorithm }),
    ...(claimedTime && { claimedSigningTime: claimedTime.toISOString() }),
    ...(provenTime && { provenTime: provenTime.toISOString() }),
    ...(byteRange && { byteRange: [...byteRange] }),
    revision: evidence.revision,
    totalRevisions: evidence.totalRevisions,
    permissions: {
      ...(permissions.docMdp !== undefined && { docMdp: permissions.docMdp }),
      ...(locks && locks.length > 0 && { lockedFields: locks }),
    },
    ...shownModifications(evidence.modifications, validated.length),
  };
}

function describeEmptyFields({ emptyFields = [] }: DocumentEvidence): Pick<VerifyReply, 'emptyFields'> {
  if (emptyFields.length === 0) return {};
  const listed = emptyFields.slice(0, EMPTY_FIELDS_SHOWN_MAX).map(({ name, role, ...place }) => ({
    name: shown(name),
    ...(role !== undefined && { role: shown(role) }),
    ...place,
  }));
  return { emptyFields: listed };
}

/** The range of a PDF must end where the file ends. A package has no bytes outside its parts that readers show. */
function coversAll({ evidence, findings }: ValidatedSignature, bytes: number): boolean {
  const [, , start, length] = evidence.byteRange ?? [];
  const endsWithFile = start === undefined || length === undefined || start + length === bytes;
  return endsWithFile && findings.some(({ check, result }) => check === 'coverage' && result === 'passed');
}

/** Keeps the worst modifications when some are left out. */
function shownModifications(
  modifications: readonly Modification[],
  count: number,
): Pick<VerifiedSignature, 'modifications' | 'modificationsLeftOut'> {
  const shownMax = Math.max(MODIFICATIONS_SHOWN_MIN, Math.floor(MODIFICATIONS_SHOWN_MAX / count));
  if (modifications.length <= shownMax) return { modifications: modifications.map(inWords) };
  const sorted = WORST_FIRST.flatMap((level) => modifications.filter((each) => each.level === level));
  return {
    modifications: sorted.slice(0, shownMax).map(inWords),
    modificationsLeftOut: modifications.length - shownMax,
  };
}

function inWords({ field, values, ...change }: Modification): VerifiedSignature['modifications'][number] {
  const known = {
    ...change,
    ...(field !== undefined && { field: shown(field) }),
    ...(values && { values: { before: shown(values.before), after: shown(values.after) } }),
  };
  return { ...known, message: changeText(known) };
}

/** Returns the baseline level of a signature by its form; the checks report whether it is valid. */
function levelOf(evidence: SignatureEvidence, document: DocumentEvidence): SignatureLevel | undefined {
  const { core, format, revision, type } = evidence;
  const isBaseline = type !== 'documentTimestamp' && (format === 'PAdES' || format === 'XAdES');
  if (!isBaseline || core === undefined || core.namesSigner !== 'yes') return undefined;
  const later = document.signatures.filter(
    (other) => other.type === 'documentTimestamp' && other.revision > revision,
  );
  const { ocsps, crls } = document.validationData;
  const inside = core.validationData;
  const hasAnswers = ocsps.length + crls.length + inside.ocsps.length + inside.crls.length > 0;
  return levelWith({
    hasOwnStamp: core.timestamps.some(({ hasSha1 }) => !hasSha1),
    laterStamps: later.length,
    hasRevocationData: hasAnswers,
  });
}

function describeSigner(certificate: Certificate): NonNullable<VerifyReply['signer']> {
  const { x509 } = certificate;
  return {
    commonName: displayName(certificate),
    subject: shown(distinguishedName(x509.subject)),
    issuer: shown(distinguishedName(x509.issuer)),
    serialNumber: x509.serialNumber.toLowerCase(),
    notBefore: certificate.notBefore.toISOString(),
    notAfter: certificate.notAfter.toISOString(),
    sha256: createHash('sha256').update(certificate.der).digest('hex'),
  };
}

/** Returns text of the document, which may contain anything, for display. */
const shown = (text: string): string => plainText(text, TEXT_CHARS_MAX);

function describeAudit(
  { audit }: DocumentEvidence,
  validated: readonly ValidatedSignature[],
): VerifyReply['auditTrail'] {
  if (audit === undefined) return { present: false };
  // A signature does not cover changes made below it.
  const holds = ({ evidence: { core, type } }: ValidatedSignature) =>
    type === 'documentTimestamp' || (core?.signatureHolds === true && core.digestHolds);
  const sealed = audit.isSealed && validated.every(holds);
  const record = readAuditJson(audit.bytes);
  if (record === undefined) return { present: true, chain: 'unreadable', sealed };
  return {
    present: true,
    chain: checkRecord(record) === undefined ? 'intact' : 'broken',
    sealed,
    id: record.id,
    hash: record.hash,
    inputSha256: record.inputSha256,
    entries: record.entries.length,
    events: record.entries.slice(0, EVENTS_SHOWN_MAX).map(({ type, timestamp, data, hash }) => ({
      type,
      time: shown(timestamp),
      ...(data !== undefined && { data: shownJson(data, TEXT_CHARS_MAX) }),
      hash,
    })),
    ...(record.entries.length > EVENTS_SHOWN_MAX && {
      eventsLeftOut: record.entries.length - EVENTS_SHOWN_MAX,
    }),
  };
}
