import { expect } from '@jest/globals';
import { type Answer, ask, isOwn, tally } from '../callers.ts';
import { redisCommand, remainsInFolders, remainsInRedis } from '../remains.ts';
import { type Deployment, until } from '../service.ts';

/** For requests whose workers are killed and start again, which takes long on a busy machine. */
export const PATIENT = { DEADLINE_MS: '120000', QUEUE_WAIT_MS_MAX: '120000' };
/** That deadline, and the grace period of a result after it. */
const BLOB_MS_MAX = 130_000;
/** Above the time after which the job of a killed worker runs again, and far below that after which data expires. */
const LEFT_MS_MAX = 30_000;
/** Alone on a machine, it takes less than two seconds. Far below the deadline. */
const UNAVAILABLE_MS_MAX = 30_000;

/** A 200 is a PDF of that caller's document; anything else is a typed error, with a Retry-After if required. */
export async function expectPromiseKept(answers: readonly Answer[]): Promise<void> {
  expect(Object.keys(tally(answers)).filter((outcome) => outcome.startsWith('0'))).toEqual([]);
  for (const answer of answers) {
    const { marker, status, code, retryAfter } = answer;
    if (status === 200) expect({ marker, isOwn: await isOwn(answer) }).toEqual({ marker, isOwn: true });
    else expect(code).toMatch(/^[A-Z_]+$/);
    if (status === 429 || status === 503) expect(Number(retryAfter)).toBeGreaterThan(0);
  }
}

export async function expectAllPdfs(answers: readonly Answer[]): Promise<void> {
  expect(tally(answers)).toEqual({ 200: answers.length });
  await expectPromiseKept(answers);
}

/**
 * Without running jobs, nothing of any document or request is left. A worker may be killed between storing its result and
 * reporting it, which leaves an unknown result. `killed` of those are allowed, if they expire by themselves.
 */
export async function expectNothingLeft(
  deployment: Deployment,
  { but = [], killed = 0 }: { but?: readonly string[]; killed?: number } = {},
): Promise<void> {
  const expiresSoon = (key: string) => {
    const ttlMs = Number(redisCommand(deployment, 'PTTL', key));
    return ttlMs > 0 && ttlMs < BLOB_MS_MAX;
  };
  const remains = () => {
    const names = [...remainsInRedis(deployment), ...remainsInFolders(deployment)];
    const orphans = names.filter((name) => /:blob:.*\.result\./.test(name) && expiresSoon(name));
    const excused = [...but, ...orphans.slice(0, killed)];
    return names.filter((name) => !excused.includes(name));
  };
  await until('nothing is left', () => remains().length === 0, LEFT_MS_MAX).catch(() => undefined);
  expect(remains()).toEqual([]);
}

export async function expectUnavailable(answer: Answer): Promise<void> {
  expect(answer).toMatchObject({
    status: 503,
    code: 'UNAVAILABLE',
    retryAfter: expect.stringMatching(/^\d+$/),
  });
  expect(answer.ms).toBeLessThan(UNAVAILABLE_MS_MAX);
}

/** Waits until a damaged service recovers by itself. */
export function untilItConverts({ url }: Deployment, key: string): Promise<void> {
  return until('it converts again', async () => (await ask(url, key)).status === 200);
}
