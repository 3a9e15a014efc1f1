import { readCertificate } from '@scriptorium/pki/x509/certificate';
import { openFetcher } from '@scriptorium/shared/fetch/open-fetcher';
import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { verify } from '@scriptorium/signatures/verification/verify';
import type { VerifyTools } from '@scriptorium/signatures/verification/verify-tools';
import type { Verification, VerifyReply } from '@scriptorium/signatures/verify-report';
import { anchorsOf } from './trust/trust-profiles.ts';
import type { VerifyTask, VerifyThreadData } from './verify-threads.ts';
import { warmUpVerifying } from './warm-up.ts';

const { serviceCertificates, trustProfiles, fetch } = threadData<VerifyThreadData>();
const service = serviceCertificates.map((der) => readCertificate(asBuffer(der)));
const profiles = new Map(
  trustProfiles.map(([name, certificates]) => [
    name,
    certificates.map((der) => readCertificate(asBuffer(der))),
  ]),
);
const tools: VerifyTools = {
  now: () => new Date(),
  service,
  anchors: (trust: Verification['trust']) => anchorsOf(profiles, trust, service),
  fetcher: openFetcher(fetch),
};

const ready = warmUpVerifying(tools);
// Whoever asks first hears of a failure; until then it must not end the thread.
ready.catch(() => {});

/** Without a task it answers, with nothing, as soon as it could take one. */
async function work(task: VerifyTask | undefined): Promise<VerifyReply | undefined> {
  await ready;
  if (task === undefined) return undefined;
  return await verify({ source: asBuffer(task.source), verification: task.verification }, tools);
}

answerRequests(work);
