import { afterAll } from '@jest/globals';
import { type Deployment, deploy } from './service.ts';

let service: Promise<Deployment> | undefined;

/**
 * One running service for all suites of a test file: starting one takes longer than most suites. The log is verbose, so
 * that suites can look for secrets in it.
 */
export function sharedService(): Promise<Deployment> {
  service ??= deploy({
    annotators: 1,
    signers: 1,
    verifiers: 1,
    settings: { TRIAL: 'on', LOG_LEVEL: 'debug' },
  });
  return service;
}

afterAll(async () => (await service)?.close());
