import { EVENT_NAMES, type EventRow } from '../audit/event-table.ts';
import { shownText } from '../audit/shown-text.ts';
import type { Trust } from '../questions.ts';
import { CHECKS, type CheckName, type Severity } from '../reasons.ts';
import type { Verification, VerifiedSignature, VerifyReply } from '../verify-report.ts';
import { qualificationFacts } from './qualification-facts.ts';
import {
  integrityAnswer,
  type QuestionAnswer,
  shownSecond,
  type Tone,
  timeAnswer,
  trustAnswer,
  verdictOf,
} from './sentences.ts';

/** Maximum of each list in a report for people; the JSON has more. Shaping a page of foreign text takes milliseconds. */
const CHANGES_SHOWN_MAX = 30;
const EVENTS_SHOWN_MAX = 100;
const SIGNATURES_SHOWN_MAX = 50;
const FINDINGS_SHOWN_MAX = 12;
const NAME_CHARS_MAX = 120;
const TEXT_CHARS_MAX = 300;

/** One fact. Claimed ones are statements of the signer or of the document, which nothing proves. */
export interface Fact {
  label: string;
  value: string;
  isClaimed?: boolean;
  /** Hashes and numbers, in a font of equal widths. */
  isCode?: boolean;
}

export interface SignatureSection {
  title: string;
  /** The name of the signer. */
  name: string;
  isNameClaimed: boolean;
  tone: Tone;
  result: string;
  answers: QuestionAnswer[];
  facts: Fact[];
  findings: { tone: Tone; text: string }[];
  changes: string[];
}

export interface AuditSection {
  facts: Fact[];
  events: EventRow[];
  /** About events that are not listed. */
  more: string | undefined;
}

/** What a report for people says, in the order in which it says it. HTML and PDF show the same. */
export interface ReportModel {
  title: string;
  verdict: { tone: Tone; headline: string; text: string };
  answers: QuestionAnswer[];
  document: Fact[];
  signatures: SignatureSection[];
  signaturesLeftOut: string | undefined;
  audit: AuditSection | undefined;
  /** What was not checked. */
  limits: string[];
}

/** Returns the sentences of a report. Texts of the document are bounded, and without characters that mislead. */
export function reportModel(reply: VerifyReply, verification: Verification): ReportModel {
  const left = reply.signatures.length - SIGNATURES_SHOWN_MAX;
  return {
    title: 'Signature verification report',
    verdict: verdictOf(reply),
    answers: reply.verdict === 'unsigned' ? [] : answersOf(reply),
    document: documentFacts(reply),
    signatures: reply.signatures
      .slice(0, SIGNATURES_SHOWN_MAX)
      .map((signature, index) => signatureSection(signature, index + 1, reply.signatures.length)),
    signaturesLeftOut: left > 0 ? `${left} more signatures are in the JSON report.` : undefined,
    audit: auditSection(reply.auditTrail),
    limits: limitsOf(reply, verification),
  };
}

const name = (text: string): string => shownText(text, NAME_CHARS_MAX);
const plain = (text: string): string => shownText(text, TEXT_CHARS_MAX);

const answersOf = (one: VerifyReply | VerifiedSignature): QuestionAnswer[] => [
  integrityAnswer(one),
  trustAnswer(one),
  timeAnswer(one),
];

const DOCUMENT_NAMES: Record<string, string> = {
  'application/pdf': 'PDF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document (DOCX)',
};

function documentFacts({ document, validationTime, signatures }: VerifyReply): Fact[] {
  const { contentType, pages, bytes, sha256 } = document;
  return [
    { label: 'Type', value: DOCUMENT_NAMES[contentType] ?? contentType },
    ...(pages === undefined ? [] : [{ label: 'Pages', value: pages.toLocaleString('en') }]),
    { label: 'Size', value: `${bytes.toLocaleString('en')} bytes` },
    { label: 'SHA-256', value: sha256, isCode: true },
    { label: 'Signatures', value: signatures.length.toLocaleString('en') },
    { label: 'Verified as of', value: shownSecond(validationTime) },
  ];
}

const TYPES: Record<VerifiedSignature['type'], string> = {
  approval: 'Signature',
  certification: 'Certification',
  documentTimestamp: 'Time-stamp',
};

const TONES: Record<Severity, Tone> = {
  error: 'bad',
  doubt: 'doubt',
  untrusted: 'doubt',
  warning: 'neutral',
  info: 'neutral',
};

/** Only then the certificate, and not its holder alone, says who signed. */
const VOUCHED: readonly Trust[] = ['trusted', 'service', 'expired', 'revoked', 'unconfirmed'];

function signatureSection(signature: VerifiedSignature, number: number, count: number): SignatureSection {
  const { signer, type, trust } = signature;
  const isVouched = VOUCHED.includes(trust);
  return {
    title: `${TYPES[type]} ${number} of ${count}`,
    name: signer === undefined ? 'Signer unknown' : name(signer.commonName),
    isNameClaimed: signer !== undefined && !isVouched,
    ...resultOf(signature),
    answers: answersOf(signature),
    facts: signatureFacts(signature, isVouched),
    findings: findingsOf(signature),
    changes: changesOf(signature),
  };
}

function findingsOf({ reasons }: VerifiedSignature): SignatureSection['findings'] {
  const listed = reasons.filter(({ code }) => code !== 'MODIFICATION_PERMITTED');
  const left = listed.length - FINDINGS_SHOWN_MAX;
  const shown = listed.slice(0, FINDINGS_SHOWN_MAX).map(({ severity, message }) => ({
    tone: TONES[severity],
    text: plain(message),
  }));
  return left > 0 ? [...shown, { tone: 'neutral', text: `${left} more are in the JSON report.` }] : shown;
}

/** The result in a word: what is at fault if it is the signer alone. */
function resultOf(signature: VerifiedSignature): { tone: Tone; result: string } {
  const { indication, integrity, trust, time } = signature;
  if (indication === 'TOTAL_PASSED') return { tone: 'good', result: 'Valid' };
  if (indication === 'TOTAL_FAILED') return { tone: 'bad', result: 'Not valid' };
  if (integrity !== 'intact' || time === 'doubtful') return { tone: 'doubt', result: 'Not decided' };
  const { answer, tone } = trustAnswer(signature);
  return { tone, result: trust === 'service' ? 'Intact' : answer };
}

function signatureFacts(signature: VerifiedSignature, isVouched: boolean): Fact[] {
  const { signer, claimedName, reason, location, claimedSigningTime, provenTime } = signature;
  const facts: (Fact | undefined)[] = [
    signer && { label: 'Certificate of', value: plain(signer.subject), isClaimed: !isVouched },
    signer && { label: 'Issued by', value: plain(signer.issuer), isClaimed: !isVouched },
    signer && {
      label: 'Valid',
      value: `${shownSecond(signer.notBefore)} to ${shownSecond(signer.notAfter)}`,
    },
    signer && { label: 'Serial number', value: signer.serialNumber, isCode: true },
    claimed('Name', claimedName),
    claimed('Reason', reason),
    claimed('Place', location),
    provenTime === undefined ? undefined : { label: 'Existed at', value: shownSecond(provenTime) },
    claimed('Time of signing', claimedSigningTime && shownSecond(claimedSigningTime)),
    { label: 'Covers', value: coverageOf(signature) },
    { label: 'Format', value: [signature.format, signature.level].filter(Boolean).join(', ') },
    signature.signatureAlgorithm === undefined
      ? undefined
      : { label: 'Algorithms', value: `${signature.signatureAlgorithm} with ${signature.digestAlgorithm}` },
    { label: 'Field or part', value: plain(signature.id) },
  ];
  return [...facts.filter((fact) => fact !== undefined), ...qualificationFacts(signature.qualification)];
}

const claimed = (label: string, value: string | undefined): Fact | undefined =>
  value === undefined || value === '' ? undefined : { label, value: plain(value), isClaimed: true };

function coverageOf({ coversWholeDocument, revision, totalRevisions }: VerifiedSignature): string {
  if (coversWholeDocument) return 'The whole document';
  return totalRevisions > revision
    ? `Revision ${revision} of ${totalRevisions}; the rest was added later`
    : 'Not the whole document';
}

const LEVELS: Record<VerifiedSignature['modifications'][number]['level'], string> = {
  forbidden: 'Not permitted',
  doubtful: 'Permitted, but may conceal signed content',
  permitted: 'Permitted',
};

/** Lists equal changes once, the worst first, with the revisions that made them. */
function changesOf({ modifications, modificationsLeftOut = 0, totalRevisions }: VerifiedSignature): string[] {
  const groups = (['forbidden', 'doubtful', 'permitted'] as const).flatMap((level) => [
    ...Map.groupBy(
      modifications.filter((each) => each.level === level),
      ({ message }) => `${LEVELS[level]}: ${plain(message)}`,
    ),
  ]);
  const texts = groups.map(([text, list]) =>
    totalRevisions === 1 ? text : `${text} ${inRevisions(list.map(({ revision }) => revision))}`,
  );
  const shown = texts.slice(0, CHANGES_SHOWN_MAX);
  const left = texts.length - shown.length + modificationsLeftOut;
  return left > 0 ? [...shown, `${left} more are in the JSON report.`] : shown;
}

function inRevisions(numbers: readonly number[]): string {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (first === last) return `(revision ${first})`;
  return `(revisions ${first} ${new Set(numbers).size === 2 ? 'and' : 'to'} ${last})`;
}

const CHAINS = {
  intact: 'The hashes match the entries',
  broken: 'The hashes do not match the entries: it was changed',
  unreadable: 'It cannot be read',
} as const;

function auditSection(trail: VerifyReply['auditTrail']): AuditSection | undefined {
  if (!trail.present) return undefined;
  const { chain = 'unreadable', sealed = false, id, hash, entries = 0, events = [] } = trail;
  const left = entries - Math.min(events.length, EVENTS_SHOWN_MAX);
  return {
    facts: [
      { label: 'Chain', value: CHAINS[chain] },
      { label: 'Sealed', value: sealed ? 'Yes: every signature covers it' : 'No: it may have been changed' },
      ...(id === undefined ? [] : [{ label: 'Record', value: plain(id), isCode: true }]),
      ...(hash === undefined ? [] : [{ label: 'Final hash', value: hash, isCode: true }]),
    ],
    events: events.slice(0, EVENTS_SHOWN_MAX).map(({ type, time, data = '', hash: own }, index) => ({
      number: String(index + 1),
      event: EVENT_NAMES[type],
      time: shownSecond(time),
      data: plain(data),
      hash: own,
    })),
    more: left > 0 ? `${left} more entries are in the file audit.json.` : undefined,
  };
}

const CHECK_NAMES: Record<CheckName, string> = {
  format: 'the form of the signature',
  coverage: 'what the signature covers',
  digest: 'the digest of the document',
  signature: 'the signature value',
  signingCertificateAttribute: 'which certificate the signature names',
  chain: 'the chain of certificates',
  revocation: 'whether certificates are revoked',
  timestamp: 'time-stamps, of which the signature has none',
  policy: 'algorithms and later changes',
};

const REVOCATION: Record<Verification['revocation'], string> = {
  none: 'Revocation of certificates was not checked, as requested.',
  embedded: 'Authorities were not asked about revocation; only data in the document count.',
  online: 'Authorities were asked about revocation where the certificates name them.',
};

function limitsOf(
  { signatures, verdict }: VerifyReply,
  { revocation, acceptSha1Before }: Verification,
): string[] {
  const skipped = signatures.flatMap(({ checks }, index) => {
    const names = CHECKS.filter((check) => checks[check] === 'notChecked').map((check) => CHECK_NAMES[check]);
    return names.length === 0 ? [] : [`Not checked for signature ${index + 1}: ${names.join('; ')}.`];
  });
  return [
    ...(verdict === 'unsigned' ? [] : [REVOCATION[revocation]]),
    ...skipped.slice(0, SIGNATURES_SHOWN_MAX),
    ...(acceptSha1Before === undefined
      ? []
      : [`SHA-1 was accepted for what provably existed before ${shownSecond(acceptSha1Before)}.`]),
    'This report does not say whether a signer was entitled to sign, nor which legal effect a signature has.',
    'Statements marked as claimed are those of the signer or of the document. Nothing proves them.',
  ];
}
