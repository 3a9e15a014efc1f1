import { createHash } from 'node:crypto';
import type { Connection, Database } from '@scriptorium/database/pool';
import { newId } from '@scriptorium/shared/ids';
import type { State } from './job.ts';
import type { JobParts, JobSecrets } from './job-secrets.ts';
import type { Course } from './next.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** A job as it is in the database. */
export interface StoredJob extends Course {
  id: string;
  ownerHash: Buffer;
  keyId: string;
  operation: string;
  place: string;
  startedAt: number | null;
  /** Bytes of its documents in Redis. */
  held: number;
  /** Null if they were sealed with a secret that is gone. Then nothing more can be done for the job. */
  parts: JobParts | null;
  requestHash: Buffer;
}

export type NewJob = Pick<StoredJob, 'id' | 'ownerHash' | 'keyId' | 'operation' | 'held' | 'requestHash'> &
  Pick<Course, 'delivery' | 'notification'> & {
    parts: JobParts;
    /** Its answer is one file, in parts. */
    isWhole?: boolean;
    /** The hashes of its idempotency key: the first for a new job. */
    keyHashes: readonly Buffer[];
  };

/** What came of a new job: it was kept, its key has a job or a call already, or its owner has too much. */
export type Inserted = { job: StoredJob; isNew: boolean } | 'called' | 'jobs' | 'bytes';

/** What one owner may have at a time: jobs under way or with a notification that is pending, and bytes in Redis. */
export interface OwnerLimits {
  jobsMax: number;
  bytesMax: number;
}

/** What a runner has a slot for: runs of requests, batches by row, batches whose answer is one file, or deliveries and notifications. */
export const STEP_KINDS = ['run', 'batch', 'whole batch', 'send'] as const;
export type StepKind = (typeof STEP_KINDS)[number];
/** The operation of batches. */
export const BATCH_OPERATION = 'createBatch';
const KIND = `CASE WHEN state NOT IN ('queued', 'running') THEN 'send' WHEN is_whole THEN 'whole batch'
  WHEN operation = '${BATCH_OPERATION}' THEN 'batch' ELSE 'run' END`;

/** Jobs in PostgreSQL. Each change of a leased job fails if the lease is lost, so a job has one course. */
export interface JobTable {
  insert(job: NewJob, limits: OwnerLimits): Promise<Inserted>;
  find(ownerHash: Buffer, id: string): Promise<StoredJob | null>;
  /** Newest first, from the one behind `after` on. */
  list(ownerHash: Buffer, after: string | undefined, count: number): Promise<StoredJob[]>;
  /** Leases the job whose turn it is: of the owner with the fewest under way, the oldest. Not one of owners `except`. */
  claim(kind: StepKind, lease: string, leaseMs: number, except: readonly Buffer[]): Promise<StoredJob | null>;
  /** Whether a job of another owner waits for such a step. */
  isAwaited(kind: StepKind, ownerHash: Buffer): Promise<boolean>;
  /** Returns false if the lease is lost, for example because the job was canceled. */
  renew(id: string, lease: string, leaseMs: number): Promise<boolean>;
  /** Writes the course of a leased job, and ends the lease unless `leaseMs` is given. Returns false if the lease is lost. */
  save(job: StoredJob, lease: string, leaseMs?: number): Promise<boolean>;
  /** Writes the course of a job that has not changed since it was read. Ends its lease. */
  replace(job: StoredJob, before: StoredJob): Promise<boolean>;
  /** Ends a leased job for which nothing more can be done. */
  giveUp(id: string, lease: string): Promise<void>;
  /** The bytes of results of an owner that wait. */
  resultBytes(ownerHash: Buffer): Promise<number>;
  /** Notes that the result of a job has been fetched. */
  fetched(id: string): Promise<void>;
  /** Whether this job has ended, or is gone. */
  isOver(id: string): Promise<boolean>;
  /** Removes what ended a day ago. */
  removeOld(): Promise<void>;
  /** Counts the jobs that have not ended, in all places, and how long the oldest due one waits. */
  standing(): Promise<{ counts: Record<string, number>; oldestSeconds: Record<StepKind, number> }>;
  /** Whether the documents of a job are in the Redis of this gateway. */
  isHere(job: StoredJob): boolean;
}

interface Row {
  id: string;
  owner_hash: Buffer;
  key_id: string;
  operation: string;
  place: string;
  state: State;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  due_at: Date | null;
  runs: number;
  tries: number;
  held: string;
  sealed: Buffer;
  request_hash: Buffer;
}

const COLUMNS =
  'id, owner_hash, key_id, operation, place, state, created_at, started_at, ended_at, due_at, runs, tries, held, sealed, request_hash';
/** Jobs of one claim among which the owners take turns. */
const CANDIDATES = 1_000;

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Sets the columns of a course: the parameters from $3 on. The clock of the database says what is due. */
const SET_COURSE = `state = $3, started_at = $4, ended_at = $5, due_at = now() + $6::float8 * interval '1 millisecond',
  runs = $7, tries = $8, sealed = $9, held = $10`;

export const newJobId = (): string => newId('job');

/**
 * Names the Redis in which the documents of jobs are. Deployments with a Redis each may share one database; where their addresses
 * are the same text, the names of the deployments distinguish them.
 */
export function placeOf(url: { reveal(): string }, deployment = ''): string {
  // Without user and password, which may change. It may also be the path of a socket.
  const address = url.reveal().replace(/\/\/[^@/]*@/, '//');
  return createHash('sha256').update(`${address}\n${deployment}`).digest('hex').slice(0, 16);
}

export interface JobTableParts {
  secrets: JobSecrets;
  /** Where the documents of this gateway are. */
  place: string;
  /** Any gateway takes a job that is due for longer, ms. */
  waitMsMax: number;
  /** How long a result waits, ms. */
  resultMs: number;
}

export function jobTable(database: Database, parts: JobTableParts): JobTable {
  const opened = (row: Row): StoredJob => jobOf(row, parts.secrets);
  const one = async (sql: string, values: unknown[]): Promise<StoredJob | null> => {
    const { rows } = await database.query<Row>(sql, values);
    return rows[0] === undefined ? null : opened(rows[0]);
  };
  return {
    ...changes(database, parts.secrets),
    insert: (job, limits) =>
      oneAtATime(database, job.ownerHash, (connection) => insert(connection, parts, job, limits)),
    find: (ownerHash, id) =>
      one(`SELECT ${COLUMNS} FROM jobs WHERE id = $1 AND owner_hash = $2`, [id, ownerHash]),
    async list(ownerHash, after, count) {
      const { rows } = await database.query<Row>(
        `SELECT ${COLUMNS} FROM jobs WHERE owner_hash = $1 AND ($2::text IS NULL
           OR (created_at, id) < (SELECT created_at, id FROM jobs WHERE id = $2 AND owner_hash = $1))
         ORDER BY created_at DESC, id DESC LIMIT $3`,
        [ownerHash, after ?? null, count],
      );
      return rows.map(opened);
    },
    claim: (kind, lease, leaseMs, except) =>
      one(CLAIM, [lease, leaseMs, parts.place, parts.waitMsMax, kind, except]),
    async isAwaited(kind, ownerHash) {
      const { rows } = await database.query<{ is: boolean }>(
        `SELECT EXISTS (SELECT 1 FROM jobs WHERE due_at <= now() AND ${KIND} = $1 AND owner_hash <> $2 AND place = $3
           AND (leased_until IS NULL OR leased_until <= now())) AS is`,
        [kind, ownerHash, parts.place],
      );
      return rows[0]?.is === true;
    },
    async resultBytes(ownerHash) {
      const { rows } = await database.query<{ bytes: string }>(RESULT_BYTES, [ownerHash, parts.resultMs]);
      return Number(rows[0]?.bytes);
    },
    async isOver(id) {
      const { rowCount } = await database.query('SELECT 1 FROM jobs WHERE id = $1 AND ended_at IS NULL', [
        id,
      ]);
      return rowCount === 0;
    },
    async standing() {
      const { rows } = await database.query<Standing>(STANDING);
      const counts: Record<string, number> = {};
      const oldestSeconds = { run: 0, batch: 0, 'whole batch': 0, send: 0 };
      for (const { state, kind, jobs, waited } of rows) {
        counts[state] = (counts[state] ?? 0) + jobs;
        oldestSeconds[kind] = Math.max(oldestSeconds[kind], waited);
      }
      return { counts, oldestSeconds };
    },
    isHere: (job) => job.place === parts.place,
  };
}

interface Standing {
  state: string;
  kind: StepKind;
  jobs: number;
  waited: number;
}

const STANDING = `
  SELECT state, ${KIND} AS kind, count(*)::int AS jobs, coalesce(extract(epoch FROM max(now() - due_at) FILTER (
    WHERE leased_until IS NULL OR leased_until <= now())), 0)::float8 AS waited
  FROM jobs WHERE due_at IS NOT NULL GROUP BY 1, 2`;

const RESULT_BYTES = `
  SELECT coalesce(sum(held), 0) AS bytes FROM jobs WHERE owner_hash = $1 AND held > 0
    AND (state = 'delivering' OR state = 'succeeded' AND ended_at > now() - $2 * interval '1 millisecond')`;

/** $1: lease, $2: its time, $3: place, $4: time after which any place will do, $5: kind of step, $6: owners not to take. */
const CLAIM = `
  WITH busy AS (
    SELECT owner_hash, count(*) AS jobs FROM jobs WHERE leased_until > now() GROUP BY owner_hash),
  due AS (
    SELECT id, owner_hash, due_at FROM jobs
    WHERE due_at <= now() AND ${KIND} = $5
      AND (leased_until IS NULL OR leased_until <= now()) AND owner_hash <> ALL ($6)
      AND (place = $3 OR due_at < now() - $4 * interval '1 millisecond')
    ORDER BY due_at LIMIT ${CANDIDATES})
  UPDATE jobs SET lease = $1, leased_until = now() + $2 * interval '1 millisecond'
  WHERE id = (
    SELECT job.id FROM jobs AS job JOIN due USING (id) LEFT JOIN busy ON busy.owner_hash = job.owner_hash
    WHERE job.leased_until IS NULL OR job.leased_until <= now()
    ORDER BY coalesce(busy.jobs, 0), due.due_at, job.id LIMIT 1 FOR UPDATE OF job SKIP LOCKED)
  RETURNING ${COLUMNS}`;

function jobOf(row: Row, secrets: JobSecrets): StoredJob {
  const { parts = null, ...opened } = secrets.open(row.id, row.sealed) ?? {};
  return {
    ...{ error: null, result: null, delivery: null, notification: null, progress: null, uploaded: null },
    ...{ ...opened, parts },
    ...{ id: row.id, ownerHash: row.owner_hash, keyId: row.key_id, operation: row.operation },
    ...{ place: row.place, state: row.state, runs: row.runs, tries: row.tries, held: Number(row.held) },
    createdAt: row.created_at.getTime(),
    startedAt: row.started_at?.getTime() ?? null,
    endedAt: row.ended_at?.getTime() ?? null,
    dueAt: row.due_at?.getTime() ?? null,
    requestHash: row.request_hash,
  };
}

async function insert(
  connection: Connection,
  { secrets, place, resultMs }: JobTableParts,
  { parts, delivery, notification, keyHashes, ...job }: NewJob,
  { jobsMax, bytesMax }: OwnerLimits,
): Promise<Inserted> {
  if (keyHashes.length > 0) {
    const { rows } = await connection.query<Row>(
      `SELECT ${COLUMNS} FROM jobs WHERE owner_hash = $1 AND idempotency = ANY ($2)`,
      [job.ownerHash, keyHashes],
    );
    if (rows[0] !== undefined) return { job: jobOf(rows[0], secrets), isNew: false };
  }
  const { rows: sums } = await connection.query<{ jobs: string; bytes: string; is_called: boolean }>(
    `SELECT count(*) FILTER (WHERE due_at IS NOT NULL) AS jobs,
       coalesce(sum(held) FILTER (WHERE ended_at IS NULL OR ended_at > now() - $2 * interval '1 millisecond'), 0) AS bytes,
       EXISTS (SELECT FROM repeatable_calls WHERE owner_hash = $1 AND key_hash = ANY ($3)) AS is_called
     FROM jobs WHERE owner_hash = $1 AND (due_at IS NOT NULL OR held > 0)`,
    [job.ownerHash, resultMs, keyHashes],
  );
  if (sums[0]?.is_called) return 'called';
  if (Number(sums[0]?.jobs) >= jobsMax) return 'jobs';
  if (Number(sums[0]?.bytes) + job.held > bytesMax) return 'bytes';
  const { rows } = await connection.query<Row>(
    `INSERT INTO jobs (id, owner_hash, key_id, operation, place, held, sealed, idempotency, request_hash, is_whole)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${COLUMNS}`,
    [
      ...[job.id, job.ownerHash, job.keyId, job.operation, place, job.held],
      secrets.seal(job.id, {
        ...{ parts, delivery, notification, error: null, result: null, progress: null, uploaded: null },
      }),
      ...[keyHashes[0] ?? null, job.requestHash, job.isWhole ?? false],
    ],
  );
  return { job: jobOf(rows[0] as Row, secrets), isNew: true };
}

type Changes = Pick<JobTable, 'renew' | 'save' | 'replace' | 'giveUp' | 'fetched' | 'removeOld'>;

function changes(database: Database, secrets: JobSecrets): Changes {
  const hasChanged = async (sql: string, values: unknown[]): Promise<boolean> =>
    (await database.query(sql, values)).rowCount === 1;
  return {
    renew: (id, lease, leaseMs) =>
      hasChanged(
        `UPDATE jobs SET leased_until = now() + $3 * interval '1 millisecond' WHERE id = $1 AND lease = $2`,
        [id, lease, leaseMs],
      ),
    save: (job, lease, leaseMs) =>
      hasChanged(
        `UPDATE jobs SET ${SET_COURSE}, lease = CASE WHEN $11::int IS NULL THEN NULL ELSE lease END,
           leased_until = now() + $11::int * interval '1 millisecond' WHERE id = $1 AND lease = $2`,
        [job.id, lease, ...courseOf(job, secrets), leaseMs ?? null],
      ),
    replace: (job, before) =>
      hasChanged(
        `UPDATE jobs SET ${SET_COURSE}, lease = NULL, leased_until = NULL WHERE id = $1 AND state = $2`,
        [job.id, before.state, ...courseOf(job, secrets)],
      ),
    async giveUp(id, lease) {
      await database.query(
        `UPDATE jobs SET state = CASE WHEN ended_at IS NULL THEN 'failed' ELSE state END, due_at = NULL, held = 0,
           ended_at = coalesce(ended_at, now()), lease = NULL, leased_until = NULL WHERE id = $1 AND lease = $2`,
        [id, lease],
      );
    },
    async fetched(id) {
      await database.query('UPDATE jobs SET held = 0 WHERE id = $1', [id]);
    },
    async removeOld() {
      await database.query(`DELETE FROM jobs WHERE ended_at < now() - interval '24 hours'`);
    },
  };
}

function courseOf(job: StoredJob, secrets: JobSecrets): unknown[] {
  const { id, error, result, delivery, notification, progress, uploaded, parts } = job;
  if (parts === null) throw new Error('the parts of the job cannot be sealed again');
  return [
    job.state,
    dateOf(job.startedAt),
    dateOf(job.endedAt),
    job.dueAt === null ? null : Math.max(0, job.dueAt - Date.now()),
    job.runs,
    job.tries,
    secrets.seal(id, { error, result, delivery, notification, progress, uploaded, parts }),
    job.held,
  ];
}
