import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInNightly } from '@scriptorium/testing/extent';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { textFrom } from '@scriptorium/testing/pdf-reading';
import { askGenerated, percentile } from '../../callers.ts';
import { redisCommand, remainsInRedis, untilInWork } from '../../remains.ts';
import { type Deployment, deploy, type ServiceProcess } from '../../service.ts';
import { killAll } from '../../vitals.ts';
import { poison } from '../poison.ts';
import { expectNothingLeft, PATIENT } from '../promise.ts';

const TEMPLATE = templateOf(
  [p(run('Letter {number}')), ...Array.from({ length: 150 }, () => p(run('Dear {name}, {text}')))].join(''),
);
const ROWS = 80;
const POISON = 'venenum';

interface Line {
  index?: number;
  document?: { base64: string };
  error?: { code: string };
  summary?: { rows: number; done: number; failed: number };
}

let service: Deployment;
let keys: string[];

const dataOf = (index: number) => ({
  number: `N${index}N`,
  name: `Customer ${index}`,
  text: `text ${index % 7}`,
});

async function begin(key: string, rows: readonly object[], url = service.url): Promise<Response> {
  const head = { document: { base64: TEMPLATE.toString('base64') } };
  const answer = await fetch(`${url}/v1/batches?to=pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: [head, ...rows].map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(answer.status).toBe(200);
  return answer;
}

async function batch(key: string, rows: readonly object[], url = service.url): Promise<Line[]> {
  return (await (await begin(key, rows, url)).text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ data: dataOf(index) }));

/** Each row has exactly one answer; a document is that of its row. */
async function expectWhole(
  lines: readonly Line[],
  rows: number,
  failed: readonly number[] = [],
): Promise<void> {
  expect(lines.at(-1)).toMatchObject({
    summary: { rows, done: rows - failed.length, failed: failed.length },
  });
  const seen = new Set<number>();
  for (const { index = -1, document, error } of lines.slice(0, -1)) {
    expect(seen.has(index)).toBe(false);
    seen.add(index);
    expect({ index, code: error?.code }).toEqual({
      index,
      code: failed.includes(index) ? 'UNAVAILABLE' : undefined,
    });
    if (document === undefined) continue;
    const pdf = Buffer.from(document.base64.split(',')[1] ?? '', 'base64');
    const text = await textFrom(pdf, 1);
    expect(text).toContain(`Letter N${index}N`);
    expect(text).toContain(`Customer ${index},`);
  }
  expect(seen.size).toBe(rows);
}

describe('a batch', () => {
  beforeAll(async () => {
    service = await deploy({ annotators: 1, converters: 1, signers: 1, settings: PATIENT });
    keys = [await service.register(), await service.register()];
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 8 }));
  afterAll(() => service.close());

  const kill = async (workers: readonly ServiceProcess[], add: () => Promise<ServiceProcess>) => {
    await killAll(workers);
    await add();
  };

  test('loses and doubles no row when workers are killed', async () => {
    const lines = batch(keys[0] ?? '', rowsOf(ROWS));
    await untilInWork(service, 'convert-rows');
    await kill(service.converters, service.addConverter);
    await untilInWork(service, 'convert-rows');
    await kill(service.annotators, service.addAnnotator);
    await expectWhole(await lines, ROWS);
  });

  test('loses and doubles no row when Redis restarts empty', async () => {
    const lines = batch(keys[0] ?? '', rowsOf(ROWS));
    await untilInWork(service, 'convert-rows');
    await sleep(300);
    await service.redis.kill();
    await sleep(500);
    await service.redis.start();
    await expectWhole(await lines, ROWS);
  });

  // The row is sent again for a minute.
  testInNightly('fails only the row that kills its engine', async () => {
    // The engine must be at work for long enough to be seen each time.
    // A loaded form takes no text with a tab. So the engine gets a document with the word.
    const text = [POISON, ...Array.from({ length: 100 }, (_, line) => `line\t${line}`)].join('\n');
    const rows = rowsOf(20).map((row, index) => (index === 9 ? { data: { ...row.data, text } } : row));
    const poisoned = poison(service, POISON);
    const lines = await batch(keys[0] ?? '', rows);
    poisoned.stop();
    expect(poisoned.kills()).toBeGreaterThanOrEqual(2);
    await expectWhole(lines, 20, [9]);
  });

  testInNightly('is served beside the batch of another owner, and single calls go before both', async () => {
    const other = await service.register();
    const timesOf = async (calls: number) => {
      const times: number[] = [];
      for (let call = 0; call < calls; call++) {
        const answer = await askGenerated(service.url, other);
        expect(answer.status).toBe(200);
        times.push(answer.ms);
      }
      return times;
    };
    const alone = await timesOf(3);
    const batches = keys.map((key) => batch(key, rowsOf(ROWS)));
    await untilInWork(service, 'convert-rows');
    const times = await timesOf(10);
    for (const lines of batches) await expectWhole(await lines, ROWS);
    // A call that waited for packs would take several seconds, and more on a slow machine.
    expect(percentile(times, 0.5)).toBeLessThan(Math.max(1_500, 6 * percentile(alone, 0.5)));
  });
});

test('a killed gateway loses its batch only, and the rows without an answer are made by another one', async () => {
  service = await deploy({ gateways: 2, annotators: 1, converters: 1 });
  const [victim, other] = service.gateways;
  const key = await service.register();
  let text = '';
  const reading = (async () => {
    const { body } = await begin(key, rowsOf(ROWS), victim?.url);
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })();
  while (text.split('\n').length <= 10) await sleep(5);
  await victim?.end('SIGKILL');
  await expect(reading).rejects.toThrow();
  // What stands behind the last line end is not whole.
  const first = text
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
  const answered = new Set(first.map(({ index = -1 }) => index));
  expect(answered.size).toBe(first.length);
  expect(answered.size).toBeLessThan(ROWS);
  const open = rowsOf(ROWS)
    .map((row, index) => ({ ...row, index }))
    .filter(({ index }) => !answered.has(index));
  const rest = await batch(
    key,
    open.map(({ data }) => ({ data })),
    other?.url,
  );
  const renamed = rest.map((line) =>
    line.index === undefined ? line : { ...line, index: open[line.index]?.index ?? -1 },
  );
  await expectWhole(
    [...first, ...renamed.slice(0, -1), { summary: { rows: ROWS, done: ROWS, failed: 0 } }],
    ROWS,
  );
  // What the gateway kept for its batch ends by itself.
  const lasting = remainsInRedis(service).filter(
    (name) => !/^\d{1,3}$/.test(redisCommand(service, 'TTL', name)),
  );
  expect(lasting).toEqual([]);
  await service.close();
});
