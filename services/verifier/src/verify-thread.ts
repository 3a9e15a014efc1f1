import { readCertificate } from '@scriptorium/pki/certificates';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import { reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import { asBuffer, noteToOwner, threadData } from '@scriptorium/shared/threads/thread';
import { type Report, type VerifyTools, verifyReport } from '@scriptorium/signatures/verify';
import type { Verification } from '@scriptorium/signatures/verify-report';
import type { PopplerOptions } from './poppler.ts';
import { RenderThread } from './render-threads.ts';
import { readChains } from './service-certificate.ts';
import { anchorsOf } from './trust-profiles.ts';
import { warmUp } from './warm-up.ts';

/** The data that a thread starts with. Certificates are DER. */
export interface VerifyThreadData {
  trustProfiles: [name: string, certificates: Uint8Array[]][];
  fetch: FetchConfig;
  poppler?: PopplerOptions | undefined;
}

export interface VerifyTask {
  source: Buffer;
  verification: Verification;
  /** The service certificate and its issuers in PEM, if known. */
  serviceCertificate: string | undefined;
  /** Of an encrypted PDF. */
  password?: string | undefined;
}

const { trustProfiles, fetch, poppler } = threadData<VerifyThreadData>();
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

let isIdle = true;
const warmedUp = renderer.ready().then(() => warmUp(known.tools, () => isIdle));
// The first request reports a failure; until then it must not end the thread.
warmedUp.catch(() => {});

/** Resolves once the code is loaded. */
export async function ready(): Promise<void> {
  await warmedUp;
}

/** Rejects as `verifyReport` does. */
export async function verify({ serviceCertificate, ...request }: VerifyTask): Promise<Report> {
  await warmedUp;
  isIdle = false;
  return await verifyReport(request, toolsFor(serviceCertificate));
}
