import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { verifyJob } from '@scriptorium/contracts/jobs/verify';
import { JOB_SECRETS } from '@scriptorium/contracts/services';
import { WorkerKeys } from '@scriptorium/sealing/job-keys';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import { getInput } from '@scriptorium/shared/blob/exchange';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { jobSecretBytes } from '@scriptorium/shared/secrets/settings';
import { unsealer } from '@scriptorium/shared/secrets/unsealer';
import { signing } from '@scriptorium/signatures/sign-request';
import { verification } from '@scriptorium/signatures/verify-report';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { forgetMails, mailsTo } from '@scriptorium/testing/mail';
import { until } from './rigs/open-request.ts';
import { type Rig, startRig } from './rigs/rig.ts';
import { p12, plain } from './rigs/sign-requests.ts';
import { inBase64, pdf, SIGN_REPLY } from './rigs/signing-rig.ts';
import { VERIFY_REPLY } from './rigs/verifying-rig.ts';
import { REPORT } from './rigs/workers.ts';

const AS_PDF = { headers: { accept: 'application/pdf' } };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const drawn = (): string => randomBytes(32).toString('hex');

describe('the secrets of jobs and of passwords', () => {
  const NAMES = [...Object.values(JOB_SECRETS), 'VERIFIER_SECRET', 'SIGNER_SECRET'] as const;
  type Settings = Record<(typeof NAMES)[number], string>;
  const [old, fresh] = [0, 1].map(() => Object.fromEntries(NAMES.map((name) => [name, drawn()]))) as [
    Settings,
    Settings,
  ];
  const both = (first: Settings, second: Settings) =>
    Object.fromEntries(NAMES.map((name) => [name, `${first[name]},${second[name]}`])) as Settings;

  /**
   * A converter, a verifier that returns the password of a document, and a signer that returns the password of a key.
   * Returns a function that stops them.
   */
  function startWorkers(url: string, settings: Settings): () => Promise<void> {
    const redis = connectPatient(new Secret(url));
    const blobs = createRedisBlobStore(redis, redis);
    const ignore = () => undefined;
    const parts = {
      ...{ redis, blobs, concurrency: 4, capacity: () => 4 },
      events: { answered: ignore, failed: ignore, dropped: ignore, queueError: ignore },
    };
    const secretOf = (name: keyof Settings) => jobSecretBytes(new Secret(settings[name]));
    const unsealed = (name: 'VERIFIER_SECRET' | 'SIGNER_SECRET', requestId: string, box: string) =>
      unsealer(new Secret(settings[name]), name)(requestId, box).toString();
    const json = async (ref: BlobRef) => JSON.parse((await getInput(blobs, ref)).toString());
    const converter = startJobWorker(
      convertJob,
      async ({ source }, { keep }) => {
        const result = keep(Buffer.concat([Buffer.from('%PDF '), await getInput(blobs, source)]));
        return { output: { result, contentType: 'application/pdf', report: REPORT } };
      },
      { ...parts, secret: secretOf('CONVERTER_JOB_SECRET') },
    );
    const verifier = startJobWorker(
      verifyJob,
      async ({ source, request }, { keep, requestId }) => {
        const { passwordBox = '' } = verification.parse(await json(request));
        await getInput(blobs, source);
        const reason = unsealed('VERIFIER_SECRET', requestId, passwordBox);
        const reply = keep(Buffer.from(JSON.stringify({ ...VERIFY_REPLY, reason })));
        return { output: { reply, contentType: 'application/json', runMs: 1 } };
      },
      { ...parts, secret: secretOf('VERIFIER_JOB_SECRET') },
    );
    const signerKeys = new WorkerKeys(secretOf('SIGNER_JOB_SECRET') as Secrets, signJob.name);
    const signer = startJobWorker(
      signJob,
      async ({ source, request: { boxed = '', ...ref } }, { keep, requestId }) => {
        const seal = signerKeys.openBlobKey(requestId, boxed);
        const { key } = signing.parse(await json({ ...ref, seal }));
        const opened = JSON.parse(unsealed('SIGNER_SECRET', requestId, key.kind === 'sealed' ? key.box : ''));
        await getInput(blobs, source);
        const result = keep(Buffer.from(`%PDF ${opened.password}`));
        const reply = keep(Buffer.from(JSON.stringify(SIGN_REPLY)));
        return { output: { result, reply, contentType: 'application/pdf', runMs: 1 } };
      },
      { ...parts, secret: secretOf('SIGNER_JOB_SECRET') },
    );
    return async () => {
      await Promise.all([converter.close(), verifier.close(), signer.close()]);
      await disconnect(redis);
    };
  }

  /** Converts, verifies or signs. Returns the answer, and what it must contain. */
  async function ask(gateway: Rig, key: string, at: number, password: string): Promise<[Response, string]> {
    const document = inBase64(pdf);
    if (at % 3 === 0) return [await gateway.post(key, docxWith(['x'])), '%PDF PK'];
    if (at % 3 === 1)
      return [await gateway.postJson(key, '/v1/verify', { document, password }), `"${password}"`];
    const sign = { ...plain, document, key: { p12: { ...p12, password } } };
    return [await gateway.postJson(key, '/v1/sign', sign, AS_PDF), `%PDF ${password}`];
  }

  test('are replaced under load, with two values at a time, without one failed request', async () => {
    const limits = { KEY_REQUESTS_PER_MINUTE_MAX: '100000' };
    const base = await startRig({ ...old, ...limits });
    closing.push(() => base.close());
    const { key } = await base.newKey();
    const gateways: Rig[] = [base];
    const answers: string[] = [];
    const asking = new Map<Rig, number>();
    const count = (gateway: Rig, more: number) => asking.set(gateway, (asking.get(gateway) ?? 0) + more);
    let isDone = false;
    const call = async (at: number): Promise<void> => {
      while (!isDone) {
        const gateway = gateways[at % gateways.length] as Rig;
        const password = `word ${answers.length}`;
        count(gateway, 1);
        const [response, right] = await ask(gateway, key, at, password);
        const text = await response.text();
        count(gateway, -1);
        answers.push(
          response.status === 200 && text.includes(right)
            ? 'right'
            : `${response.status} ${text.slice(0, 200)}`,
        );
      }
    };
    let stop = startWorkers(base.redis.url, old);
    closing.push(() => stop());
    const health = async () => (await fetch(`${base.url}/v1/health`)).text();
    expect(await until(async () => /"signers":1,"verifiers":1/.test(await health()))).toBe(true);
    const callers = Promise.all([0, 1, 2, 3, 4, 5].map(call));
    for (const settings of [both(old, fresh), both(fresh, old), fresh]) {
      const before = answers.length;
      const next = await startRig({ ...settings, ...limits, REDIS_URL: base.redis.url });
      closing.push(() => next.close());
      // Both gateways serve with workers of both kinds.
      gateways.push(next);
      const stopOld = stop;
      stop = startWorkers(base.redis.url, settings);
      expect(await until(async () => answers.length > before + 40)).toBe(true);
      const [gone] = gateways.splice(0, 1);
      await stopOld();
      // As with a balancer, no request is on its way to a gateway that closes.
      expect(await until(() => gone !== undefined && asking.get(gone) === 0)).toBe(true);
      await gone?.stopGateway();
      expect(await until(async () => answers.length > before + 80)).toBe(true);
    }
    isDone = true;
    await callers;
    expect(answers.filter((answer) => answer !== 'right')).toEqual([]);
    expect(answers.length).toBeGreaterThan(240);
  });
});

describe('the pepper', () => {
  const [old, fresh] = [drawn(), drawn()];
  const register = async (rig: Rig, email: string): Promise<string> => {
    await forgetMails(email);
    await fetch(`${rig.url}/v1/auth/register?email=${email}`);
    let code: string | undefined;
    const find = async () => {
      code = (await mailsTo(email)).map(({ text }) => /code: (\d{6})\b/.exec(text)?.[1]).find(Boolean);
      return code !== undefined;
    };
    expect(await until(find)).toBe(true);
    return code ?? '';
  };
  const redeem = (rig: Rig, email: string, code: string) =>
    fetch(`${rig.url}/v1/auth/verify?email=${email}&code=${code}`, { headers: { accept: 'text/plain' } });
  const keysOf = async (rig: Rig, key: string): Promise<number> => {
    const listed = await fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } });
    return ((await listed.json()) as { keys: object[] }).keys.length;
  };

  test('is replaced: codes and owners stay with two values, and with the new one afterwards', async () => {
    const email = `rotation-${randomBytes(6).toString('hex')}@example.com`;
    const before = await startRig({ CODE_PEPPER: old });
    closing.push(() => before.close());
    const first = await (await redeem(before, email, await register(before, email))).text();
    const waiting = await register(before, email);
    const during = await startRig({ CODE_PEPPER: `${fresh},${old}`, REDIS_URL: before.redis.url });
    closing.push(() => during.close());
    const second = await redeem(during, email, waiting);
    expect(second.status).toBe(200);
    expect(await keysOf(during, await second.text())).toBe(2);
    // Each gateway mails codes.
    await Promise.all([before.stopGateway(), during.stopGateway()]);
    const after = await startRig({ CODE_PEPPER: fresh, REDIS_URL: before.redis.url });
    closing.push(() => after.close());
    expect(await keysOf(after, first)).toBe(2);
    const third = await redeem(after, email, await register(after, email));
    expect(await keysOf(after, await third.text())).toBe(3);
  });
});
