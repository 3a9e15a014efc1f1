import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import type { Closeable } from '../../src/lifecycle.ts';
import { openTracer } from '../../src/tracing/open-tracer.ts';
import { tracingSettings } from '../../src/tracing/settings.ts';
import { useTracer } from '../../src/tracing/trace.ts';
import { startStep, startSteps } from '../queue/steps.ts';

/** A tracer that propagates traces and does not export spans. */
const { tracer, shutdown } = openTracer(
  loadConfig(z.object(tracingSettings), { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'always_off' }),
  { service: 'test', version: '0' },
  () => undefined,
);

let queue: Awaited<ReturnType<typeof startSteps>>;
const workers: Closeable[] = [];

beforeAll(async () => {
  queue = await startSteps();
});
afterEach(async () => {
  useTracer(undefined);
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});
afterAll(async () => {
  await queue.close();
  await shutdown();
});

/** Returns the trace context of the job that waits in a queue. */
async function carriedIn(name: 'capitals' | 'brackets'): Promise<unknown> {
  for (let looks = 0; looks < 3_000; looks++, await sleep(20)) {
    const [job] = await queue.redis.keys(`{scriptorium}:${name}:req_*`);
    const data = job && (await queue.redis.hget(job, 'data'));
    if (data) return JSON.parse(data).traceparent;
  }
  throw new Error(`no job came into ${name}`);
}

test('a worker without tracing forwards the trace context of a request to the next step', async () => {
  useTracer(tracer);
  const asked = queue.ask('hello');
  const sent = await carriedIn('capitals');
  expect(sent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  useTracer(undefined);
  workers.push(startStep(queue.url, 'capitals'));
  expect(await carriedIn('brackets')).toBe(sent);
  workers.push(startStep(queue.url, 'brackets'));
  expect((await asked).answer).toBe('[HELLO]');
});

test('a worker with tracing passes its own span context to the next step', async () => {
  useTracer(tracer);
  const asked = queue.ask('hello');
  const sent = String(await carriedIn('capitals'));
  workers.push(startStep(queue.url, 'capitals'));
  const handedOn = String(await carriedIn('brackets'));
  expect(handedOn.slice(0, 35)).toBe(sent.slice(0, 35));
  expect(handedOn).not.toBe(sent);
  workers.push(startStep(queue.url, 'brackets'));
  expect((await asked).answer).toBe('[HELLO]');
});

test('without tracing a job has no trace context', async () => {
  const asked = queue.ask('hello');
  expect(await carriedIn('capitals')).toBeUndefined();
  workers.push(startStep(queue.url, 'capitals'), startStep(queue.url, 'brackets'));
  expect((await asked).answer).toBe('[HELLO]');
});
