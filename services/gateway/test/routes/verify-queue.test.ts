import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { selfSigned } from '@scriptorium/testing/fixtures/self-signed';
import { type Rig, startRig } from '../rigs/rig.ts';
import { inBase64, pdf, signAll, until } from '../rigs/signing-rig.ts';
import { VERIFY_REPLY, verifyAll } from '../rigs/verifying-rig.ts';

let rig: Rig;
let key: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.newKey());
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

const verify = (body: object = {}, options = {}) =>
  rig.postJson(key, '/v1/verify', { document: inBase64(pdf), ...body }, options);

/** Waits until the signal aborts. Records whether it has started and whether it was aborted. */
function startEndless(at = rig) {
  const seen = { hasBegun: false, isCancelled: false };
  const stop = at.verifyWith((_asked, { signal }) => {
    seen.hasBegun = true;
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        seen.isCancelled = true;
        reject(signal.reason);
      }),
    );
  });
  stops.push(stop);
  return seen;
}

describe('a verify request without an answer in time is rejected', () => {
  test('with 503 at the wait limit without a verifier', async () => {
    const hasty = await startRig({ QUEUE_WAIT_MS_MAX: '100' });
    const { key: own } = await hasty.newKey();
    const response = await hasty.postJson(own, '/v1/verify', { document: inBase64(pdf) });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'OVERLOADED' });
    await hasty.close();
  });

  test('with 504 at the deadline, and its job is canceled', async () => {
    const hasty = await startRig({ DEADLINE_MS: '3000' });
    const { key: own } = await hasty.newKey();
    const seen = startEndless(hasty);
    const response = await hasty.postJson(own, '/v1/verify', { document: inBase64(pdf) });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    // On a busy machine, the deadline can come before the worker takes the job.
    expect(await until(() => seen.isCancelled === seen.hasBegun)).toBe(true);
    await hasty.close();
  });
});

test('a caller who disconnects cancels the verification', async () => {
  const seen = startEndless();
  const caller = new AbortController();
  const answer = verify({}, { signal: caller.signal }).catch(() => 'left');
  expect(await until(() => seen.hasBegun)).toBe(true);
  caller.abort();
  expect(await answer).toBe('left');
  expect(await until(() => seen.isCancelled)).toBe(true);
});

test('a verify job in the queue contains references, but neither the document nor the anchors', async () => {
  const answer = verify({ trust: { profile: 'partners-of-ours' } });
  expect(await until(async () => (await rig.waiting('verify')) === 1)).toBe(true);
  const queued = await rig.everythingInRedis('{scriptorium}:verify:*');
  expect(queued.includes('.source')).toBe(true);
  for (const secret of [pdf, pdf.toString('base64'), 'partners-of-ours'])
    expect(queued.includes(secret)).toBe(false);
  stops.push(verifyAll(rig).stop);
  expect((await answer).status).toBe(200);
});

test('a key with more requests in flight waits behind those with fewer', async () => {
  const { key: other } = await rig.newKey();
  const answers: Promise<Response>[] = [];
  const asks = [
    [key, 'first'],
    [key, 'second'],
    [other, 'of another'],
  ] as const;
  for (const [whose, text] of asks) {
    const body = { document: inBase64(Buffer.from(text)) };
    answers.push(rig.postJson(whose, '/v1/verify', body));
    expect(await until(async () => (await rig.waiting('verify')) === answers.length)).toBe(true);
  }
  const order: string[] = [];
  stops.push(
    rig.verifyWith(async ({ source }) => {
      order.push(source.toString());
      return VERIFY_REPLY;
    }, 1),
  );
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  expect(order).toEqual(['first', 'of another', 'second']);
});

test('a full verify queue rejects at once, and signing continues', async () => {
  const small = await startRig({ QUEUE_LENGTH_MAX: '1' });
  const { key: otherKey } = await small.newKey();
  const ask = () => small.postJson(otherKey, '/v1/verify', { document: inBase64(pdf) });
  const waiting = ask();
  expect(await until(async () => (await small.waiting('verify')) === 1)).toBe(true);
  const refused = await ask();
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'OVERLOADED' });
  signAll(small);
  const signed = await small.postJson(otherKey, '/v1/sign', {
    document: inBase64(pdf),
    key: { external: { certificates: [selfSigned('ada.example').cert], algorithm: 'ecdsa', hash: 'sha256' } },
  });
  expect(signed.status).toBe(200);
  verifyAll(small);
  expect((await waiting).status).toBe(200);
  await small.close();
});
