import type { JobDefinition } from '@scriptorium/contracts/define-job';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { createJobClient, type JobClient } from '@scriptorium/shared/queue/client';
import { openReplyInbox } from '@scriptorium/shared/queue/reply-inbox';
import { gatewaySealing } from '@scriptorium/shared/queue/sealing';
import { countWorkers } from '@scriptorium/shared/queue/workers';
import type { z } from 'zod';
import { createLoadShedder, type LoadShedder } from '../limits/load-shedding.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import { type GatewayConfig, jobKeysOf } from '../settings/config.ts';
import type { Backends } from './backends.ts';

/** Sends jobs of one type to their workers. The load shedder rejects requests that would wait too long. */
export interface JobChannel<Input extends z.ZodType, Output extends z.ZodType> {
  jobs: JobClient<z.input<Input>, z.output<Output>>;
  shedder: LoadShedder;
}

export interface JobClients extends Closeable {
  /** Throws for a job that was not opened. */
  of<Input extends z.ZodType, Output extends z.ZodType>(
    job: JobDefinition<Input, Output>,
  ): JobChannel<Input, Output>;
  /** The queues of all jobs. */
  queues: string[];
}

/** Opens one client and one load shedder per job type, and one inbox for all. */
export function openJobClients(
  definitions: readonly JobDefinition<z.ZodType, z.ZodType>[],
  config: GatewayConfig,
  backends: Backends,
  events: GatewayEvents,
): JobClients {
  const removeBlobs = (names: string[]) => backends.blobs.remove(names);
  const sealing = gatewaySealing(jobKeysOf(config), definitions);
  const inbox = openReplyInbox({
    redis: backends.patientQueue.duplicate(),
    sealing,
    removeBlobs,
    onError: events.queueError,
  });
  const limits = { queueLengthMax: config.QUEUE_LENGTH_MAX, queueWaitMsMax: config.QUEUE_WAIT_MS_MAX };
  const channels = new Map<string, JobChannel<z.ZodType, z.ZodType>>();
  for (const definition of new Set(definitions)) {
    const jobs = createJobClient(definition, { redis: backends.queue, inbox, sealing, removeBlobs });
    const shedder = createLoadShedder({
      waiting: jobs.waiting,
      countWorkers: () => countWorkers(backends.queue, definition.name),
      limits,
    });
    channels.set(definition.name, { jobs, shedder });
  }
  return {
    of<Input extends z.ZodType, Output extends z.ZodType>({ name }: JobDefinition<Input, Output>) {
      const channel = channels.get(name);
      if (channel === undefined) throw new Error(`no client was opened for the job ${name}`);
      return channel as JobChannel<Input, Output>;
    },
    queues: [...channels.keys()],
    async close() {
      await Promise.all([...channels.values()].map(({ jobs }) => jobs.close()));
      await inbox.close();
    },
  };
}
