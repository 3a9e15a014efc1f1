import type { AppError } from '@scriptorium/contracts/errors';
import type { OperationRecorder } from '@scriptorium/usage/operations';
import type { KeyOwner } from '../auth/api-keys.ts';
import type { TrialKeys } from '../auth/trial-keys.ts';
import type { Backends } from '../backends/backends.ts';
import type { DocumentParts } from '../documents/parts.ts';
import type { Reply, RequestContext } from '../http/context.ts';
import { takeRows } from '../limits/quota.ts';
import type { GatewayConfig } from '../settings/config.ts';
import type { BatchJob } from './batch-job.ts';

/** The parts for batches. */
export interface BatchParts {
  documents: DocumentParts;
  /** Aborted when the gateway stops. */
  closing: AbortSignal;
  lineBytesMax: number;
  /** Maximum time of a batch that is answered as a whole. */
  deadlineMs: number;
  /** Packs of one batch in work at a time, if there are workers for them. */
  packsMax: number;
  /**
   * Counts rows of a key in their minute. Returns 0, or the milliseconds after which to try again. Throws FORBIDDEN if the key may
   * have no more rows.
   */
  takeRows(owner: KeyOwner, rows: number): Promise<number>;
  /** Counts a row that was answered, for the usage of its owner. */
  countRow(owner: KeyOwner, rowId: string): void;
  /** The job for which a request runs, if it is one of this process. */
  jobOf(response: Reply): BatchJob | undefined;
  events: BatchEvents;
}

/** The events of batches, for the log and the metrics. */
export interface BatchEvents {
  rowAnswered(outcome: 'done' | 'failed'): void;
  batchEnded(
    facts: { rows: number; done: number; failed: number; errorCode?: string },
    context: RequestContext,
  ): void;
  /** A pack could not be made, and is sent again or row by row. */
  packFailed(error: AppError, rows: number, context: RequestContext): void;
  /** The fast way made another document than the plain way. The batch goes on in the plain way. */
  waysDiffer(context: RequestContext): void;
}

interface BatchTools {
  operations: OperationRecorder;
  trials: TrialKeys;
  deferred: { batchOf: BatchParts['jobOf'] };
}

export function batchParts(
  config: GatewayConfig,
  backends: Backends,
  { operations, trials, deferred }: BatchTools,
  closing: AbortSignal,
  events: BatchEvents,
): Omit<BatchParts, 'documents'> {
  return {
    closing,
    events,
    jobOf: deferred.batchOf,
    lineBytesMax: config.JSON_BYTES_MAX,
    deadlineMs: config.BATCH_DEADLINE_MS,
    packsMax: config.KEY_CONCURRENCY_MAX,
    async takeRows(owner, rows) {
      const { limits, origin } = owner.rights;
      if (origin === 'trial') await trials.take(owner, rows);
      const perMinuteMax = limits.rowsPerMinute ?? config.KEY_ROWS_PER_MINUTE_MAX;
      return await takeRows(backends.queue, owner.id, rows, perMinuteMax);
    },
    countRow({ ownerHash, rights }, rowId) {
      if (rights.origin !== 'trial') operations.record('generate', ownerHash, rowId);
    },
  };
}
