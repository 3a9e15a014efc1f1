import { readFile } from 'node:fs/promises';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { loadConfig } from '@scriptorium/shared/config';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { refuseDevelopmentKey, signerSettings, signSettings, verifySettings } from './config.ts';
import { signerEvents } from './events.ts';
import { unsealer } from './handler.ts';
import { profileWarnings } from './keys/profiles.ts';
import { publicSigningKey } from './keys/public-key.ts';
import { openProfiles, readAuthorities } from './open-tools.ts';
import { SignThreads } from './sign-threads.ts';
import { startWorkers } from './start-workers.ts';
import { VerifyThreads } from './verify-threads.ts';

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
  const { SIGNERS, VERIFIERS } = config;
  const signing = new SignThreads({ threads: SIGNERS, ...settings });
  const verifying = new VerifyThreads({
    threads: VERIFIERS,
    ...(await verifySettings(config, service.certificates)),
  });
  await Promise.all([signing.ready(), verifying.ready()]);
  const queue = connectPatient(config.REDIS_URL);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  const workers = startWorkers({
    redis: queue,
    blobs: createRedisBlobStore(store),
    capacity: { sign: SIGNERS, verify: VERIFIERS },
    signing,
    verifying,
    unseal: unsealer(config.SIGNER_SECRET),
    key,
    events,
  });
  closeOnSignal(events.logger, [
    workers,
    signing,
    verifying,
    { close: async () => void (await Promise.all([disconnect(queue), disconnect(store)])) },
  ]);
  for (const warning of profileWarnings(profiles, new Date())) events.profileTrouble(warning);
  if (isDevelopmentKey) events.developmentKey(config.DEVELOPMENT_KEY_DIR ?? '');
  events.ready({ sign: SIGNERS, verify: VERIFIERS }, key);
});
