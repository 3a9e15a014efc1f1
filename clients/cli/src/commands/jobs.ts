import {
  JOB_OPERATIONS,
  type Job,
  type JobOperation,
  ScriptoriumError,
  withDocuments,
} from '@scriptorium/client';
import { CliError, EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { say, sayTable } from '../io.ts';
import { deliver, targetsOf } from '../outputs.ts';
import { Progress } from '../progress.ts';
import { readObject, sourceOf } from '../sources.ts';

/** How often the progress of a batch is asked for. */
const WAIT_SECONDS = 5;
const FAILURES_SHOWN_MAX = 10;

/** What can be done with jobs, by how many arguments follow. */
const ACTIONS: Record<string, { takes: number; run(call: Call): Promise<number> }> = {
  list: { takes: 0, run: list },
  start: { takes: 2, run: start },
  show: { takes: 1, run: async (call) => shown(call, await (await jobsOf(call)).get(idOf(call), call.io)) },
  wait: { takes: 1, run: async (call) => ended(call, await awaited(call)) },
  get: { takes: 1, run: get },
  cancel: {
    takes: 1,
    run: async (call) => shown(call, await (await jobsOf(call)).cancel(idOf(call), call.io)),
  },
};

export const jobs: Command = {
  name: 'jobs',
  synopsis: '[list | start OPERATION REQUEST | show ID | wait ID | get ID -o PATH | cancel ID]',
  summary: `Work with requests that are answered later. REQUEST is the JSON of one, as in the API; {"path": …} stands for a
document of this machine. OPERATION is ${JOB_OPERATIONS.join(', ')}.`,
  arguments: [0, 3],
  options: {
    output: { type: 'string', short: 'o', value: 'PATH', help: 'For get: a file, or - for standard output' },
    query: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      help: 'For start: of the query, such as to=pdf',
    },
    accept: {
      type: 'string',
      value: 'TYPE',
      help: 'For start: the type of the result, such as application/pdf',
    },
    'idempotency-key': {
      type: 'string',
      value: 'TEXT',
      help: 'For start: the same text and request are the same job',
    },
    after: { type: 'string', value: 'ID', help: 'For list: the last job of the list before' },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const [name = 'list', ...others] = call.arguments;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined || others.length !== action.takes)
      throw new CliError('USAGE', `usage: scriptorium jobs ${jobs.synopsis}`);
    return action.run(call);
  },
};

const jobsOf = async (call: Call) => (await call.connection()).client.jobs;
const idOf = ({ arguments: [, id = ''] }: Call): string => id;

async function list(call: Call): Promise<number> {
  const after = call.text('after');
  const { signal } = call.io;
  return shown(call, ...(await (await jobsOf(call)).list({ signal, ...(after !== undefined && { after }) })));
}

async function start(call: Call): Promise<number> {
  const {
    io,
    arguments: [, name = '', file = ''],
  } = call;
  const operation = JOB_OPERATIONS.find((one) => one === name);
  if (operation === undefined)
    throw new CliError('USAGE', `The operation is ${JOB_OPERATIONS.join(', ')}, not ${name}.`);
  const request = await readObject(io, file);
  const { limits } = await call.connection();
  const { documentBytesMax } = (await limits()).sizes;
  const body = await withDocuments(
    request,
    async (path) => (await sourceOf(io, path, documentBytesMax)).file,
  );
  const query = Object.fromEntries(call.texts('query').map(pairOf));
  return shown(call, await startJob(call, operation, body, query));
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('USAGE', `--query is NAME=VALUE, not ${text}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The service says what is wrong with a body and a query. */
export async function startJob(
  call: Call,
  operation: JobOperation,
  body: object,
  query: object,
): Promise<Job> {
  const [accept, idempotencyKey] = [call.text('accept'), call.text('idempotency-key')];
  return (await jobsOf(call)).start(operation, body as never, {
    query: query as never,
    ...(accept !== undefined && { accept }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    signal: call.io.signal,
  });
}

async function awaited(call: Call): Promise<Job> {
  const client = await jobsOf(call);
  const bar = new Progress(call.io, undefined);
  for (;;) {
    const job = await client.get(idOf(call), { waitSeconds: WAIT_SECONDS, signal: call.io.signal });
    const { rows = 0, failed = 0 } = job.progress ?? {};
    const hasEnded = job.endedAt !== undefined;
    if (job.progress !== undefined) hasEnded ? bar.end(rows, failed) : bar.show(rows, failed);
    if (hasEnded) return job;
  }
}

async function get(call: Call): Promise<number> {
  const { io } = call;
  // The service has a result once. So its place is checked before.
  const [target = 'stdout'] = await targetsOf(io, call.text('output'), [idOf(call)], []);
  const job = await awaited(call);
  if (job.status !== 'succeeded') return ended(call, job);
  const { bytes } = await (await jobsOf(call)).result(job.id, io);
  await deliver(io, target, bytes);
  return EXIT.ok;
}

/** Shows a job that has ended. Throws its error. */
function ended(call: Call, job: Job): number {
  shown(call, job);
  if (job.error !== undefined) throw new ScriptoriumError(job.error);
  return job.status === 'succeeded' ? EXIT.ok : EXIT.refused;
}

function shown({ io, isJson }: Call, ...all: Job[]): number {
  if (isJson) {
    for (const job of all) io.stdout.write(`${JSON.stringify(job)}\n`);
    return EXIT.ok;
  }
  const rows = all.map(({ id, operation, status, createdAt, progress, error }) => [
    ...[id, operation, createdAt, status],
    ...[progress === undefined ? '' : `${progress.rows} rows, ${progress.failed} failed`, error?.code ?? ''],
  ]);
  sayTable(io.stdout, [['id', 'operation', 'since', 'status', '', ''], ...rows]);
  const failures = all.length === 1 ? (all[0]?.progress?.failures ?? []) : [];
  for (const { index, error } of failures.slice(0, FAILURES_SHOWN_MAX))
    say(io.stderr, `row ${index + 1}: ${error.code}: ${error.message}`);
  return EXIT.ok;
}
