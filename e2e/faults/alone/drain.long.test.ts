import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { type Balancer, startBalancer } from '@scriptorium/testing/balancer';
import { documentOf } from '@scriptorium/usage/inbox';
import {
  type Answer,
  ask,
  askFilled,
  askSigned,
  askVerified,
  type Callers,
  isOwn,
  newMarker,
  startAsking,
  tally,
} from '../../callers.ts';
import {
  type Deployment,
  deploy,
  inService,
  type ListeningProcess,
  type ServiceProcess,
  startListening,
  startService,
  until,
  untilReady,
} from '../../service.ts';
import { usageOf } from '../../usage-reading.ts';
import { childrenOf } from '../../vitals.ts';
import { expectNothingLeft } from '../promise.ts';

/** Pause between two requests of a caller: services must start meanwhile, on the same cores. */
const PAUSE_MS = 500;
/** Delay between the first and the second signal, as terminals and supervisors send them. */
const AGAIN_MS = 50;
/** The drain time of the gateway and the collector; callers reuse their connections more often. */
const DRAIN_MS = 4_000;

let service: Deployment;
let collectors: ListeningProcess[];
let doors: { gateways: Balancer; collectors: Balancer };

const urlOf = ({ port }: Balancer): string => `http://127.0.0.1:${port}`;

async function addCollector(): Promise<ListeningProcess> {
  const collector = await startListening('telemetry', { ...service.settings, COUNT_INTERVAL_MS: '100' });
  collectors.push(collector);
  await untilReady(collector);
  return collector;
}

beforeAll(async () => {
  service = await deploy({
    gateways: 2,
    converters: 2,
    annotators: 2,
    signers: 2,
    verifiers: 2,
    settings: { DRAIN_MS: String(DRAIN_MS), KEY_REQUESTS_PER_MINUTE_MAX: '100000' },
  });
  collectors = [];
  await Promise.all([addCollector(), addCollector()]);
  doors = {
    gateways: await startBalancer(service.gateways.map(({ port }) => port)),
    collectors: await startBalancer(collectors.map(({ port }) => port)),
  };
});
afterAll(async () => {
  await Promise.all([doors?.gateways.close(), doors?.collectors.close()]);
  await Promise.all([...(collectors ?? []).map((collector) => collector.end('SIGTERM')), service?.close()]);
});

/** A caller that reports opens of one document after another; `marker` is the document. */
async function open(url: string): Promise<Answer> {
  const marker = newMarker();
  const timestamp = new Date().toISOString();
  const events = [{ timestamp, documentId: marker, documentCreatedAt: '' }];
  const startedAt = performance.now();
  const answer = await fetch(`${url}/v1/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-license-key': 'drained' },
    body: JSON.stringify({ clientVersion: '1.0.0', events }),
  }).then(
    async (response) => ({ status: response.status, code: (await response.text()) || undefined }),
    (error) => ({ status: 0, code: String(error.cause ?? error) }),
  );
  const ms = performance.now() - startedAt;
  return { marker, ...answer, retryAfter: null, ms, queueMs: 0, convertMs: 0, pdf: undefined };
}

/** Callers of every kind, each with a new document every time; `verify` uses the last result of `sign`. */
function startEveryKind(key: string, signedBefore: Answer) {
  const url = urlOf(doors.gateways);
  let signed = signedBefore;
  const asking = (askOnce: () => Promise<Answer>, callers = 1) =>
    startAsking(Array<string>(callers).fill(key), PAUSE_MS, askOnce);
  return {
    convert: asking(() => ask(url, key)),
    fill: asking(() => askFilled(url, key, [], 'docx')),
    'fill to PDF': asking(() => askFilled(url, key)),
    'sign as PDF': asking(async () => {
      const answer = await askSigned(url, key);
      if (answer.status === 200) signed = answer;
      return answer;
    }),
    verify: asking(() => askVerified(url, key, signed)),
    open: asking(() => open(urlOf(doors.collectors)), 2),
  };
}
type EveryKind = ReturnType<typeof startEveryKind>;

/** Waits until all processes handle requests of every kind. */
async function untilEachIsAnswered(callers: EveryKind): Promise<void> {
  const counts = () => Object.values<Callers>(callers).map(({ answers }) => answers.length);
  const before = counts();
  await until('each kind is answered', () => counts().every((count, i) => count > (before[i] ?? 0)));
}

async function endPatiently(old: ServiceProcess): Promise<void> {
  const ended = old.end('SIGTERM');
  await sleep(AGAIN_MS);
  old.child.kill('SIGINT');
  expect(await ended).toBe(0);
}

/** It still reports that it is not ready, and an unused open connection does not keep it alive. */
async function endListening(old: ListeningProcess): Promise<void> {
  const ahead = connect(old.port, '127.0.0.1').on('error', () => undefined);
  const ended = endPatiently(old);
  await until(
    'it reports that it is not ready',
    async () => (await fetch(`${old.url}/readyz`)).status === 503,
  );
  await ended;
  ahead.destroy();
  await expect(fetch(`${old.url}/livez`)).rejects.toThrow();
}

async function replaceWorkers(
  workers: readonly ServiceProcess[],
  add: () => Promise<unknown>,
  callers: EveryKind,
): Promise<void> {
  for (const old of inService(workers)) {
    await add();
    await untilEachIsAnswered(callers);
    await endPatiently(old);
  }
}

async function replaceListeners(
  listeners: readonly ListeningProcess[],
  door: Balancer,
  add: () => Promise<ListeningProcess>,
  callers: EveryKind,
): Promise<void> {
  for (const old of [...listeners]) {
    door.add((await add()).port);
    await untilEachIsAnswered(callers);
    await endListening(old);
  }
}

/** For each kind: the number of requests, the outcomes, and the responses with a wrong document. */
async function accountOf(
  answers: readonly Answer[],
  ownAnswer: (answer: Answer) => Promise<boolean> = isOwn,
) {
  const wrong: string[] = [];
  for (const answer of answers) if (!(await ownAnswer(answer))) wrong.push(answer.marker);
  return { sent: answers.length, came: tally(answers), wrong };
}

/** `askVerified` has already compared the reported document with the sent one. */
const isRight: Record<string, (answer: Answer) => Promise<boolean>> = {
  verify: async ({ pdf }) => pdf !== undefined && pdf.length > 0,
};

/** The counted opens of each of these documents. */
async function opensCounted(markers: readonly string[]): Promise<Map<string, number>> {
  const database = openDatabase(new Secret(service.settings.DATABASE_URL ?? ''));
  try {
    const { rows } = await database.query<{ document: string; opens: string }>(
      'SELECT document, sum(opens) AS opens FROM usage_document_months WHERE document = ANY($1) GROUP BY document',
      [markers.map(documentOf)],
    );
    const counts = new Map(rows.map(({ document, opens }) => [document, Number(opens)]));
    return new Map(markers.map((marker) => [marker, counts.get(documentOf(marker)) ?? 0]));
  } finally {
    await database.end();
  }
}

describe('services that receive SIGTERM', () => {
  test('lose no request during a rolling replacement under mixed load', async () => {
    const key = await service.register();
    const signed = await askSigned(service.url, key);
    const callers = startEveryKind(key, signed);
    await untilEachIsAnswered(callers);
    await replaceWorkers(service.converters, () => service.addConverter(), callers);
    await Promise.all([
      replaceWorkers(service.annotators, () => service.addAnnotator(), callers),
      replaceWorkers(service.signers, () => service.addSigner(), callers),
      replaceWorkers(service.verifiers, () => service.addVerifier(), callers),
    ]);
    await Promise.all([
      replaceListeners(service.gateways, doors.gateways, () => service.addGateway(), callers),
      replaceListeners(collectors, doors.collectors, addCollector, callers),
    ]);
    await untilEachIsAnswered(callers);
    const { open: opening, ...asking } = callers;
    const opened = await opening.stop();
    const kinds = await Promise.all(
      Object.entries(asking).map(async ([kind, { stop }]) => [kind, await stop()] as const),
    );

    const accounts = kinds.map(async ([kind, answers]) => [kind, await accountOf(answers, isRight[kind])]);
    expect(Object.fromEntries(await Promise.all(accounts))).toEqual(
      Object.fromEntries(
        kinds.map(([kind, { length }]) => [kind, { sent: length, came: { 200: length }, wrong: [] }]),
      ),
    );
    const counted = () => opensCounted(opened.map(({ marker }) => marker));
    await until('every open is counted', async () =>
      [...(await counted()).values()].every((n) => n > 0),
    ).catch(() => undefined);
    const counts = await counted();
    expect(await accountOf(opened, async ({ marker }) => counts.get(marker) === 1)).toEqual({
      sent: opened.length,
      came: { 202: opened.length },
      wrong: [],
    });
    const sent = Object.fromEntries(kinds.map(([kind, { length }]) => [kind, length])) as Record<
      string,
      number
    >;
    const operations = {
      convert: sent.convert,
      annotate: (sent.fill ?? 0) + (sent['fill to PDF'] ?? 0),
      sign: (sent['sign as PDF'] ?? 0) + 1,
      verify: sent.verify,
    };
    const all = Object.values(operations).reduce((sum: number, count) => sum + (count ?? 0), 0);
    expect(await usageOf(urlOf(doors.gateways), key, 'operation', all)).toEqual(operations);
    await expectNothingLeft(service);
  }, 300_000);

  test('end at once while LibreOffice starts, and end LibreOffice too', async () => {
    const converter = startService('converter', service.settings);
    await until('LibreOffice starts', () => childrenOf(converter).length > 0);
    const children = childrenOf(converter);
    expect(await converter.end('SIGTERM')).toBe(0);
    expect(converter.log()).not.toContain('"ready"');
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await until('its processes have ended', () => !children.some(isAlive));
  });
});
