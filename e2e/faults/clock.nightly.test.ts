import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, ask, askSigned, askVerified, startAsking, tally } from '../callers.ts';
import { type Deployment, deploy, health, ONE_OF_EACH, until } from '../service.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept } from './promise.ts';

const HOUR = 3_600;
/** Requests that a jump does not meet: leases of the time before it end within seconds. */
const AFTER_MS = 15_000;

let folder: string;
let service: Deployment;
let keys: string[];
/** A certificate that is younger than the clock would not sign. */
let signed: Answer;

/** All services take their time from one machine; Redis and PostgreSQL have another one. */
function setClock(secondsAhead: number): void {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(secondsAhead);
  // The services have the file in their memory.
  writeFileSync(join(folder, 'clock'), bytes, { flag: 'r+' });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'moved-clock-'));
  const library = join(folder, 'moved-clock.so');
  const source = fileURLToPath(new URL('moved-clock.c', import.meta.url));
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source]);
  writeFileSync(join(folder, 'clock'), Buffer.alloc(4));
  service = await deploy({
    ...ONE_OF_EACH,
    settings: { LD_PRELOAD: library, CLOCK_FILE: join(folder, 'clock') },
  });
  keys = [await service.register(), await service.register()];
  signed = await askSigned(service.url, keys[0] ?? '');
});
afterEach(() => setClock(0));
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

describe('a clock that jumps', () => {
  test.each([
    ['an hour ahead', HOUR],
    ['an hour back', -HOUR],
  ])('%s ends requests in flight with 503 or 504 at most, and then all are answered', async (_, seconds) => {
    const callers = startAsking(keys, 50, (key) => ask(service.url, key));
    await until('some are answered', () => callers.answers.length > 6);
    setClock(seconds);
    const at = callers.answers.length;
    await until('further ones are answered', () => callers.answers.length > at + 20);
    const answers = await callers.stop();
    await expectPromiseKept(answers);
    expect(Object.keys(tally(answers)).filter((outcome) => !/^(200|504|503)/.test(outcome))).toEqual([]);

    const healthy = async () => (await health(service.url)).status === 'healthy';
    await until('the workers are known', healthy, AFTER_MS);
    const [key = ''] = keys;
    await expectAllPdfs([await ask(service.url, key)]);
    // Behind the clock of its signer, a certificate is not valid yet: the verdict may differ.
    expect((await askVerified(service.url, key, signed)).status).toBe(200);
    await expectNothingLeft(service);
  });
});
