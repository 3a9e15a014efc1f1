import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { type Deployment, deploy } from './service.ts';
import { listsIn } from './trusted-lists.ts';

interface Shared {
  service: Deployment;
  pki: Pki;
  folder: string;
}

let shared: Promise<Shared> | undefined;

async function start(): Promise<Shared> {
  const [pki, folder] = await Promise.all([createPki(), mkdtemp(join(tmpdir(), 'scriptorium-shared-'))]);
  const profiles = join(folder, 'authorities.json');
  await writeFile(profiles, JSON.stringify({ default: { url: pki.tsaUrl } }));
  const service = await deploy({
    annotators: 1,
    signers: 1,
    verifiers: 1,
    settings: {
      TRIAL: 'on',
      LOG_LEVEL: 'debug',
      TIMESTAMP_PROFILES: profiles,
      FETCH_ALLOW: pki.fetchAllow,
      ...(await listsIn(folder, pki)),
    },
  });
  return { service, pki, folder };
}

function share(): Promise<Shared> {
  shared ??= start();
  return shared;
}

/**
 * One running service for all suites of a test file: starting one takes longer than most suites. The log is verbose, so
 * that suites can look for secrets in it. It has time-stamps of `sharedPki`, which
 * its trusted lists name.
 */
export const sharedService = async (): Promise<Deployment> => (await share()).service;

/** The authorities of the service. */
export const sharedPki = async (): Promise<Pki> => (await share()).pki;

afterAll(async () => {
  if (shared === undefined) return;
  const { service, pki, folder } = await shared;
  await Promise.all([service.close(), pki.close(), rm(folder, { recursive: true, force: true })]);
});
