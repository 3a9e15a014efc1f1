import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@scriptorium/testing/redis-server';
import { z } from 'zod';
import { createRedisBlobStore } from '../../src/blob/redis.ts';
import { Secret } from '../../src/config.ts';
import { createJobClient, type RunOptions } from '../../src/queue/client.ts';
import { connectFailingFast, connectPatient, disconnect } from '../../src/queue/connection.ts';
import { type BlobRef, blobRef, defineJob, nextStep } from '../../src/queue/define-job.ts';
import type { JobContext } from '../../src/queue/job-handler.ts';
import { openReplyInbox } from '../../src/queue/reply-inbox.ts';
import { type JobWorker, startJobWorker } from '../../src/queue/worker.ts';

/** Converts a text to capitals and forwards it. */
const capitalsJob = defineJob({
  name: 'capitals',
  input: z.object({ source: blobRef, pair: blobRef.optional() }),
  output: z.object({ letters: z.number() }),
  timeoutMs: 60_000,
});
/** Encloses a text in brackets or in the signs of the request, and answers. */
const bracketsJob = defineJob({
  name: 'brackets',
  input: z.object({ source: blobRef, signs: z.object({ pair: blobRef.optional() }) }),
  output: z.object({ result: blobRef }),
  timeoutMs: 60_000,
});

/** Hooks of a test within a step. */
type Interlude = (context: JobContext) => Promise<void> | void;

const silent = { answered: () => {}, dropped: () => {}, queueError: () => {} };

interface WorkerOptions {
  /** Called before the blob is written. */
  before?: Interlude;
  /** Called after the blob is written, before the answer or forwarding. */
  after?: Interlude;
  /** Replaces the `remove` of the store, which it gets as an argument. */
  removeBlobs?(keys: string[]): Promise<void>;
  /** Called for each job that was rejected or failed. */
  failed?(requestId: string): void;
}

function startWorker(
  redisUrl: string,
  step: 'capitals' | 'brackets',
  { before, after, removeBlobs, failed = () => {} }: WorkerOptions,
): JobWorker {
  const redis = connectPatient(new Secret(redisUrl));
  const blobs = createRedisBlobStore(redis);
  const read = async (ref: BlobRef): Promise<string> => {
    const bytes = await blobs.get(ref.key);
    if (bytes === null) throw new Error(`${ref.key} is lost`);
    return bytes.toString();
  };
  const work = async (
    source: BlobRef,
    pair: BlobRef | undefined,
    context: JobContext,
  ): Promise<[string, BlobRef]> => {
    await before?.(context);
    const from = await read(source);
    const [open, close] = pair === undefined ? '[]' : await read(pair);
    const text = step === 'capitals' ? from.toUpperCase() : open + from + close;
    const key = `${context.requestId}.${step}.${randomBytes(4).toString('hex')}`;
    await blobs.put(key, Buffer.from(text), 60_000);
    await after?.(context);
    return [text, { key, bytes: text.length }];
  };
  const parts = {
    redis,
    concurrency: 1,
    removeBlobs: removeBlobs ?? ((keys: string[]) => blobs.remove(keys)),
    capacity: () => 1,
    events: { ...silent, failed },
  };
  const worker =
    step === 'capitals'
      ? startJobWorker(
          capitalsJob,
          async ({ source, pair }, context) => {
            const [text, made] = await work(source, undefined, context);
            const next = nextStep(bracketsJob, { source: made, signs: { pair } });
            return { output: { letters: text.length }, blobs: [made.key], next };
          },
          parts,
        )
      : startJobWorker(
          bracketsJob,
          async ({ source, signs }, context) => {
            const [, result] = await work(source, signs.pair, context);
            return { output: { result }, blobs: [result.key] };
          },
          parts,
        );
  return {
    async close() {
      await worker.close();
      await disconnect(redis);
    },
  };
}

export const startCapitals = (redisUrl: string, options: WorkerOptions = {}): JobWorker =>
  startWorker(redisUrl, 'capitals', options);
export const startBrackets = (redisUrl: string, options: WorkerOptions = {}): JobWorker =>
  startWorker(redisUrl, 'brackets', options);

/** A separate Redis, and the queue parts of a gateway. */
export async function startTwoSteps() {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-queue-'));
  const server = await startRedis({ socket: join(folder, 'redis.sock') });
  const redis = connectFailingFast(new Secret(server.url));
  await new Promise((resolve) => redis.once('ready', resolve));
  const blobs = createRedisBlobStore(redis);
  const removeBlobs = (keys: string[]) => blobs.remove(keys);
  const inbox = openReplyInbox({
    redis: connectPatient(new Secret(server.url)),
    removeBlobs,
    onError: () => {},
  });
  const client = createJobClient(capitalsJob, { redis, inbox, removeBlobs });
  return {
    url: server.url,
    redis,
    gatewayId: inbox.gatewayId,
    /** Sends a text through both steps, with signs for the second. Resolves with the text and the output of the first step. */
    async ask(text: string, options: Partial<RunOptions> = {}, signs?: string) {
      const requestId = `req_${randomBytes(6).toString('hex')}`;
      const leave = async (name: string, content: string): Promise<BlobRef> => {
        const ref = { key: `${requestId}.${name}`, bytes: content.length };
        await blobs.put(ref.key, Buffer.from(content), 60_000);
        return ref;
      };
      const source = await leave('source', text);
      const pair = signs === undefined ? undefined : await leave('pair', signs);
      const result = await client.runThrough(
        { source, pair },
        {
          requestId,
          deadlineAt: Date.now() + 20_000,
          waitMsMax: 15_000,
          signal: new AbortController().signal,
          priority: 0,
          blobs: [source, ...(pair ? [pair] : [])].map(({ key }) => key),
          ...options,
        },
        bracketsJob,
      );
      const answer = (await blobs.get(result.output.result.key))?.toString();
      await blobs.remove([result.output.result.key]);
      return { ...result, answer };
    },
    /** Returns the keys of Redis that belong to requests. */
    async remains(): Promise<string[]> {
      const names = await redis.keys('*');
      return names.filter((name) =>
        /:blob:|:reply:|:(capitals|brackets):(req_|active|wait|prioritized$)/.test(name),
      );
    },
    async close() {
      await client.close();
      await inbox.close();
      redis.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
