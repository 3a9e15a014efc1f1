import { setTimeout as sleep } from 'node:timers/promises';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import type { Deployment } from '../service.ts';
import { askCalmly, compareTimes } from './fairness.ts';

const LEAD_MS = 5_000;
const ROWS = 10_000;

/** Whether one key's times stay within twice their quiet ones while another key has a batch of 10,000 rows. */
export async function measureBatch(service: Deployment): Promise<boolean> {
  const [calm, greedy] = [await service.register(), await service.register()];
  await askCalmly(service.url, calm, 5);
  const quiet = await askCalmly(service.url, calm);
  const template = templateOf(p(run('Letter {number}')) + p(run('Dear {name}, {text}')).repeat(30));
  const rows = Array.from({ length: ROWS }, (_, number) => ({
    data: { number, name: `Customer ${number}`, text: `text ${number % 7}` },
  }));
  const leaving = new AbortController();
  const answer = await fetch(`${service.url}/v1/batches?to=pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${greedy}`, 'content-type': 'application/x-ndjson' },
    body: [{ document: { base64: template.toString('base64') } }, ...rows]
      .map((line) => JSON.stringify(line))
      .join('\n'),
    signal: leaving.signal,
  });
  let answered = 0;
  const reading = (async () => {
    for await (const chunk of answer.body ?? [])
      answered += Buffer.from(chunk).filter((byte) => byte === 10).length;
  })().catch(() => undefined);
  await sleep(LEAD_MS);
  const before = answered;
  const beside = await askCalmly(service.url, calm);
  console.log(`The batch got ${answer.status}, and ${answered - before} rows meanwhile`);
  leaving.abort();
  await reading;
  return answered > before && compareTimes(quiet, beside, 'beside a batch');
}
