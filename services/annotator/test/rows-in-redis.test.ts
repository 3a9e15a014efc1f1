import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type FinishedRows,
  fillRowsJob,
  finishedRows,
  newPack,
  openPack,
  signRowsJob,
} from '@scriptorium/contracts/jobs/rows';
import { generation } from '@scriptorium/docx-generate/generation';
import { getInput } from '@scriptorium/shared/blob/exchange';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { Secret } from '@scriptorium/shared/config';
import { createJobClient } from '@scriptorium/shared/queue/client';
import { connectFailingFast, connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { openReplyInbox } from '@scriptorium/shared/queue/reply-inbox';
import { gatewaySealing } from '@scriptorium/shared/queue/sealing';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { startRedis } from '@scriptorium/testing/redis-server';
import { fillRowsHandler } from '../src/fill-rows.ts';
import { TemplateBytes } from '../src/template-bytes.ts';
import type { AnnotateThreads } from '../src/threads.ts';
import { hashOf, packOf, startThreads } from './rows.ts';

const TEMPLATE = templateOf(p(run('{#items}{.}{/items}')));
const silent = { answered: () => {}, failed: () => {}, dropped: () => {}, queueError: () => {} };

let threads: AnnotateThreads;
let queue: Awaited<ReturnType<typeof startQueue>>;
beforeAll(async () => {
  threads = startThreads();
  queue = await startQueue();
});
afterAll(async () => {
  await queue.close();
  await threads.close();
});

/** The annotator with a queue and a store of its own, and a worker after it that appends its mark to documents. */
async function startQueue() {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-rows-'));
  const server = await startRedis({ socket: join(folder, 'redis.sock') });
  const redis = connectFailingFast(new Secret(server.url));
  await new Promise((resolve) => redis.once('ready', resolve));
  const patient = connectPatient(new Secret(server.url));
  const blobs = createRedisBlobStore(redis);
  const removeBlobs = (keys: string[]) => blobs.remove(keys);
  const parts = { redis: patient, concurrency: 1, blobs, capacity: () => 1, events: silent };
  const templates = new TemplateBytes(blobs, 1_000_000);
  const filler = fillRowsHandler({ threads, blobs, templates, onFailure: () => {} });
  const workers = [
    startJobWorker(fillRowsJob, filler, parts),
    startJobWorker(
      signRowsJob,
      async ({ source }, { keep }) => {
        const { list, part } = openPack(await getInput(blobs, source), finishedRows);
        const pack = newPack<FinishedRows>(keep);
        const rows: FinishedRows['rows'] = [];
        for (const row of list.rows) {
          if (!('document' in row)) throw new Error('a row has no document');
          const { document } = row;
          const bytes = 'part' in document ? part(document.part) : await getInput(blobs, document.blob);
          rows.push({ ...row, document: pack.add(Buffer.concat([bytes, Buffer.from('signed')])) });
        }
        return { output: { result: keep(pack.bytes({ rows })), runMs: 1 } };
      },
      parts,
    ),
  ];
  const sealing = gatewaySealing(undefined, []);
  const inbox = openReplyInbox({
    redis: connectPatient(new Secret(server.url)),
    sealing,
    removeBlobs,
    onError: () => {},
  });
  const client = createJobClient(fillRowsJob, { redis, inbox, sealing, removeBlobs });
  return {
    client,
    blobs,
    blobKeys: () => redis.keys('*:blob:*'),
    async close() {
      await client.close();
      await Promise.all(workers.map((worker) => worker.close()));
      await inbox.close();
      await disconnect(patient);
      redis.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe('a pack of rows in the queue', () => {
  test('has its large documents until the last step, and leaves nothing but the template', async () => {
    const { client, blobs } = queue;
    const large = Array.from({ length: 40_000 }, (_, at) => `${at} ${Math.sin(at)}`);
    const pack = packOf([{ data: { items: large } }, { data: { items: ['a'] } }]);
    await blobs.put('template', TEMPLATE, 60_000);
    await blobs.put('rows', pack, 60_000);
    await blobs.put('signing', Buffer.from('{}'), 60_000);
    const steps = await client.runThrough(
      {
        template: { hash: hashOf(TEMPLATE), blob: { key: 'template', bytes: TEMPLATE.length } },
        rows: { key: 'rows', bytes: pack.length },
        options: generation.parse({}),
        way: 'plain',
        thenSign: { request: { key: 'signing', bytes: 2 } },
      },
      {
        requestId: 'req_1.1',
        deadlineAt: Date.now() + 120_000,
        waitMsMax: 60_000,
        signal: new AbortController().signal,
        priority: 0,
        blobs: ['rows'],
      },
      [signRowsJob],
    );
    const { result } = steps.outputOf(signRowsJob);
    const { list, part } = openPack(await getInput(blobs, result), finishedRows);
    const [first, second] = list.rows.map((row) => ('document' in row ? row.document : undefined));
    if (first === undefined || !('blob' in first) || second === undefined || !('part' in second))
      throw new Error('the documents are not where they belong');
    expect((await getInput(blobs, first.blob)).subarray(-6).toString()).toBe('signed');
    expect(part(second.part).subarray(-6).toString()).toBe('signed');
    await blobs.remove([result.key, first.blob.key]);
    const kept = (await queue.blobKeys()).map((name) => name.split(':').at(-1)).sort();
    expect(kept).toEqual(['signing', 'template']);
  });
});
