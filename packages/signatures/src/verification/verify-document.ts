import { detectDocumentType } from '../document-type.ts';
import type { DocumentEvidence } from '../evidence.ts';
import type { Qualification } from '../lists/qualification.ts';
import { qualify } from '../lists/qualify.ts';
import type { TrustedLists } from '../lists/trusted-lists.ts';
import { compareLooks } from '../looks/compare-looks.ts';
import { readDocxEvidence } from '../opc/docx-evidence.ts';
import { readPdfEvidence } from '../pades/pdf-evidence.ts';
import { type Report, writeReport } from '../reports/write-report.ts';
import type { Chain } from '../reports/xml.ts';
import { SignatureError } from '../signature-error.ts';
import type { VerifyReply } from '../verify-report.ts';
import { answersOf } from './answers.ts';
import type { ValidationContext } from './checks/check.ts';
import { Inquiry, type Trust } from './checks/inquiry.ts';
import { runChecks } from './checks.ts';
import { type Assessment, judge } from './policy.ts';
import { claimedTimeOf, report, type ValidatedSignature } from './report.ts';
import type { VerifyRequest, VerifyTools } from './verify-tools.ts';

/** Total time for all queries to authorities. */
const AUTHORITIES_MS_MAX = 20_000;

/**
 * Verifies the signatures of a PDF or DOCX: coverage, validity, trust in the signer, and later changes to the document.
 * Problems of a signature are part of the result. Throws SignatureError if the document cannot be read
 * (INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED, PASSWORD_REQUIRED, PASSWORD_WRONG, DOCUMENT_TOO_COMPLEX), and VALIDATION_ERROR if the trust profile does not exist.
 */
export async function verify(request: VerifyRequest, tools: VerifyTools): Promise<VerifyReply> {
  return (await verifyWithChains(request, tools)).reply;
}

/** The same, written in the format of the request. */
export async function verifyReport(request: VerifyRequest, tools: VerifyTools): Promise<Report> {
  const { reply, chains } = await verifyWithChains(request, tools);
  return writeReport(reply, chains, request.verification);
}

async function verifyWithChains(
  { source, verification, password }: VerifyRequest,
  tools: VerifyTools,
): Promise<{ reply: VerifyReply; chains: Chain[] }> {
  const { trust: trusted, revocation, validationTime: time, acceptSha1Before } = verification;
  const trust: Trust = {
    anchors: tools.anchors(trusted),
    lists: tools.lists?.(trusted),
    service: tools.service,
    validationTime: time === undefined ? tools.now() : new Date(time),
    revocation,
    acceptSha1Before: acceptSha1Before === undefined ? undefined : new Date(acceptSha1Before),
    fetcher: tools.fetcher,
    signal: AbortSignal.timeout(AUTHORITIES_MS_MAX),
  };
  const document = await readEvidence(source, password);
  const pictures = await compareLooks(document, { source, password, pictures: verification.pictures }, tools);
  const validated = await validateAll(document, trust);
  const reply = report({ source, document, validated, validationTime: trust.validationTime });
  return { reply: { ...reply, ...pictures }, chains: validated.map(({ chain }) => chain) };
}

function readEvidence(
  source: Buffer,
  password: string | undefined,
): Promise<DocumentEvidence> | DocumentEvidence {
  switch (detectDocumentType(source)) {
    case 'pdf':
      return readPdfEvidence(source, password);
    case 'docx':
      return readDocxEvidence(source);
    default:
      throw new SignatureError('INVALID_FILE_FORMAT', 'The document is neither a PDF nor a DOCX.');
  }
}

/** Validates the newest revision first: its time-stamps prove that older ones existed (EN 319 102-1, 5.6.3). */
async function validateAll(document: DocumentEvidence, trust: Trust): Promise<ValidatedSignature[]> {
  const validated = new Map<number, ValidatedSignature>();
  const inquiry = new Inquiry(trust, document);
  const proofs: { revision: number; time: Date }[] = [];
  const newestFirst = [...document.signatures.entries()].sort(([, a], [, b]) => b.revision - a.revision);
  for (const [index, evidence] of newestFirst) {
    const context: ValidationContext = {
      trust,
      inquiry,
      document,
      evidence,
      existedAt: earliest(proofs, evidence.revision),
    };
    const findings = await runChecks(context);
    const judged: Assessment = { evidence, findings, judgement: judge(findings) };
    const { provenTime } = context;
    const isServiceKey = isOwn(judged, trust);
    const claimedTime = claimedTimeOf(evidence);
    const answers = answersOf(findings, { isServiceKey, provenTime, claimedTime });
    const { path = [] } = context;
    const chain = { path, isAnchored: inquiry.isAnchored(path) };
    const qualification = trust.lists && qualificationOf(judged, context, trust.lists);
    validated.set(index, { ...judged, provenTime, isServiceKey, answers, chain, qualification });
    if (evidence.type === 'documentTimestamp' && provenTime !== undefined && isProof(judged))
      proofs.push({ revision: evidence.revision, time: provenTime });
  }
  return document.signatures.map((_, index) => {
    const found = validated.get(index);
    if (found === undefined) throw new Error('a signature was left out');
    return found;
  });
}

function qualificationOf(
  { evidence, findings, judgement }: Assessment,
  { path = [], provenTime, existedAt, stampPath, trust: { validationTime } }: ValidationContext,
  lists: TrustedLists,
): Qualification {
  const isTimestamp = evidence.type === 'documentTimestamp';
  const revocation = findings.find(({ check }) => check === 'revocation');
  const isUnknown = revocation?.reasons.some(({ code }) => code === 'REVOCATION_UNKNOWN');
  return qualify(lists, {
    path,
    verdict: judgement.verdict,
    // An anchor cannot be revoked.
    isRevocationKnown: path.length < 2 || (revocation?.result === 'passed' && !isUnknown),
    time: (isTimestamp ? existedAt : provenTime) ?? validationTime,
    validationTime,
    isTimestamp,
    statedTime: evidence.core?.statedTime,
    stampPath: isTimestamp ? undefined : stampPath,
  });
}

function earliest(proofs: readonly { revision: number; time: Date }[], revision: number): Date | undefined {
  const times = proofs.filter((proof) => proof.revision > revision).map(({ time }) => time.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** Whether a time-stamp covers the unchanged document: an invalid one proves nothing. */
function isProof({ findings }: Assessment): boolean {
  return findings.every(({ check, result }) => check === 'policy' || result !== 'failed');
}

function isOwn({ evidence: { core } }: Assessment, { service }: Trust): boolean {
  const signer = core?.signatureHolds ? core.signer : undefined;
  return signer !== undefined && service.some(([own]) => own !== undefined && signer.der.equals(own.der));
}
