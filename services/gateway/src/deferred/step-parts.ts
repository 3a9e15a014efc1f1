import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import type { KeyOwner } from '../auth/api-keys.ts';
import type { BatchJob } from '../batches/batch-job.ts';
import type { JobSecrets } from './job-secrets.ts';
import type { StoredJob } from './job-table.ts';
import type { Happening } from './next.ts';
import type { Replay } from './replay.ts';

/** What the steps of jobs have in common. */
export interface StepParts {
  secrets: JobSecrets;
  blobs: BlobStore;
  sender: Sender;
  /** Reads rows of batches. */
  reader: Sender;
  replay: Replay;
  /** The batches that run here, by the ids of their jobs. */
  batches: Map<string, BatchJob>;
  events: { rowSent(outcome: 'delivered' | 'retried' | 'given_up'): void };
  /** The active key with this id, which has not expired. */
  ownerOf(keyId: string): Promise<KeyOwner | null>;
  maySignAsService(owner: KeyOwner): boolean;
  /** Whether results of an owner that wait have all the bytes that they may have. */
  isFull(ownerHash: Buffer): Promise<boolean>;
  /** How long a result that is not delivered waits, ms. */
  resultMs: number;
}

/** What a step of a job came to. */
export interface Stepped {
  happening: Happening;
  /** What the job has from now on, besides its course. */
  changes?: Pick<StoredJob, 'parts' | 'held'>;
}

/** Writes what happened while a step goes on. */
export type Keep = (happening: Happening, changes?: Stepped['changes']) => Promise<void>;
