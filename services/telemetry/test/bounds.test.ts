import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { behindProxy, payloadOf, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

describe('the collector', () => {
  test('rejects a license over its limit for the rest of the minute, but not others', async () => {
    const bounded = await startRig({ LICENSE_EVENTS_PER_MINUTE_MAX: '100' });
    try {
      const flood = await Promise.all(
        Array.from({ length: 30 }, () => bounded.post('flood', payloadOf(Array(10).fill('d')))),
      );
      const refused = flood.filter(({ status }) => status === 429);
      // A new minute may begin in between.
      expect(refused.length).toBeGreaterThanOrEqual(10);
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await bounded.post('calm', payloadOf(['d']))).status).toBe(202);
    } finally {
      await bounded.close();
    }
  });

  test('stores neither personal data nor the origin of a request', async () => {
    const document = `sha256:${'cd'.repeat(32)}`;
    const waiting = await startRig({ TELEMETRY_ROLE: 'collector' });
    try {
      await waiting.open('private', [document]);
      const { rows } = await waiting.database.query<{ entries: string }>('SELECT entries FROM usage_inbox');
      expect(rows).toHaveLength(1);
      for (const secret of ['127.0.0.1', 'Mozilla', 'editor.example.com', document.slice(7)])
        expect(rows[0]?.entries).not.toContain(secret);
    } finally {
      await waiting.close();
    }
  });
});

test('many concurrent health requests do not delay opens', async () => {
  const { proxy, url } = await behindProxy(rig.databaseUrl);
  const slow = await startRig({ DATABASE_URL: url, DATABASE_WAIT_MS_MAX: '0', TELEMETRY_ROLE: 'collector' });
  try {
    proxy.spoil({ delayMs: 80 });
    const asking = Array.from({ length: 200 }, () => fetch(`${slow.url}/readyz`));
    expect((await slow.post('calm', payloadOf(['d']))).status).toBe(202);
    for (const answer of await Promise.all(asking)) expect(answer.status).toBe(200);
  } finally {
    proxy.mend();
    await slow.close();
    await proxy.close();
  }
});

test('health reports whether opens can be accepted', async () => {
  const answer = await fetch(`${rig.url}/v1/health`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    status: 'healthy',
    version: '0.0.0',
    checks: { database: 'up', uncountedSeconds: 0 },
  });
  expect((await fetch(`${rig.url}/livez`)).status).toBe(200);
});
