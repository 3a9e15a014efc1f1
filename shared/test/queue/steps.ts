import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobRef, blobRef, defineJob, nextStep } from '@scriptorium/contracts/define-job';
import { ROLES, type Role } from '@scriptorium/contracts/services';
import { sealBlob } from '@scriptorium/sealing/blob';
import { GatewayKeys } from '@scriptorium/sealing/job-keys';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import { startRedis } from '@scriptorium/testing/redis-server';
import { z } from 'zod';
import { getInput } from '../../src/blob/exchange.ts';
import { createRedisBlobStore } from '../../src/blob/redis.ts';
import { Secret } from '../../src/config.ts';
import type { Closeable } from '../../src/lifecycle.ts';
import { createJobClient, type RunOptions } from '../../src/queue/client.ts';
import { connectFailingFast, connectPatient, disconnect } from '../../src/queue/connection.ts';
import type { JobContext } from '../../src/queue/job-handler.ts';
import { openReplyInbox } from '../../src/queue/reply-inbox.ts';
import { gatewaySealing } from '../../src/queue/sealing.ts';
import { startJobWorker } from '../../src/queue/worker.ts';

/** Converts a text to capitals and forwards it. */
const capitalsJob = defineJob({
  name: 'capitals',
  role: 'annotator',
  input: z.object({ source: blobRef, pair: blobRef.optional(), stamp: blobRef.optional() }),
  output: z.object({ letters: z.number() }),
  timeoutMs: 60_000,
});
/** Encloses a text in brackets or in the signs of the request. Answers, or forwards it with the stamp. */
const bracketsJob = defineJob({
  name: 'brackets',
  role: 'converter',
  input: z.object({
    source: blobRef,
    signs: z.object({ pair: blobRef.optional() }),
    stamp: blobRef.optional(),
  }),
  output: z.object({ result: blobRef }),
  timeoutMs: 60_000,
});
/** Appends a stamp to a text, and answers. */
const stampsJob = defineJob({
  name: 'stamps',
  role: 'signer',
  input: z.object({ source: blobRef, stamp: blobRef }),
  output: z.object({ result: blobRef }),
  timeoutMs: 60_000,
});
export type StepName = 'capitals' | 'brackets' | 'stamps';

/** The secrets of the roles, which a worker in another process knows, too. */
export const secretOf = (role: Role): Secrets => [createHash('sha256').update(`secret of ${role}s`).digest()];
const stepJobs = [capitalsJob, bracketsJob, stampsJob];

/** Hooks of a test within a step. */
type Interlude = (context: JobContext) => Promise<void> | void;

const silent = { answered: () => {}, dropped: () => {}, queueError: () => {} };

interface WorkerOptions {
  /** Called before the text is made. */
  before?: Interlude;
  /** Called after the text is made, before the answer or forwarding. */
  after?: Interlude;
  /** Replaces the `remove` of the store, which it gets as an argument. */
  removeBlobs?(keys: string[]): Promise<void>;
  /** Called for each job that was rejected or failed. */
  failed?(requestId: string): void;
  /** The secret of another role, or of none. */
  secret?: Secrets | undefined;
}

/** Starts the worker of a step. */
export function startStep(redisUrl: string, step: StepName, options: WorkerOptions = {}): Closeable {
  const { before, after, removeBlobs, failed = () => {} } = options;
  const redis = connectPatient(new Secret(redisUrl));
  const blobs = createRedisBlobStore(redis);
  const read = async (ref: BlobRef): Promise<string> => (await getInput(blobs, ref)).toString();
  const make = async (context: JobContext, textOf: () => Promise<string>): Promise<BlobRef> => {
    await before?.(context);
    const result = context.keep(Buffer.from(await textOf()));
    await after?.(context);
    return result;
  };
  const parts = {
    redis,
    secret: 'secret' in options ? options.secret : secretOf(roleOf(step)),
    concurrency: 1,
    blobs: { ...blobs, ...(removeBlobs && { remove: removeBlobs }) },
    capacity: () => 1,
    events: { ...silent, failed },
  };
  const starts: Record<StepName, () => Closeable> = {
    capitals: () =>
      startJobWorker(
        capitalsJob,
        async ({ source, pair, stamp }, context) => {
          const made = await make(context, async () => (await read(source)).toUpperCase());
          const next = nextStep(bracketsJob, { source: made, signs: { pair }, stamp });
          return { output: { letters: made.bytes }, next };
        },
        parts,
      ),
    brackets: () =>
      startJobWorker(
        bracketsJob,
        async ({ source, signs: { pair }, stamp }, context) => {
          const result = await make(context, async () => {
            const [open, close] = pair === undefined ? '[]' : await read(pair);
            return `${open}${await read(source)}${close}`;
          });
          const next = stamp && nextStep(stampsJob, { source: result, stamp });
          return { output: { result }, next };
        },
        parts,
      ),
    stamps: () =>
      startJobWorker(
        stampsJob,
        async ({ source, stamp }, context) => {
          const result = await make(context, async () => (await read(source)) + (await read(stamp)));
          return { output: { result } };
        },
        parts,
      ),
  };
  const worker = starts[step]();
  return {
    async close() {
      await worker.close();
      await disconnect(redis);
    },
  };
}

function roleOf(step: StepName): Role {
  const job = stepJobs.find(({ name }) => name === step);
  if (job === undefined) throw new Error(`${step} is no step`);
  return job.role;
}

/** Bytes of a request besides its text. With a stamp, the request has three steps. */
interface Extras {
  signs?: string;
  stamp?: string;
}

/** A separate Redis, and the queue parts of a gateway. */
export async function startSteps() {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-queue-'));
  const server = await startRedis({ socket: join(folder, 'redis.sock') });
  const redis = connectFailingFast(new Secret(server.url));
  await new Promise((resolve) => redis.once('ready', resolve));
  const blobs = createRedisBlobStore(redis);
  const removeBlobs = (keys: string[]) => blobs.remove(keys);
  const errors: unknown[] = [];
  const secrets = Object.fromEntries(ROLES.map((role) => [role, secretOf(role)]));
  const sealing = gatewaySealing(new GatewayKeys(secrets), stepJobs);
  const inbox = openReplyInbox({
    redis: connectPatient(new Secret(server.url)),
    sealing,
    removeBlobs,
    onError: (error) => void errors.push(error),
  });
  const client = createJobClient(capitalsJob, { redis, inbox, sealing, removeBlobs });
  return {
    url: server.url,
    redis,
    gatewayId: inbox.gatewayId,
    /** The errors of the inbox. */
    errors,
    /** Sends a text through its steps. Resolves with the text and the output of the first step. */
    async ask(text: string, options: Partial<RunOptions> = {}, { signs, stamp }: Extras = {}) {
      const requestId = `req_${randomBytes(6).toString('hex')}`;
      const kept: string[] = [];
      const leave = async (name: string, content: string): Promise<BlobRef> => {
        const { box, seal } = sealBlob(Buffer.from(content));
        const ref = { key: `${requestId}.${name}`, bytes: content.length, seal };
        await blobs.put(ref.key, box, 120_000);
        kept.push(ref.key);
        return ref;
      };
      const result = await client.runThrough(
        {
          source: await leave('source', text),
          pair: signs === undefined ? undefined : await leave('pair', signs),
          stamp: stamp === undefined ? undefined : await leave('stamp', stamp),
        },
        {
          requestId,
          deadlineAt: Date.now() + 120_000,
          waitMsMax: 110_000,
          signal: new AbortController().signal,
          priority: 0,
          blobs: kept,
          ...options,
        },
        stamp === undefined ? [bracketsJob] : [bracketsJob, stampsJob],
      );
      const last = result.outputOf(stamp === undefined ? bracketsJob : stampsJob).result;
      const answer = (await getInput(blobs, last)).toString();
      await blobs.remove([last.key]);
      return { ...result, first: result.outputOf(capitalsJob), answer };
    },
    /** Returns the keys of Redis that belong to requests. */
    async remains(): Promise<string[]> {
      const names = await redis.keys('*');
      return names.filter((name) =>
        /:blob:|:reply:|:(capitals|brackets|stamps):(req_|active|wait|prioritized$)/.test(name),
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
