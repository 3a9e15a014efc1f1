import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '@scriptorium/database/pool';
import { openBlob } from '@scriptorium/sealing/blob';
import type { BatchJob } from '../../src/batches/batch-job.ts';
import { hasEnded } from '../../src/deferred/job.ts';
import { BATCH_OPERATION, type NewJob, type StoredJob } from '../../src/deferred/job-table.ts';
import { startRunner } from '../../src/deferred/runner.ts';
import { cancelJob } from '../../src/routes/jobs.ts';
import { startOwnDatabase } from '../rigs/own-database.ts';
import { inserted, OWNER, runnerParts } from '../rigs/runner-rig.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await startOwnDatabase());
});
afterAll(() => close());

/**
 * What goes wrong at one call of a job. It is not done; or it is done, and its answer is lost. The runner dies in it, or is so
 * slow that another one ends the job before. The store loses the documents of the job, or the owner cancels it.
 */
const MODES = ['before', 'after', 'dead', 'late', 'emptied', 'canceled'] as const;
type Mode = (typeof MODES)[number];
const KINDS = ['fetched', 'fetched and notified', 'delivered', 'with addresses', 'refused', 'batch'] as const;
type Kind = (typeof KINDS)[number];
const ROWS = 3;

interface Plan {
  kind: Kind;
  fault: { at: number; mode: Mode } | undefined;
  calls: number;
  /** What the fault hit. */
  hit: string;
  lease: string;
  dead: string | undefined;
  ends: Set<string>;
  isCanceled: boolean;
  sent: { url: string; body: string }[];
}

/** A runner whose calls go wrong as the plans of their jobs say. */
function faultyRunner() {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  const { put, get, remove } = parts.blobs;
  const plans = new Map<string, Plan>();
  const planIn = (text: string): [string, Plan] | undefined => {
    const [id = ''] = /job_[a-z2-7]{26}/.exec(text) ?? [];
    const plan = plans.get(id);
    return plan && [id, plan];
  };
  const end = new AbortController();
  /** All jobs have ended, and who was slow learns that its lease is lost. */
  const over = new AbortController();
  const ending = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  const dying = () =>
    ending.then((): never => {
      throw new Error('the runner is dead');
    });
  const forget = (id: string) => {
    for (const key of held.keys()) if (key.startsWith(id)) held.delete(key);
  };
  const expire = (id: string, lease: string) =>
    database.query('UPDATE jobs SET leased_until = now() WHERE id = $1 AND lease = $2', [id, lease]);

  const cancel = async (id: string, plan: Plan): Promise<void> => {
    const find = async () => (await table.find(OWNER, id)) as StoredJob;
    const store = { remove } as never;
    const canceled = await cancelJob(find, { table, blobs: store, nudge: () => undefined }).catch(() => null);
    plan.isCanceled = canceled !== null;
    if (canceled !== null) plan.ends.add(`canceled ${canceled.endedAt}`);
  };

  const at = async <Done>(text: string, what: string, act: () => Promise<Done>): Promise<Done> => {
    const [id, plan] = planIn(text) ?? [];
    if (id === undefined || plan === undefined) return act();
    const { fault, calls, lease } = plan;
    plan.calls += 1;
    if (fault?.at !== calls) return act();
    plan.hit = what;
    const isOfDatabase = what === 'claim' || what === 'save';
    if (fault.mode === 'emptied') forget(id);
    if (fault.mode === 'canceled') await cancel(id, plan);
    if (fault.mode === 'emptied' || fault.mode === 'canceled') return act();
    if (fault.mode === 'after') await act();
    // Then no runner knows which one has the job.
    if (fault.mode === 'dead' || fault.mode === 'late' || isOfDatabase) await expire(id, lease);
    if (fault.mode === 'dead') {
      plan.dead = lease;
      return dying();
    }
    if (fault.mode !== 'late') throw new Error(`${what} is away`);
    plan.dead = lease;
    await ending;
    return act();
  };

  Object.assign(parts, { slots: 1_000, renewalMs: 100, removalMs: 20, batches: new Map<string, BatchJob>() });
  Object.assign(parts.events, { rowSent: () => undefined });
  Object.assign(parts.table, {
    async claim(...asked: Parameters<typeof table.claim>) {
      const job = await table.claim(...asked);
      const plan = job === null ? undefined : plans.get(job.id);
      if (job === null || plan === undefined) return job;
      plan.lease = asked[1];
      // A claim that does not come back is a lost answer, for all jobs.
      if (plan.fault?.at === plan.calls && plan.fault.mode !== 'after') plan.calls += 1;
      return at(job.id, 'claim', async () => job);
    },
    save(job: StoredJob, lease: string, leaseMs?: number) {
      const plan = plans.get(job.id);
      if (plan?.dead === lease && !end.signal.aborted) return dying();
      return at(job.id, 'save', async () => {
        const isSaved = await table.save(job, lease, leaseMs);
        if (isSaved && hasEnded(job.state)) plan?.ends.add(`${job.state} ${job.endedAt}`);
        return isSaved;
      });
    },
    renew(id: string, lease: string, leaseMs: number) {
      const isDead = plans.get(id)?.dead === lease && !over.signal.aborted;
      return isDead ? Promise.reject(new Error('dead')) : table.renew(id, lease, leaseMs);
    },
  });
  Object.assign(parts.blobs, {
    put: (...asked: Parameters<typeof put>) => at(asked[0], 'put', () => put(...asked)),
    get: (key: string) => at(key, 'get', () => get(key)),
    remove: (keys: string[]) => at(keys.join(), 'remove', () => remove(keys)),
    renew: (key: string) => at(key, 'renew', async () => held.has(key)),
  });
  const send = (url: string, { body }: { body: Buffer }) =>
    at(url, 'send', async () => {
      planIn(url)?.[1].sent.push({ url, body: body.toString() });
      return { status: 200, text: '' };
    });
  Object.assign(parts, {
    sender: { send, check: async () => undefined },
    replay: {
      run: ({ jobId }: { jobId: string }) =>
        at(jobId, 'run', async () => {
          const batch = parts.batches.get(jobId);
          if (batch !== undefined) return runRows(jobId, batch);
          if (plans.get(jobId)?.kind === 'refused')
            return { failure: { code: 'INVALID_FILE_FORMAT', message: 'No.' }, retryAfterMs: 0 };
          return { bytes: Buffer.from(`PDF of ${jobId}`), contentType: 'application/pdf', headers: {} };
        }),
    },
  });
  return { parts, table, held, plans, over, end };
}

async function runRows(jobId: string, batch: BatchJob): Promise<object> {
  for (let index = batch.start.nextIndex; index < ROWS; index++) {
    if (batch.start.answered.includes(index)) continue;
    batch.read(index, index + 1);
    const put = { url: `http://store/${jobId}/${index}` };
    await batch.output?.row({
      row: { index, put, filling: { kind: 'data', json: Buffer.alloc(0), images: undefined } },
      ...{ document: Buffer.from(`row ${index} of ${jobId}`), reply: undefined },
    } as never);
  }
  const reached = { summary: { rows: ROWS, done: ROWS, failed: 0 } };
  await batch.output?.end(reached);
  batch.ended(reached);
  return {};
}

const bodyOf = (kind: Kind): string =>
  kind === 'batch' ? '{"rows":[]}' : kind === 'with addresses' ? '{"document":{"url":"http://x/"}}' : '{}';

async function add(
  runner: ReturnType<typeof faultyRunner>,
  kind: Kind,
  fault?: Plan['fault'],
): Promise<string> {
  const { table, held, plans } = runner;
  const body = bodyOf(kind);
  const isSent = kind === 'delivered' || kind === 'with addresses';
  const more: Partial<NewJob> = {
    ...(kind !== 'fetched' && { notification: { outcome: 'pending', tries: 0 } }),
    ...(isSent && { delivery: { tries: 0 } }),
    ...(kind === 'batch' && { operation: BATCH_OPERATION }),
  };
  // The addresses have the id, which is not known before. No runner takes it meanwhile.
  const { id, parts } = await inserted(table, held, { ...more, body });
  const also = {
    ...(kind !== 'fetched' && { notify: { url: `http://hook/${id}` } }),
    ...(isSent && { deliver: { put: { url: `http://store/${id}` } } }),
    ...(kind === 'with addresses' && { body }),
  };
  const job = (await table.find(OWNER, id)) as StoredJob;
  await table.replace({ ...job, parts: { ...(parts as NonNullable<typeof parts>), ...also } }, job);
  plans.set(id, {
    kind,
    fault,
    calls: 0,
    hit: '',
    lease: '',
    dead: undefined,
    ends: new Set(),
    isCanceled: false,
    sent: [],
  });
  return id;
}

/** Runs all jobs to their ends. Pauses end at once. */
async function runAll({ parts, plans, over, end }: ReturnType<typeof faultyRunner>): Promise<void> {
  const runner = startRunner(parts);
  const isOver = async () => {
    await database.query('UPDATE jobs SET due_at = now() WHERE due_at > now()');
    runner.nudge();
    const { rowCount } = await database.query('SELECT FROM jobs WHERE due_at IS NOT NULL AND id = ANY ($1)', [
      [...plans.keys()],
    ]);
    return rowCount === 0;
  };
  while (!(await isOver())) await sleep(20);
  over.abort();
  await sleep(300);
  // Who was slow goes on now.
  end.abort();
  await runner.close();
}

/** What belongs at an address. */
function documentAt(url: string): string {
  const [, , , id, row] = url.split('/');
  return row === undefined ? `PDF of ${id}` : `row ${row} of ${id}`;
}

/** What must not be after the fault of a job. */
async function faultsOf(
  id: string,
  plan: Plan,
  { table, held }: ReturnType<typeof faultyRunner>,
): Promise<string[]> {
  const { kind, fault, ends, sent } = plan;
  const job = (await table.find(OWNER, id)) as StoredJob;
  const isLost = job.error?.code === 'INPUT_LOST' && fault?.mode === 'emptied' && kind !== 'with addresses';
  const wanted = plan.isCanceled ? 'canceled' : kind === 'refused' || isLost ? 'failed' : 'succeeded';
  const puts = sent.filter(({ url }) => url.startsWith('http://store'));
  const hooks = sent.filter(({ url }) => url.startsWith('http://hook')).map(({ body }) => JSON.parse(body));
  const documents = new Map(puts.map(({ url, body }) => [url, body]));
  const isWhole = !isLost && !plan.isCanceled;
  const count = kind === 'batch' ? ROWS : job.delivery === null ? 0 : 1;
  const isFetched = kind.startsWith('fetched');
  const result = isFetched && isWhole ? job.parts?.result : undefined;
  const box = result && held.get(result.key);
  const waiting = box && openBlob(box, result?.seal ?? '').toString();
  const mayBeGone = fault?.mode === 'emptied' || plan.hit === 'remove';
  const left = [...held.keys()].filter((key) => key.startsWith(id) && key !== result?.key);
  // What no runner could remove expires in the store.
  const mayLeave = fault?.mode === 'dead' || plan.hit === 'remove';
  const checks: [boolean, string][] = [
    [job.state === wanted, `is ${job.state} (${job.error?.code}), not ${wanted}`],
    [ends.size === 1, `ended as ${[...ends].join(' and ')}`],
    [puts.every(({ url, body }) => body === documentAt(url)), 'sent another document'],
    [!isWhole || documents.size === count, `delivered ${documents.size} of ${count}`],
    [kind !== 'batch' || !isWhole || job.progress?.done === ROWS, `counts ${job.progress?.done} rows`],
    [kind === 'fetched' || hooks.length > 0, 'was not notified'],
    [hooks.every(({ data }) => data.status === job.state && data.id === id), 'was notified of another end'],
    [!isFetched || !isWhole || mayBeGone || waiting === `PDF of ${id}`, `has the result ${waiting}`],
    [mayLeave || left.length === 0, `leaves ${left.join()}`],
  ];
  return checks
    .filter(([isRight]) => !isRight)
    .map(([, words]) => `${kind}, ${fault?.mode} ${plan.hit} (${fault?.at}): ${words}`);
}

test('each job has one right end, whatever goes wrong at whichever of its calls', async () => {
  const first = faultyRunner();
  for (const kind of KINDS) await add(first, kind);
  await runAll(first);
  const runner = faultyRunner();
  for (const { kind, calls } of first.plans.values())
    for (let at = 0; at < calls; at++) for (const mode of MODES) await add(runner, kind, { at, mode });
  await runAll(runner);
  const found: string[] = [];
  for (const one of [first, runner])
    for (const [id, plan] of one.plans) found.push(...(await faultsOf(id, plan, one)));
  expect(found).toEqual([]);
  expect(runner.plans.size).toBeGreaterThan(400);
}, 120_000);
