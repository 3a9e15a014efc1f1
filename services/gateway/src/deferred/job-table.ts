import { createHash } from 'node:crypto';
import type { Database } from '@scriptorium/database/pool';
import { newId } from '@scriptorium/shared/ids';
import type { Course } from './next.ts';

/** A job without what it is about, which is sealed. */
export interface StoredJob extends Course {
  id: string;
  ownerHash: Buffer;
  keyId: string;
  operation: string;
  startedAt: number | null;
  sealed: Buffer;
  requestHash: Buffer | null;
}

export type NewJob = Pick<StoredJob, 'id' | 'ownerHash' | 'keyId' | 'operation' | 'sealed'> &
  Pick<Course, 'delivery' | 'notification'> & { idempotencyKey: string | null; requestHash: Buffer };

/** Jobs in PostgreSQL. Each change of a leased job fails if the lease is lost, so a job has one course. */
export interface JobTable {
  /** Returns false if the owner has `queuedMax` jobs that have not ended. Rejects if its idempotency key is taken. */
  insert(job: NewJob, queuedMax: number): Promise<boolean>;
  find(ownerHash: Buffer, id: string): Promise<StoredJob | null>;
  findRepeated(ownerHash: Buffer, idempotencyKey: string): Promise<StoredJob | null>;
  /** Newest first, from the one behind `after` on. */
  list(ownerHash: Buffer, after: string | undefined, count: number): Promise<StoredJob[]>;
  /** Leases the job whose turn it is: of the owner with the fewest under way, the oldest. */
  claim(lease: string, leaseMs: number): Promise<StoredJob | null>;
  /** Returns false if the lease is lost, for example because the job was canceled. */
  renew(id: string, lease: string, leaseMs: number): Promise<boolean>;
  /** Writes the course of a leased job, and ends the lease unless `leaseMs` is given. Returns false if the lease is lost. */
  save(job: StoredJob, lease: string, leaseMs?: number): Promise<boolean>;
  /** Writes the course of a job that nobody has changed since it was read. Ends its lease. */
  replace(job: StoredJob, before: StoredJob): Promise<boolean>;
  /** Removes what ended a day ago. */
  removeOld(): Promise<void>;
}

interface Row {
  id: string;
  owner_hash: Buffer;
  key_id: string;
  operation: string;
  state: Course['state'];
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  due_at: Date | null;
  runs: number;
  tries: number;
  sealed: Buffer;
  error: Course['error'];
  result: Course['result'];
  delivery: Course['delivery'];
  notification: Course['notification'];
  request_hash: Buffer | null;
}

const COLUMNS =
  'id, owner_hash, key_id, operation, state, created_at, started_at, ended_at, due_at, runs, tries, sealed, error, result, delivery, notification, request_hash';

const jobOf = (row: Row): StoredJob => ({
  id: row.id,
  ownerHash: row.owner_hash,
  keyId: row.key_id,
  operation: row.operation,
  state: row.state,
  createdAt: row.created_at.getTime(),
  startedAt: row.started_at?.getTime() ?? null,
  endedAt: row.ended_at?.getTime() ?? null,
  dueAt: row.due_at?.getTime() ?? null,
  runs: row.runs,
  tries: row.tries,
  sealed: row.sealed,
  error: row.error,
  result: row.result,
  delivery: row.delivery,
  notification: row.notification,
  requestHash: row.request_hash,
});

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Sets the columns of a course: the parameters from $3 on. */
const SET_COURSE = `state = $3, started_at = $4, ended_at = $5, due_at = $6, runs = $7, tries = $8, sealed = $9,
  error = $10, result = $11, delivery = $12, notification = $13`;

const courseOf = (job: StoredJob): unknown[] => [
  job.state,
  dateOf(job.startedAt),
  dateOf(job.endedAt),
  dateOf(job.dueAt),
  job.runs,
  job.tries,
  job.sealed,
  job.error,
  job.result,
  job.delivery,
  job.notification,
];

export const newJobId = (): string => newId('job');

/** Names the Redis in which the documents of jobs are. Deployments with a Redis each may share one database. */
export function placeOf(url: { reveal(): string }): string {
  // Without user and password, which may change. It may also be the path of a socket.
  const address = url.reveal().replace(/\/\/[^@/]*@/, '//');
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}

/** The jobs whose documents are at this place. `waitMsMax`: one that is due for longer is taken by whoever finds it. */
export function jobTable(database: Database, place: string, waitMsMax: number): JobTable {
  const one = async (sql: string, values: unknown[]): Promise<StoredJob | null> => {
    const { rows } = await database.query<Row>(sql, values);
    return rows[0] === undefined ? null : jobOf(rows[0]);
  };
  const hasChanged = async (sql: string, values: unknown[]): Promise<boolean> =>
    (await database.query(sql, values)).rowCount === 1;
  return {
    insert: (job, queuedMax) =>
      hasChanged(
        `INSERT INTO jobs (id, owner_hash, key_id, operation, sealed, delivery, notification, idempotency_key, request_hash, place)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $11
         WHERE (SELECT count(*) FROM jobs WHERE owner_hash = $2 AND ended_at IS NULL) < $10`,
        [
          ...[job.id, job.ownerHash, job.keyId, job.operation, job.sealed, job.delivery, job.notification],
          ...[job.idempotencyKey, job.requestHash, queuedMax, place],
        ],
      ),
    find: (ownerHash, id) =>
      one(`SELECT ${COLUMNS} FROM jobs WHERE id = $1 AND owner_hash = $2`, [id, ownerHash]),
    findRepeated: (ownerHash, idempotencyKey) =>
      one(`SELECT ${COLUMNS} FROM jobs WHERE owner_hash = $1 AND idempotency_key = $2`, [
        ownerHash,
        idempotencyKey,
      ]),
    async list(ownerHash, after, count) {
      const { rows } = await database.query<Row>(
        `SELECT ${COLUMNS} FROM jobs WHERE owner_hash = $1 AND ($2::text IS NULL
           OR (created_at, id) < (SELECT created_at, id FROM jobs WHERE id = $2 AND owner_hash = $1))
         ORDER BY created_at DESC, id DESC LIMIT $3`,
        [ownerHash, after ?? null, count],
      );
      return rows.map(jobOf);
    },
    claim: (lease, leaseMs) =>
      one(
        `WITH busy AS (SELECT owner_hash, count(*) AS jobs FROM jobs WHERE leased_until > now() GROUP BY owner_hash)
         UPDATE jobs SET lease = $1, leased_until = now() + $2 * interval '1 millisecond'
         WHERE id = (
           SELECT job.id FROM jobs AS job LEFT JOIN busy USING (owner_hash)
           WHERE job.due_at <= now() AND (job.place = $3 OR job.due_at < now() - $4 * interval '1 millisecond')
             AND (job.leased_until IS NULL OR job.leased_until <= now())
           ORDER BY coalesce(busy.jobs, 0), job.due_at, job.id LIMIT 1 FOR UPDATE OF job SKIP LOCKED)
         RETURNING ${COLUMNS}`,
        [lease, leaseMs, place, waitMsMax],
      ),
    renew: (id, lease, leaseMs) =>
      hasChanged(
        `UPDATE jobs SET leased_until = now() + $3 * interval '1 millisecond' WHERE id = $1 AND lease = $2`,
        [id, lease, leaseMs],
      ),
    save: (job, lease, leaseMs) =>
      hasChanged(
        `UPDATE jobs SET ${SET_COURSE}, lease = CASE WHEN $14::int IS NULL THEN NULL ELSE lease END,
           leased_until = now() + $14::int * interval '1 millisecond' WHERE id = $1 AND lease = $2`,
        [job.id, lease, ...courseOf(job), leaseMs ?? null],
      ),
    replace: (job, before) =>
      hasChanged(
        `UPDATE jobs SET ${SET_COURSE}, lease = NULL, leased_until = NULL WHERE id = $1 AND state = $2`,
        [job.id, before.state, ...courseOf(job)],
      ),
    async removeOld() {
      await database.query(`DELETE FROM jobs WHERE ended_at < now() - interval '24 hours'`);
    },
  };
}
