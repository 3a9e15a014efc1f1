import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { type Balancer, startBalancer } from '@scriptorium/testing/balancer';
import { testInNightly } from '@scriptorium/testing/extent';
import { type FaultProxy, startFaultProxy } from '@scriptorium/testing/fault-proxy';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { pageSizes, textFrom } from '@scriptorium/testing/pdf-reading';
import { ask, startCallers, tally } from '../callers.ts';
import { jobsInWork, redisCommand, remainsInRedis, untilInWork } from '../remains.ts';
import { type Deployment, deploy, postDocument, type ServiceProcess, until } from '../service.ts';
import { logLines } from '../vitals.ts';
import { expectAllPdfs, expectNothingLeft } from './promise.ts';

/** Takes longer than a gateway's lease. */
const BOOK = Array.from({ length: 90_000 }, (_, i) => `Paragraph ${i} of a book.`);

let service: Deployment;
let balancer: Balancer | undefined;
let wire: FaultProxy | undefined;
afterEach(async () => {
  await wire?.close();
  await balancer?.close();
  await service?.close();
});

// The rolling replacement of everything, in alone/drain, replaces gateways under load, too.
testInNightly('a rolling replacement of gateways leaves no caller without a PDF', async () => {
  service = await deploy({ gateways: 2, settings: { ENGINES: '2', DRAIN_MS: '4000' } });
  const olds = [...service.gateways];
  balancer = await startBalancer(olds.map(({ port }) => port));
  // As distant as real callers: a request may be in transit when the other end closes its connection.
  wire = await startFaultProxy({ port: balancer.port });
  wire.spoil({ delayMs: 40 });
  const keys = [await service.register(), await service.register()];
  const callers = startCallers(urlOf(wire), [...keys, ...keys, ...keys, ...keys], 150);
  const hasServed = () => service.gateways.every((gateway) => servedBy(gateway) > 5);
  await until('each has answered some', hasServed);
  for (const old of olds) {
    balancer.add((await service.addGateway()).port);
    const ended = old.end('SIGTERM');
    await until(
      'it reports that it is not ready',
      async () => (await fetch(`${old.url}/readyz`)).status === 503,
    );
    const refused = await postDocument(old.url, 'scr_wrong', Buffer.alloc(2 ** 20));
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('requestId')]);
    const last = await fetch(`${old.url}/livez`);
    expect([await last.text(), last.headers.get('connection')]).toEqual([expect.any(String), 'close']);
    expect(await ended).toBe(0);
  }
  await until('the new ones have answered some', hasServed);
  await expectAllPdfs(await callers.stop());
  await expectNothingLeft(service);
});

test('a killed gateway breaks only its own connections; its jobs are canceled and its keys expire', async () => {
  service = await deploy({ gateways: 2, settings: { ENGINES: '1' } });
  const [victim, other] = service.gateways;
  const [key, otherKey] = [await service.register(), await service.register()];
  const book = ask(victim?.url ?? '', key, BOOK);
  await untilInWork(service);
  const waiting = ask(victim?.url ?? '', key);
  await until('both are with Redis', () => remainsInRedis(service).filter(isBlob).length === 2);
  await victim?.end('SIGKILL');
  expect(Object.keys(tally(await Promise.all([book, waiting])))).toEqual([
    expect.stringMatching(/^0 broken/),
  ]);
  const others = [ask(other?.url ?? '', otherKey), ask(other?.url ?? '', otherKey)];
  await until('its jobs are gone', () => jobsInWork(service) === 0);
  await expectAllPdfs(await Promise.all(others));
  // On a fast machine, both are made while the lease of their gateway still holds. Then their results expire.
  for (const name of remainsInRedis(service))
    expect({ name, lasts: redisCommand(service, 'TTL', name) }).toEqual({
      name,
      lasts: expect.stringMatching(/^\d{1,3}$/),
    });
});

test('jobs of a killed gateway are ended by another one: their owner gets the document, and each row its own', async () => {
  const store = await startStore();
  const place = `127.0.0.1:${store.port}`;
  service = await deploy({ annotators: 1, settings: { ENGINES: '1', DELIVER_ALLOW: place } });
  const key = await service.register();
  const headers = { authorization: `Bearer ${key}` };
  const accept = async (path: string, body: object): Promise<string> => {
    const accepted = await fetch(service.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify(body),
    });
    expect(accepted.status).toBe(202);
    return ((await accepted.json()) as { id: string }).id;
  };
  const numbers = Array.from({ length: 900 }, (_, number) => number);
  const template = docxWith(['Number {{number}} of all']).toString('base64');
  const rows = numbers.map((number) => ({
    data: { number },
    deliver: { put: { url: `http://${place}/${number}` } },
  }));
  const batch = await accept('/v1/batches', { document: { base64: template }, rows });
  await until('some documents are there', () => store.documents.size > 100);
  const text = Array.from({ length: 3_000 }, (_, i) => `Paragraph ${i} of a report.`).join('\n\n');
  const job = await accept('/v1/convert?from=md', {
    document: { base64: Buffer.from(text).toString('base64') },
  });
  await untilInWork(service);
  await service.gateway.end('SIGKILL');
  expect(store.documents.size).toBeLessThan(numbers.length);
  const { url } = await service.addGateway();
  const succeeded = (id: string) =>
    until('the job has succeeded', async () => {
      const answer = await fetch(`${url}/v1/jobs/${id}`, { headers: { ...headers, prefer: 'wait=10' } });
      return ((await answer.json()) as { status: string }).status === 'succeeded';
    });
  await succeeded(job);
  const result = await fetch(`${url}/v1/jobs/${job}/result`, { headers });
  const pdf = Buffer.from(await result.arrayBuffer());
  const pages = (await pageSizes(pdf)).length;
  expect(await textFrom(pdf, pages)).toContain('Paragraph 2999 of a report.');
  await succeeded(batch);
  expect([...store.documents.keys()].sort()).toEqual(numbers.map((number) => `/${number}`).sort());
  for (const number of numbers)
    expect(await textIn(store.documents.get(`/${number}`))).toContain(`Number ${number} of all`);
  // Only what was not written yet is made again.
  expect(store.puts()).toBeLessThan(numbers.length + 700);
  store.close();
  // What the killed one had under way expires.
  for (const name of remainsInRedis(service).filter(isBlob))
    expect(redisCommand(service, 'TTL', name)).toMatch(/^\d{1,3}$/);
  const own = () => remainsInRedis(service).filter((name) => name.includes(job) || name.includes(batch));
  await until('nothing of the jobs is left', () => own().length === 0);
});

/** The text of a document, without its marks. */
async function textIn(document: Buffer | undefined): Promise<string> {
  const { main } = await openPackage(document ?? Buffer.alloc(0));
  return main.bytes.toString().replace(/<[^<>]{0,500}>/g, '');
}

/** A store on loopback, which takes its time. */
async function startStore() {
  const documents = new Map<string, Buffer>();
  let puts = 0;
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    documents.set(request.url ?? '', Buffer.concat(pieces));
    puts += 1;
    setTimeout(() => response.end(), 100);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, documents, puts: () => puts, close: () => server.close() };
}

const urlOf = ({ address }: FaultProxy): string =>
  `http://127.0.0.1:${'port' in address ? address.port : ''}`;

const servedBy = (gateway: ServiceProcess): number =>
  logLines(gateway).filter(({ status }) => status === 200).length;

const isBlob = (name: string): boolean => name.includes(':blob:');
