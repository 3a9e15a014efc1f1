import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ACCESS } from '@scriptorium/contracts/access';
import { REDIS_USERS, type RedisUser, ROLES, type Role } from '@scriptorium/contracts/services';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { Redis } from 'ioredis';
import { asUser, hashedPassword, NOBODY, redisUser } from '../../src/queue/access.ts';

const passwordOf = (user: RedisUser): string => `p/a ss?w&ord:${user}@`;
let server: RedisServer;
const users = new Map<string, Redis>();

beforeAll(async () => {
  const lines = [
    NOBODY,
    ...REDIS_USERS.map((user) => redisUser(user, hashedPassword(passwordOf(user)), ACCESS)),
  ];
  server = await startRedis({ args: lines.flatMap((words) => ['--user', ...words]) });
  for (const user of REDIS_USERS) users.set(user, new Redis(asUser(server.url, user, passwordOf(user))));
});
afterAll(async () => {
  for (const redis of users.values()) redis.disconnect();
  await server.stop();
});

const as = (user: RedisUser): Redis => users.get(user) as Redis;
const isDenied = (command: () => Promise<unknown>) => expect(command()).rejects.toThrow(/NOPERM/);

/** A queue of a role. */
const queueOf = (role: Role) => ACCESS.jobs.find((job) => job.role === role)?.name;
/** The roles whose queues a worker needs, because it forwards requests to them. The others need none. */
const FORWARDS: Partial<Record<Role, string[]>> = {
  converter: ['signer'],
  annotator: ['converter', 'signer'],
};

describe('a user of Redis', () => {
  test.each(ROLES)('%s reaches its own queue and those of the steps after it, and no other', async (role) => {
    for (const other of ROLES) {
      const key = `{scriptorium}:${queueOf(other)}:req_1`;
      const tries = [
        () => as(role).hgetall(key),
        () => as(role).hset(key, 'data', '{}'),
        () => as(role).del(key),
      ];
      const isOpen = other === role || FORWARDS[role]?.includes(other) === true;
      for (const each of tries) await (isOpen ? each() : isDenied(each));
    }
  });

  test.each(ROLES)('%s cannot list keys, watch others, or change the server', async (role) => {
    const redis = as(role);
    for (const command of [
      () => redis.keys('*'),
      () => redis.scan('0'),
      () => redis.randomkey(),
      () => redis.call('MONITOR'),
      () => redis.config('GET', '*'),
      () => redis.config('SET', 'save', '1 1'),
      () => redis.flushall(),
      () => redis.acl('LIST'),
      () => redis.call('CLIENT', 'LIST'),
      () => redis.call('FUNCTION', 'LIST'),
      () => redis.save(),
    ])
      await isDenied(command);
  });

  test.each(ROLES)('%s reads no rate limit, no code and no place of a caller', async (role) => {
    for (const name of ['code:x', 'rate:x', 'places:x', 'rows:x', 'mail:x', 'count:x'])
      await isDenied(() => as(role).get(`{scriptorium}:${name}`));
  });

  test('is refused in a script, too', async () => {
    const read = `return redis.call('GET', KEYS[1])`;
    await isDenied(() => as('converter').eval(read, 1, '{scriptorium}:verify:req_1'));
    const hidden = `return redis.call('GET', '{scriptorium}:verify:req_1')`;
    await expect(as('converter').eval(hidden, 0)).rejects.toThrow(/can't access/);
  });

  test('publishes the certificate of the service only as a signer, and reads it as a verifier', async () => {
    const key = '{scriptorium}:service-certificate';
    await as('signer').set(key, 'PEM');
    expect(await as('verifier').getrange(key, 0, -1)).toBe('PEM');
    await isDenied(() => as('verifier').set(key, 'forged'));
    for (const user of ['converter', 'annotator'] as const) await isDenied(() => as(user).set(key, 'forged'));
  });

  test('announces workers of its own queues only, and takes no lease of a gateway', async () => {
    await as('converter').hset('{scriptorium}:workers:convert', 'w', '{}');
    await isDenied(() => as('converter').hset('{scriptorium}:workers:sign', 'w', '{}'));
    expect(await as('converter').exists('{scriptorium}:gateway:gw_1')).toBe(0);
    await isDenied(() => as('converter').set('{scriptorium}:gateway:gw_1', '1'));
  });

  test('without a password learns only that the server is up', async () => {
    const nobody = new Redis(server.url, { enableReadyCheck: false });
    expect(await nobody.ping()).toBe('PONG');
    await isDenied(() => nobody.get('{scriptorium}:convert:req_1'));
    await isDenied(() => nobody.info());
    nobody.disconnect();
  });

  test('does not get in with the password of another', async () => {
    const redis = new Redis(asUser(server.url, 'signer', passwordOf('converter')), {
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
    });
    redis.on('error', () => undefined);
    await expect(redis.connect().then(() => redis.get('{scriptorium}:sign:req_1'))).rejects.toThrow();
    redis.disconnect();
  });
});
