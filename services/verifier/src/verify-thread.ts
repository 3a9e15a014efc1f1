import { AppError } from '@scriptorium/contracts/errors';
import { EU_TRUST } from '@scriptorium/contracts/jobs/verify';
import { readCertificate } from '@scriptorium/pki/certificates';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import { reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import { asBuffer, noteToOwner, threadData } from '@scriptorium/shared/threads/thread';
import { TrustedLists } from '@scriptorium/signatures/trusted-lists';
import { type Report, type VerifyTools, verifyReport } from '@scriptorium/signatures/verify';
import type { Verification } from '@scriptorium/signatures/verify-report';
import type { PopplerOptions } from './poppler.ts';
import { RenderThread } from './render-threads.ts';
import { readChains } from './service-certificate.ts';
import { anchorsOf, unknownProfile } from './trust-profiles.ts';
import type { SharedLists } from './trusted-lists.ts';
import { warmUp } from './warm-up.ts';

/** The data that a thread starts with. Certificates are DER. */
export interface VerifyThreadData {
  /** Whether the operator wants the trust profile `eu`. */
  hasTrustedLists?: boolean;
  trustProfiles: [name: string, certificates: Uint8Array[]][];
  fetch: FetchConfig;
  poppler?: PopplerOptions | undefined;
}

export interface VerifyTask {
  source: Buffer;
  verification: Verification;
  /** The service certificate and its issuers in PEM, if known. */
  serviceCertificate: string | undefined;
  /** For the trust profile `eu`, if they are known. */
  lists?: SharedLists | undefined;
  /** The password of an encrypted PDF. */
  password?: string | undefined;
}

const { trustProfiles, hasTrustedLists, fetch, poppler } = threadData<VerifyThreadData>();
const profiles = new Map(
  trustProfiles.map(([name, certificates]) => [
    name,
    certificates.map((der) => readCertificate(asBuffer(der))),
  ]),
);
const fetcher = reportingFetcher(createFetcher(fetch), noteToOwner);
const renderer = new RenderThread({ poppler });

const toolsWith = (service: VerifyTools['service']): VerifyTools => ({
  now: () => new Date(),
  service,
  anchors: (trust: Verification['trust']) => anchorsOf(profiles, trust, service),
  fetcher,
  renderer,
  secondReader: renderer.second,
});

/** The tools of the last request; the next request nearly always needs the same. */
let known: { pem: string | undefined; tools: VerifyTools } = { pem: undefined, tools: toolsWith([]) };

function toolsFor(pem: string | undefined): VerifyTools {
  if (pem !== known.pem) known = { pem, tools: toolsWith(pem === undefined ? [] : readChains(pem)) };
  return known.tools;
}

/** The lists of the last request that wanted them. */
let knownLists: { version: number; lists: TrustedLists } | undefined;

function listsFor(
  { profile }: Verification['trust'],
  shared: SharedLists | undefined,
): TrustedLists | undefined {
  if (profile !== EU_TRUST) return undefined;
  if (!hasTrustedLists) throw unknownProfile();
  if (shared === undefined) throw new AppError('UNAVAILABLE', 'The trusted lists could not be loaded yet.');
  if (shared.version !== knownLists?.version) {
    const lists = new TrustedLists(JSON.parse(Buffer.from(shared.json).toString()));
    knownLists = { version: shared.version, lists };
  }
  return knownLists.lists;
}

let isIdle = true;
const warmedUp = renderer.ready().then(() => warmUp(known.tools, () => isIdle));
// The first request reports a failure; until then it must not end the thread.
warmedUp.catch(() => {});

/** Resolves once the code is loaded. */
export async function ready(): Promise<void> {
  await warmedUp;
}

/** Rejects as `verifyReport` does. */
export async function verify({ serviceCertificate, lists, ...request }: VerifyTask): Promise<Report> {
  await warmedUp;
  isIdle = false;
  const tools = toolsFor(serviceCertificate);
  return await verifyReport(request, { ...tools, lists: (trust) => listsFor(trust, lists) });
}
