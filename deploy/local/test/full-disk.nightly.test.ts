import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@scriptorium/testing/server-process';

const serve = fileURLToPath(new URL('../serve.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
const DISK_MIB = 120;

let folder: string;
let product: ChildProcess;
let ports: Record<string, string>;
let shown = '';

const gateway = () => `http://127.0.0.1:${ports.GATEWAY_PORT}`;
const mailbox = () => `http://127.0.0.1:${ports.MAILDEV_PORT}`;

async function until<T>(ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await Promise.resolve(ask()).catch(() => undefined);
    if (answer) return answer;
    await sleep(200);
  }
  throw new Error(`It did not come.\n${shown}`);
}

async function newKey(): Promise<string> {
  await fetch(`${gateway()}/v1/auth/register?email=ada@example.com`);
  const code = await until(async () => {
    const answer = await fetch(`${mailbox()}/api/email?sort=desc`);
    return /code: (\d{6})/.exec(await answer.text())?.[1];
  });
  const answer = await fetch(`${gateway()}/v1/auth/verify?email=ada@example.com&code=${code}`, {
    headers: { accept: 'text/plain' },
  });
  return (await answer.text()).trim();
}

async function convert(key: string): Promise<string> {
  const form = new FormData();
  const sample = await fetch(`${gateway()}/sample.docx`);
  form.append('file', await sample.blob(), 'sample.docx');
  const answer = await fetch(`${gateway()}/v1/convert?from=docx`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  return `${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 5)}`;
}

async function databaseIs(state: string): Promise<boolean> {
  const answer = await fetch(`${gateway()}/v1/health`);
  return ((await answer.json()) as { checks: { database: string } }).checks.database === state;
}

beforeAll(async () => {
  if (!isRoot) return;
  folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=755`, 'tmpfs', folder]);
  const names = ['GATEWAY_PORT', 'TELEMETRY_PORT', 'MAILDEV_PORT', 'SMTP_PORT', 'INTERNAL_PORT'];
  ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])));
  product = spawn(process.execPath, ['--conditions=source', serve], {
    env: { ...process.env, ...ports, NODE_OPTIONS: '', DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [product.stdout, product.stderr])
    stream?.on('data', (chunk: Buffer) => {
      shown += chunk;
    });
  await until(() => shown.includes('is up'));
});

afterAll(async () => {
  if (!isRoot) return;
  product.kill('SIGKILL');
  await sleep(4_000);
  execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true });
});

// Only root may mount a disk that is small.
(isRoot ? test : test.skip)(
  'documents are converted while the disk is full and PostgreSQL cannot run',
  async () => {
    const key = await newKey();
    expect(await convert(key)).toBe('200 %PDF-');

    const filling = join(folder, 'filling');
    expect(() => writeFileSync(filling, Buffer.alloc(DISK_MIB * 1024 * 1024))).toThrow('ENOSPC');
    const pid = readFileSync(join(folder, 'data/postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0];
    process.kill(Number(pid), 'SIGKILL');
    await until(() => databaseIs('down'));
    for (let count = 0; count < 6; count++) expect(await convert(key)).toBe('200 %PDF-');
    await until(() => shown.includes('cannot be written'));
    await sleep(6_000);
    expect(await convert(key)).toBe('200 %PDF-');
    const logs = [...shown.matchAll(/(\w+)\.log cannot be written \(ENOSPC\)/g)].map(([, name]) => name);
    expect(logs).toEqual([...new Set(logs)]);
    expect(shown.split('[postgres] ended (signal SIGKILL)')).toHaveLength(2);
    expect(shown).toContain(`The disk of ${join(folder, 'data')} is full.`);

    rmSync(filling);
    await until(() => databaseIs('up'));
    expect(await convert(key)).toBe('200 %PDF-');
    product.kill('SIGINT');
    expect(await once(product, 'exit')).toEqual([0, null]);
  },
);
