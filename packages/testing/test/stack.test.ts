import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { testInWhole } from '../src/extent.ts';
import { forgetMails, mailsTo, readMail } from '../src/mail.ts';
import { createDatabase, startPostgres } from '../src/postgres-server.ts';
import { findRedisBinary, type RedisServer, startRedis } from '../src/redis-server.ts';
import { ServerError } from '../src/server-process.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function redis(): Promise<RedisServer> {
  const server = await startRedis();
  cleanUps.push(() => server.kill());
  return server;
}

function client(server: RedisServer): Redis {
  const connection = new Redis(server.url, {
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: true,
  });
  connection.on('error', () => {});
  cleanUps.push(() => connection.disconnect());
  return connection;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const connection = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  await connection.connect();
  try {
    return (await connection.query(text)).rows;
  } finally {
    await connection.end();
  }
}

/** A minimal SMTP client that waits for each response. */
async function sendMail(to: string, text: string): Promise<void> {
  const { hostname, port } = new URL(process.env.SMTP_URL ?? '');
  const socket = createConnection({ host: hostname, port: Number(port) });
  const answered = async () => {
    const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
    if (!/^[23]/.test(data.toString())) throw new Error(`SMTP answered ${data}`);
  };
  await answered();
  const message = `From: a@example.com\r\nTo: ${to}\r\nSubject: For a test\r\n\r\n${text}\r\n.`;
  for (const line of ['HELO test', 'MAIL FROM:<a@example.com>', `RCPT TO:<${to}>`, 'DATA', message, 'QUIT']) {
    socket.write(`${line}\r\n`);
    await answered();
  }
  socket.destroy();
}

describe('a test’s own Redis', () => {
  test('evicts nothing and writes nothing to disk', async () => {
    const connection = client(await redis());
    const [policy, save, appendonly] = await Promise.all(
      ['maxmemory-policy', 'save', 'appendonly'].map((name) => connection.config('GET', name)),
    );
    expect([policy, save, appendonly]).toEqual([
      ['maxmemory-policy', 'noeviction'],
      ['save', ''],
      ['appendonly', 'no'],
    ]);
  });

  test('does not load what another program left behind', async () => {
    const [, folder = ''] = (await client(await redis()).config('GET', 'dir')) as string[];
    const left = join(folder, 'dump.rdb');
    if (existsSync(left)) return;
    writeFileSync(left, 'REDIS9999');
    cleanUps.push(() => rmSync(left));
    expect(await client(await redis()).dbsize()).toBe(0);
  });

  test('restarts empty at the same address after kill -9', async () => {
    const server = await redis();
    await client(server).set('a', '1');
    await server.kill();
    await expect(client(server).ping()).rejects.toThrow();
    await server.start();
    expect(await client(server).get('a')).toBeNull();
  });

  test('does not answer while paused, and then answers all requests', async () => {
    const server = await redis();
    const connection = client(server);
    await connection.ping();
    server.pause();
    const answer = connection.ping();
    expect(await Promise.race([answer, sleep(300, 'nothing')])).toBe('nothing');
    server.resume();
    expect(await answer).toBe('PONG');
  });

  test('names the package to install if no Redis is found', () => {
    expect(findRedisBinary('')).toBeUndefined();
    expect(findRedisBinary('/nowhere')).toBeUndefined();
  });
});

describe('a test’s own PostgreSQL', () => {
  testInWhole('keeps its data and address through a stop and a kill -9', async () => {
    const server = await startPostgres({ outlives: 'kill' });
    cleanUps.push(() => server.stop());
    await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await server.stop();
    await expect(query(server.url, 'SELECT 1')).rejects.toThrow();
    await server.start();
    await server.kill();
    await server.start();
    expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  testInWhole('that cannot start says why', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-test-'));
    chmodSync(folder, 0o711);
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    await (await startPostgres({ folder, outlives: 'stop' })).stop();
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '9\n');
    const failure = await startPostgres({ folder }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServerError);
    expect(String(failure)).toMatch(
      /PostgreSQL ended while starting \(code 1\)\.\n[\s\S]*initialized by PostgreSQL version 9/,
    );
  });

  testInWhole('comes back by itself at its address with its data, if that is asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-test-'));
    chmodSync(folder, 0o711);
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    const reasons: string[] = [];
    const server = await startPostgres({ folder, onEnd: (reason) => reasons.push(reason) });
    cleanUps.push(() => server.stop());
    await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const [pid] = readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await expect(query(server.url, 'SELECT 1')).rejects.toThrow();
    let rows: unknown;
    for (let tries = 0; tries < 600 && rows === undefined; tries++) {
      await sleep(200);
      rows = await query(server.url, 'SELECT answer FROM kept').catch(() => undefined);
    }
    expect(rows).toEqual([{ answer: 42 }]);
    expect(reasons).toEqual([expect.stringMatching(/^ended \(signal SIGKILL\)/)]);
  });

  test('creates another database once', async () => {
    const url = process.env.DATABASE_URL ?? '';
    const created = await createDatabase(url, 'a "quoted" name');
    expect(await createDatabase(url, 'a "quoted" name')).toBe(created);
    expect(await query(created, 'SELECT current_database() AS name')).toEqual([{ name: 'a "quoted" name' }]);
    await query(url, 'DROP DATABASE "a ""quoted"" name"');
  });
});

describe('the mail catcher', () => {
  test('lists a mail for the recipient of its envelope until it is removed', async () => {
    const address = `reader-${process.pid}@example.com`;
    await sendMail(address, 'Your code: 123456');
    const mail = await readMail(address.toUpperCase());
    expect(mail).toMatchObject({ to: [address], from: 'a@example.com', subject: 'For a test' });
    expect(mail.text).toContain('123456');
    await forgetMails(address);
    expect(await mailsTo(address)).toEqual([]);
  });

  test('ends a wait for a mail that never arrives', async () => {
    await expect(readMail('nobody@example.com', { timeoutMs: 200 })).rejects.toThrow('200 ms');
  });
});

describe('the stack', () => {
  testInWhole('ends with the process that started it, even by kill -9, and leaves no folder', async () => {
    const module = fileURLToPath(new URL('../src/stack.ts', import.meta.url));
    const script = `import { startStack } from ${JSON.stringify(module)};
      console.log(JSON.stringify(await startStack()));
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, NODE_OPTIONS: '', TEST_SERVERS: 'local' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanUps.push(() => owner.kill('SIGKILL'));
    const [line] = (await once(owner.stdout, 'data', { signal: AbortSignal.timeout(120_000) })) as [Buffer];
    const stack = JSON.parse(line.toString()) as {
      redisUrl: string;
      databaseUrl: string;
      maildevUrl: string;
    };
    const alive = () =>
      Promise.allSettled([
        query(stack.databaseUrl, 'SELECT 1'),
        fetch(`${stack.maildevUrl}/api/healthz`).then((answer) => answer.text()),
        once(createConnection(stack.redisUrl), 'connect'),
      ]).then((results) => results.map((result) => result.status === 'fulfilled'));
    expect(await alive()).toEqual([true, true, true]);
    owner.kill('SIGKILL');
    const folder = dirname(stack.redisUrl);
    const deadline = Date.now() + 60_000;
    while (existsSync(folder) && Date.now() < deadline) await sleep(100);
    expect(existsSync(folder)).toBe(false);
    expect(await alive()).toEqual([false, false, false]);
  });
});
