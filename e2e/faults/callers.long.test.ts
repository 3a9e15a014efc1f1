import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isNightly, testInNightly } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { docxOfPictures, noisePng } from '@scriptorium/testing/fixtures/picture';
import { type Answer, ask, percentile, startCallers, tally } from '../callers.ts';
import { remainsInRedis } from '../remains.ts';
import { type Deployment, deploy, until } from '../service.ts';
import { formOf, headOf, openRequest, trickle } from '../slow-callers.ts';
import { descriptorsOf, logLines, residentMiB } from '../vitals.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept } from './promise.ts';

const LEAVING_CALLERS = isNightly ? 1_000 : 300;
const AT_A_TIME = 8;
const GROWTH_MIB_MAX = 100;
/** Forty documents at once must be made within it, also on a busy machine. */
const DEADLINE_MS = 30_000;
/** Grace period of a gateway for a slow reader after the deadline. */
const SEND_MS = 60_000;
const IN_FLIGHT_MAX = 40;

let service: Deployment;
let key: string;

/** Sends a document and disconnects: before it is sent completely, during its conversion, or during the response. */
async function leave(turn: number, form: Buffer): Promise<void> {
  const opened = openRequest(service.url, key, form.length);
  const closed = once(opened, 'close').catch(() => undefined);
  if (turn % 5 < 3) {
    opened.write(form.subarray(0, form.length / 2));
    await sleep(turn % 20);
  } else {
    opened.end(form);
    if (turn % 5 === 3) await sleep(turn % 100);
    else await headOf(opened);
  }
  opened.destroy();
  await closed;
}

async function leaveOften(count: number): Promise<void> {
  const form = formOf(docxWith(['a letter', 'of a caller who will not wait']));
  let turn = 0;
  const callers = Array.from({ length: AT_A_TIME }, async () => {
    while (turn < count) await leave(turn++, form);
  });
  await Promise.all(callers);
}

interface SlowReader {
  requestId: string;
  /** Epoch milliseconds. */
  askedAt: number;
  stop(): void;
}

/**
 * Starts to read a response larger than all buffers on the way, a kilobyte per second. The deadline is short for such a
 * large document on a busy machine: if it is exceeded, the caller tries again.
 */
async function readSlowly(reader: string, tries = 3): Promise<SlowReader> {
  const askedAt = Date.now();
  const form = formOf(docxOfPictures(Array.from({ length: 3 }, () => noisePng(1_500))));
  const opened = openRequest(service.url, reader, form.length);
  opened.end(form);
  const answer = await headOf(opened);
  if (answer?.statusCode === 504 && tries > 1) return await readSlowly(reader, tries - 1);
  if (answer?.statusCode !== 200) throw new Error(`a reader was answered ${answer?.statusCode}`);
  answer.on('error', () => undefined);
  const reading = setInterval(() => answer.read(1_024), 1_000);
  return {
    askedAt,
    requestId: answer.headers['x-request-id'] as string,
    stop() {
      clearInterval(reading);
      opened.destroy();
    },
  };
}

describe('callers', () => {
  /** The slow readers read while the other tests run. */
  let slowReaders: SlowReader[];
  let readersPlaces: string[];
  beforeAll(async () => {
    service = await deploy({
      settings: {
        ENGINES: '2',
        KEY_CONCURRENCY_MAX: `${IN_FLIGHT_MAX}`,
        KEY_REQUESTS_PER_MINUTE_MAX: '100000',
        DEADLINE_MS: `${DEADLINE_MS}`,
        // The slow readers' large documents make the wait look longer than it is.
        QUEUE_WAIT_MS_MAX: '600000',
      },
    });
    key = await service.register();
    const reader = await service.register();
    // The grace period of a gateway is a minute.
    slowReaders = isNightly ? await Promise.all([readSlowly(reader), readSlowly(reader)]) : [];
    readersPlaces = remainsInRedis(service).filter((name) => name.includes(':places:'));
  });
  afterAll(() => service.close());

  test('leave nothing behind when hundreds of them disconnect midway', async () => {
    await leaveOften(LEAVING_CALLERS / 10);
    await expectNothingLeft(service, { but: readersPlaces });
    const processes = [service.gateway, ...service.converters];
    const before = processes.map((process) => [descriptorsOf(process), residentMiB(process)] as const);
    await leaveOften(LEAVING_CALLERS);
    // On a busy machine, all of them may be gone before their documents are at an engine.
    const isCanceled = () =>
      service.converters.flatMap(logLines).some(({ reason }) => reason === 'cancelled');
    while (!isCanceled()) await leaveOften(AT_A_TIME);
    await expectNothingLeft(service, { but: readersPlaces });
    await expectAllPdfs(
      await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, () => ask(service.url, key))),
    );
    for (const [i, [descriptors, residentBefore]] of before.entries()) {
      const process = processes[i] ?? service.gateway;
      // The earlier callers may keep their connections.
      const most = descriptors + IN_FLIGHT_MAX + 5;
      await until('the descriptors are given back', () => descriptorsOf(process) <= most);
      expect(residentMiB(process) - residentBefore).toBeLessThan(GROWTH_MIB_MAX);
    }
    const left = logLines(service.gateway).filter(({ msg }) => msg === 'caller disconnected');
    expect(left.length).toBeGreaterThan(LEAVING_CALLERS / 2);
  });

  test('are ended in time if they send one byte per second, without delaying others', async () => {
    const startedAt = Date.now();
    const form = formOf(docxWith(['slowly']));
    const slow = Array.from({ length: IN_FLIGHT_MAX + 10 }, () => openRequest(service.url, key, form.length));
    const heads = Promise.all(slow.map(headOf));
    const sending = slow.map((opened) => trickle(opened, form));
    const callers = startCallers(service.url, [await service.register()], 200);
    const statuses = (await heads).map((head) => head?.statusCode);
    expect(Date.now() - startedAt).toBeLessThan(DEADLINE_MS + 30_000);
    await expectAllPdfs(await callers.stop());
    // The gateway admits as many as a key may have in flight, and gives them no more time than a request has.
    expect(statuses.filter((status) => status === 408)).toHaveLength(IN_FLIGHT_MAX);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    for (const opened of slow) opened.destroy();
    await Promise.all(sending);
    await expectNothingLeft(service, { but: readersPlaces });
  });

  test('are served beside a caller that floods, if they send one document after another', async () => {
    const [calm, flooding] = [await service.register(), await service.register()];
    const flood = startCallers(service.url, Array<string>(IN_FLIGHT_MAX + 4).fill(flooding), 20);
    await until(
      'the flood is at its peak',
      () => tally(flood.answers)['429 CONCURRENCY_LIMIT'] !== undefined,
    );
    const converted = () => tally(flood.answers)[200] ?? 0;
    const calmAnswers: Answer[] = [];
    const overtaken: number[] = [];
    for (let i = 0; i < 12; i++) {
      const before = converted();
      calmAnswers.push(await ask(service.url, calm));
      overtaken.push(converted() - before);
      await sleep(500);
    }
    const floodAnswers = await flood.stop();
    await expectAllPdfs(calmAnswers);
    await expectPromiseKept(floodAnswers);
    // The caller waits for the two running jobs, not for the forty that were queued earlier.
    expect(percentile(overtaken, 0.9)).toBeLessThan(IN_FLIGHT_MAX / 3);
  });

  testInNightly('are ended in time if they read slowly, without delaying others', async () => {
    const endOf = (requestId: string) =>
      logLines(service.gateway).find(
        (line) => line.msg === 'caller disconnected' && line.requestId === requestId,
      );
    for (const { requestId, askedAt, stop } of slowReaders) {
      await until('the request is ended', () => endOf(requestId) !== undefined);
      const readMs = Date.parse(endOf(requestId)?.time ?? '') - askedAt;
      expect(readMs).toBeGreaterThan(SEND_MS);
      expect(readMs).toBeLessThan(DEADLINE_MS + SEND_MS + 60_000);
      stop();
    }
    await expectNothingLeft(service);
  });
});
