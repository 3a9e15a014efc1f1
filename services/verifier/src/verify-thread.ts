import { readCertificate } from '@scriptorium/pki/certificates';
import { openFetcher } from '@scriptorium/shared/fetch/open-fetcher';
import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { type Report, type VerifyTools, verifyReport } from '@scriptorium/signatures/verify';
import type { Verification } from '@scriptorium/signatures/verify-report';
import { RenderThreads } from './render-threads.ts';
import { readChains } from './service-certificate.ts';
import { anchorsOf } from './trust-profiles.ts';
import type { VerifyTask, VerifyThreadData } from './verify-threads.ts';
import { warmUp } from './warm-up.ts';

const { trustProfiles, fetch } = threadData<VerifyThreadData>();
const profiles = new Map(
  trustProfiles.map(([name, certificates]) => [
    name,
    certificates.map((der) => readCertificate(asBuffer(der))),
  ]),
);
const fetcher = openFetcher(fetch);
const renderer = new RenderThreads();

const toolsWith = (service: VerifyTools['service']): VerifyTools => ({
  now: () => new Date(),
  service,
  anchors: (trust: Verification['trust']) => anchorsOf(profiles, trust, service),
  fetcher,
  renderer,
});

/** The tools of the last request; the next request nearly always needs the same. */
let known: { pem: string | undefined; tools: VerifyTools } = { pem: undefined, tools: toolsWith([]) };

function toolsFor(pem: string | undefined): VerifyTools {
  if (pem !== known.pem) known = { pem, tools: toolsWith(pem === undefined ? [] : readChains(pem)) };
  return known.tools;
}

const ready = renderer.ready().then(() => warmUp(known.tools));
// The first request reports a failure; until then it must not end the thread.
ready.catch(() => {});

/** Without a task it resolves, with nothing, once it can take one. */
async function work(task: VerifyTask | undefined): Promise<Report | undefined> {
  await ready;
  if (task === undefined) return undefined;
  const { source, verification, serviceCertificate, password } = task;
  const request = { source: asBuffer(source), verification, password };
  return await verifyReport(request, toolsFor(serviceCertificate));
}

answerRequests(work);
