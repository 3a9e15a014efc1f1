import { readFile } from 'node:fs/promises';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { loadConfig } from '@scriptorium/shared/config';
import { signJob } from '@scriptorium/shared/jobs/sign';
import { signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { refuseDevelopmentKey, signerSettings, signSettings } from './config.ts';
import { signerEvents } from './events.ts';
import { signHandler, signingKeyHandler, unsealer } from './handler.ts';
import { profileWarnings } from './keys/profiles.ts';
import { publicSigningKey } from './keys/public-key.ts';
import { openProfiles, readAuthorities } from './open-tools.ts';
import { SignThreads } from './sign-threads.ts';

/** Keys are told from memory. */
const KEY_JOBS_MAX = 4;

await start(async () => {
  const config = loadConfig(signerSettings);
  const events = signerEvents(createLogger('signer', config.LOG_LEVEL));
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const settings = signSettings(config, version);
  // Opened here too: a mistake ends the start, and a key made for trying out is there before the threads look for it.
  const { profiles, service, isDevelopmentKey } = await openProfiles(settings);
  await readAuthorities(settings);
  if (isDevelopmentKey) refuseDevelopmentKey(config);
  const key = publicSigningKey(service, isDevelopmentKey);
  const { SIGNERS: count } = config;
  const threads = new SignThreads({ threads: count, ...settings });
  await threads.ready();
  const queue = connectPatient(config.REDIS_URL);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  const blobs = createRedisBlobStore(store);
  const parts = { redis: queue, removeBlobs: (keys: string[]) => blobs.remove(keys) };
  const workers = [
    startJobWorker(signJob, signHandler(threads, blobs, unsealer(config.SIGNER_SECRET)), {
      ...parts,
      concurrency: count,
      capacity: () => count,
      events: events.sign,
    }),
    startJobWorker(signingKeyJob, signingKeyHandler(key), {
      ...parts,
      concurrency: KEY_JOBS_MAX,
      capacity: () => KEY_JOBS_MAX,
      events: events.signingKey,
    }),
  ];
  closeOnSignal(events.logger, [
    { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) },
    threads,
    { close: async () => void (await Promise.all([disconnect(queue), disconnect(store)])) },
  ]);
  for (const warning of profileWarnings(profiles, new Date())) events.profileTrouble(warning);
  if (isDevelopmentKey) events.developmentKey(config.DEVELOPMENT_KEY_DIR ?? '');
  events.ready(count, key);
});
