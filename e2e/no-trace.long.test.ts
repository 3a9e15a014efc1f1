import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isNightly } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { Canaries, foundInFiles, foundInMemory } from './canaries.ts';
import { redisCommand } from './remains.ts';
import { type Deployment, deploy } from './service.ts';

const WAIT_SECONDS = Number(process.env.NO_TRACE_WAIT_SECONDS ?? 60);
/** More of them make it likelier that something stays, and cost a search for more words. */
const ROUNDS = isNightly ? 3 : 1;

const canaries = new Canaries();
let folder: string;
let database: PostgresServer;
let service: Deployment;
let key: string;
/** When the first document was sent: what is older cannot have it. */
let documentsAt: number;

const inBase64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') });

async function post(path: string, body: object | string, type = 'application/json'): Promise<Buffer> {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200)
    throw new Error(`${path} was answered ${answer.status}: ${bytes.subarray(0, 500)}\n${faultsInLogs()}`);
  return bytes;
}

/** What the services logged of faults. */
const faultsInLogs = (): string =>
  [...service.gateways, ...service.annotators, ...service.converters, ...service.signers]
    .flatMap(({ log }) => log().split('\n'))
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
    .slice(-10)
    .join('\n');

/** The document of an answer in JSON. */
function documentOf(answer: Buffer): Buffer {
  const { document } = JSON.parse(answer.toString()) as { document: { base64: string } };
  return Buffer.from(document.base64.slice(document.base64.indexOf(',') + 1), 'base64');
}

/** Sends documents through every operation, each with words of its own. */
async function sendAll(round: number): Promise<void> {
  const word = (place: string) => canaries.word(`${place}${round}`);
  // One round is enough: each file is a text to search for.
  const file = (name: string, bytes: Buffer) => (round === 0 ? canaries.file(name, bytes) : bytes);
  const letter = file('letter', docxWith([word('Converted'), randomBytes(300).toString('hex')]));
  const converted = await service.convert(key, letter, `${word('FileName')}.docx`);
  file('converted', Buffer.from(await converted.arrayBuffer()));
  const form = file(
    'form',
    templateOf(p(run(word('Form'))) + p(sdt({ id: 7 }, run('prompt'))) + p(run('{name}'))),
  );
  const fields = [{ id: '7', type: 'text', value: word('FieldValue') }];
  file('annotated', documentOf(await post('/v1/annotate', { document: inBase64(form), fields })));
  await post('/v1/annotate?to=pdf', { document: inBase64(form), fields });
  await post('/v1/templates/inspect', { document: inBase64(form) });
  const sign = {
    signer: { name: word('SignerName'), email: `${word('SignerMail')}@example.com` },
    auditTrail: [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z', data: { note: word('AuditData') } }],
  };
  const generated = await post('/v1/generate?to=pdf', {
    document: inBase64(form),
    data: { name: word('DataValue') },
    sign,
  });
  file('generated', documentOf(generated));
  const contract = docxWith([word('Contract'), randomBytes(300).toString('hex')]);
  const signed = documentOf(await post('/v1/sign?to=pdf', { document: inBase64(contract), ...sign }));
  file('signed', signed);
  await post('/v1/verify', { document: inBase64(signed) });
  const second = docxWith([word('Merged'), randomBytes(300).toString('hex')]);
  file(
    'merged',
    documentOf(
      await post('/v1/merge?to=pdf', {
        documents: [contract, second].map(inBase64),
      }),
    ),
  );
  const rows = [1, 2, 3].map((row) => ({ data: { name: word(`Row${row}`) } }));
  const lines = [{ document: inBase64(form) }, ...rows].map((line) => JSON.stringify(line)).join('\n');
  const batch = (await post('/v1/batches?to=pdf', lines, 'application/x-ndjson')).toString();
  if (!batch.includes('"document"')) throw new Error(`the batch made nothing: ${batch.slice(0, 500)}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'no-trace-'));
  mkdirSync(join(folder, 'tmp'));
  database = await startPostgres({ folder: join(folder, 'postgres') });
  service = await deploy({
    annotators: 1,
    signers: 1,
    verifiers: 1,
    settings: { DATABASE_URL: database.url, LOG_LEVEL: 'trace', TMPDIR: join(folder, 'tmp') },
  });
  key = await service.register();
  documentsAt = Date.now();
  for (let round = 0; round < ROUNDS; round++) await sendAll(round);
  await sleep(WAIT_SECONDS * 1000);
}, 300_000);
afterAll(async () => {
  await service.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

const processesOf = () => ({
  gateway: service.gateways,
  converter: service.converters,
  annotator: service.annotators,
  signer: service.signers,
  verifier: service.verifiers,
});

describe(`${WAIT_SECONDS} s after documents went through every operation`, () => {
  test('no log has a word of them, at the most talkative level', () => {
    for (const [name, processes] of Object.entries(processesOf()))
      for (const { log } of processes) {
        expect(log().length).toBeGreaterThan(100);
        expect([name, canaries.in(Buffer.from(log()))]).toEqual([name, []]);
      }
  });

  test('Redis has none in a key, in a dump or in its memory', () => {
    expect(
      redisCommand(service, 'KEYS', '*')
        .split('\n')
        .flatMap((name) => canaries.in(Buffer.from(name))),
    ).toEqual([]);
    const dump = join(folder, 'dump.rdb');
    execFileSync('redis-cli', ['-s', service.redis.url, '--rdb', dump]);
    expect(foundInFiles(canaries, dump)).toEqual([]);
    const pid = Number(/process_id:(\d+)/.exec(redisCommand(service, 'INFO', 'server'))?.[1]);
    expect([...foundInMemory(canaries, pid)]).toEqual([]);
  });

  test('PostgreSQL has none in a file of its folder', () => {
    expect(foundInFiles(canaries, join(folder, 'postgres'), documentsAt)).toEqual([]);
  });

  test('no temporary folder has one', () => {
    expect(foundInFiles(canaries, join(folder, 'tmp'))).toEqual([]);
    for (const { child } of service.converters)
      for (const name of readdirSync('/dev/shm').filter((each) => each.includes(`-${child.pid}-`)))
        expect(foundInFiles(canaries, join('/dev/shm', name))).toEqual([]);
    // Whatever else appeared meanwhile.
    for (const root of ['/dev/shm', '/tmp', '/var/tmp', '/var/crash'].filter(existsSync))
      for (const name of readdirSync(root)) {
        const info = statSync(join(root, name), { throwIfNoEntry: false });
        if (info?.isFile() && info.mtimeMs >= documentsAt)
          expect(foundInFiles(canaries, join(root, name))).toEqual([]);
      }
  });

  test('no service has a finished PDF in its memory, nor have its children', () => {
    const foundIn = (sought: Canaries) =>
      Object.entries(processesOf()).flatMap(([name, processes]) =>
        processes.flatMap(({ child }) =>
          [...foundInMemory(sought, child.pid ?? 0).keys()].map((what) => `${name}: ${what}`),
        ),
      );
    if (process.env.NO_TRACE_REPORT)
      writeFileSync(process.env.NO_TRACE_REPORT, `${foundIn(canaries).sort().join('\n')}\n`);
    // Words, and pieces of templates, may be left in freed memory: see the security model.
    expect(foundIn(canaries.only(/^(converted|generated|signed|merged), compressed$/))).toEqual([]);
  });
});
