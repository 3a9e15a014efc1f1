import { readCertificate } from '@scriptorium/pki/certificates';
import type { SignedCore, TimestampEvidence } from '@scriptorium/pki/cms';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper, openTimestampToken } from '@scriptorium/pki/timestamps';
import { fetcherTo, never } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { answerTimestamp } from '@scriptorium/testing/pki/time-stamp';
import type { DocumentEvidence, SignatureEvidence } from '../../src/evidence.ts';
import type { Fault, ReasonCode } from '../../src/reasons.ts';
import type { ValidationContext } from '../../src/verification/checks/check.ts';
import { Inquiry, type Trust } from '../../src/verification/checks/inquiry.ts';
import { revocation } from '../../src/verification/checks/revocation.ts';
import { timestamp } from '../../src/verification/checks/timestamp.ts';
import { chain } from '../../src/verification/checks/trusted-chain.ts';

export const NOTHING: ValidationData = { certificates: [], ocsps: [], crls: [] };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
export const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * MINUTE_MS);
export const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** Requests a real time-stamp from this authority. */
export async function stampBy(authority: Identity, time = new Date()): Promise<TimestampEvidence> {
  const fetch = async (_url: string, { post }: { post?: { body: Uint8Array } }) =>
    answerTimestamp(Buffer.from(post?.body ?? []), { signer: authority, stranger: authority, time });
  const { token } = await createTimestamper({ url: 'http://tsa.invalid/', hash: 'sha256' }, {
    fetch,
  } as never).timestamp(Buffer.from('a signature value'));
  return openTimestampToken(token);
}

function coreOf(certificates: SignedCore['certificates'], change: Partial<SignedCore>): SignedCore {
  return {
    digestAlgorithm: 'SHA-256',
    signatureAlgorithm: 'ECDSA',
    digestHolds: true,
    signatureHolds: true,
    signer: certificates[0],
    certificates,
    namesSigner: 'yes',
    timestamps: [],
    validationData: NOTHING,
    ...change,
  };
}

const evidence = (
  revision: number,
  core: SignedCore,
  change: Partial<SignatureEvidence>,
): SignatureEvidence => ({
  id: `Signature${revision}`,
  type: 'approval',
  format: 'PAdES',
  faults: [],
  core,
  revision,
  totalRevisions: 9,
  permissions: {},
  modifications: [],
  ...change,
});

/** Returns the evidence of a valid signature by this signer, with the chain without its root. */
export function signatureBy(
  { chain: ders }: Identity,
  {
    revision = 1,
    timestamps = [] as TimestampEvidence[],
    ...change
  }: Partial<SignedCore> & { revision?: number } = {},
  more: Partial<SignatureEvidence> = {},
): SignatureEvidence {
  const certificates = ders.slice(0, Math.max(1, ders.length - 1)).map(readCertificate);
  return evidence(revision, coreOf(certificates, { timestamps, ...change }), more);
}

/** Returns a document time-stamp. */
export function documentStamp(
  { time, certificates, signer }: TimestampEvidence,
  revision: number,
  faults: Fault[] = [],
): SignatureEvidence {
  const core = coreOf(certificates, { signer, statedTime: time });
  return evidence(revision, core, { type: 'documentTimestamp', format: 'RFC3161', faults });
}

export const documentOf = (signatures: SignatureEvidence[], validationData = NOTHING): DocumentEvidence => ({
  contentType: 'application/pdf',
  signatures,
  validationData,
});

/** Trusts the root of these authorities; only they can be reached. */
export const trustIn = (pki: Pki, change: Partial<Trust> = {}): Trust => ({
  anchors: [readCertificate(pki.root.der)],
  service: [],
  validationTime: new Date(),
  revocation: 'embedded',
  fetcher: fetcherTo(pki),
  signal: never(),
  ...change,
});

export interface Outcome {
  codes: ReasonCode[];
  faults: Fault[];
  provenTime: Date | undefined;
  path: string[];
}

/** Validates time-stamps, chains and revocation of all signatures, the newest first; returns document order. */
export async function validateAll(document: DocumentEvidence, trust: Trust): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const inquiry = new Inquiry(trust, document);
  let existedAt: Date | undefined;
  for (const each of document.signatures.toReversed()) {
    const context: ValidationContext = { trust, inquiry, document, evidence: each, existedAt };
    const faults: Fault[] = [];
    for (const check of [timestamp, chain, revocation]) faults.push(...((await check.run(context)) ?? []));
    const { provenTime, path = [] } = context;
    if (each.type === 'documentTimestamp') existedAt = provenTime;
    const names = path.map(({ x509 }) => /CN=(.*)/.exec(x509.subject)?.[1] ?? '');
    outcomes.unshift({ codes: faults.map(({ code }) => code), faults, provenTime, path: names });
  }
  return outcomes;
}

/** Validates the only signature of a document. */
export async function tryOne(document: DocumentEvidence, trust: Trust): Promise<Outcome> {
  const [outcome] = await validateAll(document, trust);
  if (outcome === undefined) throw new Error('no signature');
  return outcome;
}
