import type { NextStep } from '@scriptorium/contracts/define-job';
import { type GatewayKeys, type Step, WorkerKeys } from '@scriptorium/sealing/job-keys';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import { z } from 'zod';
import type { JobEnvelope, Trail } from './envelope.ts';
import { type Reply, reply } from './reply.ts';

/** A reply as it is in Redis, if it is sealed. */
const sealedReply = z.object({ requestId: z.string(), queue: z.string(), box: z.string() });

/** Opens and seals what the workers of one queue exchange with gateways and other workers. */
export interface WorkerSealing {
  /** Throws BoxError if neither a gateway nor the named step made the input for this queue. */
  input(envelope: JobEnvelope): unknown;
  /** Returns the properties of the envelope of the next step. Throws BoxError if the gateway did not name this step. */
  next(envelope: JobEnvelope, taken: Trail[number], next: NextStep): Partial<JobEnvelope>;
  reply(reply: Reply): string;
}

/** Without a secret, everything stays as it is. */
export function workerSealing(queue: string, secret: Secrets | undefined): WorkerSealing {
  if (secret === undefined)
    return {
      input: ({ input }) => input,
      next: ({ trail }, taken, { input }) => ({ trail: [...trail, taken], input }),
      reply: (plain) => JSON.stringify(plain),
    };
  const keys = new WorkerKeys(secret, queue);
  return {
    input: ({ requestId, from, input }) => keys.openInput(requestId, from, input),
    next: ({ requestId, trail, onward }, taken, { input }) => ({
      trail: [...trail, { ...taken, output: keys.sealOutput(requestId, taken.output) }],
      input: keys.sealNext(requestId, onward?.[queue], input),
      from: queue,
    }),
    reply: (plain) => {
      const { requestId } = plain;
      return JSON.stringify({ requestId, queue, box: keys.sealReply(requestId, plain) });
    },
  };
}

/** Opens and seals what a gateway exchanges with the workers. */
export interface GatewaySealing {
  /** Returns the properties of the envelope of the first step. */
  envelope(steps: readonly Step[], requestId: string, input: unknown): Pick<JobEnvelope, 'input' | 'onward'>;
  /** Throws BoxError if the workers of this step did not make the output. */
  output(step: Step, requestId: string, output: unknown): unknown;
  /** Reads a reply, and reports the queue whose worker sealed it. Throws if no worker of that queue did. */
  reply(text: string): { message: Reply; queue?: string };
}

/** `steps` are all jobs of the gateway. Without keys, everything stays as it is. */
export function gatewaySealing(keys: GatewayKeys | undefined, steps: Iterable<Step>): GatewaySealing {
  if (keys === undefined)
    return {
      envelope: (_steps, _requestId, input) => ({ input }),
      output: (_step, _requestId, output) => output,
      reply: (text) => ({ message: reply.parse(JSON.parse(text)) }),
    };
  const byQueue = new Map([...steps].map((step) => [step.name, step]));
  return {
    envelope: (chain, requestId, input) => ({
      input: keys.sealInput(chain[0] as Step, requestId, input),
      onward: keys.onward(chain, requestId),
    }),
    output: (step, requestId, output) => keys.openOutput(step, requestId, output),
    reply(text) {
      const { requestId, queue, box } = sealedReply.parse(JSON.parse(text));
      const step = byQueue.get(queue);
      if (step === undefined) throw new Error('a reply names an unknown queue');
      // The id under which it was sealed counts.
      const message = { ...reply.parse(keys.openReply(step, requestId, box)), requestId };
      return { message, queue };
    },
  };
}
