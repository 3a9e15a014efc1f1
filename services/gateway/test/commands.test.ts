import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { type Executed, watchRedis } from '@scriptorium/testing/redis-watch';
import { type Rig, startRig } from './rigs/rig.ts';

const COMMANDS_MAX = 20;
const IDLE_COMMANDS_MAX = 5;
const IDLE_MS = 5_000;
const CONVERSIONS = 10;
const LETTER = docxWith(['A letter.']);
/** A result of the usual size of one page. */
const PAGE = Buffer.alloc(30_000, 'p');

/** Commands that processes send by the clock, with or without requests. */
const isPeriodic = ({ name, args }: Executed): boolean =>
  /:(workers:|gateway:|stalled)/.test(args.slice(0, 3).join(' ')) || name === 'pexpire';

describe.each(['one Redis', 'a separate Redis for documents'])('a conversion with %s', (deployment) => {
  let store: RedisServer | undefined;
  let rig: Rig;
  let key: string;
  beforeAll(async () => {
    store = deployment === 'one Redis' ? undefined : await startRedis();
    rig = await startRig(store && { REDIS_BLOB_URL: store.url });
    key = (await rig.newKey()).key;
    await rig.convertWith(async () => PAGE, 1);
    expect((await rig.post(key, LETTER)).status).toBe(200);
  });
  afterAll(async () => {
    await rig.close();
    await store?.stop();
  });

  const watchAll = async () => {
    const servers = [rig.redis, ...(store ? [store] : [])];
    const watches = await Promise.all(servers.map(({ url }) => watchRedis(url)));
    return {
      take: async () => (await Promise.all(watches.map((watch) => watch.take()))).flat(),
      stop: () => watches.forEach((watch) => void watch.stop()),
    };
  };

  test(`takes at most ${COMMANDS_MAX} commands, including the end of its job`, async () => {
    const watch = await watchAll();
    for (let sent = 0; sent < CONVERSIONS; sent++) {
      const answer = await rig.post(key, LETTER);
      expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(PAGE)]).toEqual([200, true]);
    }
    await sleep(500);
    const commands = (await watch.take()).filter((command) => !isPeriodic(command));
    watch.stop();
    expect(commands.length).toBeGreaterThan(CONVERSIONS);
    expect(commands.length / CONVERSIONS).toBeLessThanOrEqual(COMMANDS_MAX);
  });

  test(`is followed by at most ${IDLE_COMMANDS_MAX} commands a second without a caller`, async () => {
    const watch = await watchAll();
    await watch.take();
    const startedAt = performance.now();
    await sleep(IDLE_MS);
    const commands = await watch.take();
    const seconds = (performance.now() - startedAt) / 1_000;
    watch.stop();
    expect(commands.length / seconds).toBeLessThanOrEqual(IDLE_COMMANDS_MAX);
  });
});
