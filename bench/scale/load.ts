/**
 * Callers, in their own process so that their CPU time can be separated. The parent process defines what to send and
 * when the clock runs. Callers start before it and stop after it, so that requests in flight at both ends balance out.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { OPERATIONS, type OperationName, type Prepared } from './operations.ts';

const DETAIL_LENGTH_MAX = 200;

export interface Task {
  operation: OperationName;
  url: string;
  /** One for each caller. */
  keys: string[];
}

export type Order = { type: 'start'; task: Task } | { type: 'begin' } | { type: 'stop' };

/** The callers' results while the clock ran. */
export interface Seen {
  seconds: number;
  latenciesMs: number[];
  /** For each response: the worker's own processing time, without waiting (Server-Timing). */
  workMs: number[];
  documentBytes: number;
  resultBytes: number;
  refusals: string[];
}

export type News = { type: 'running' } | { type: 'seen'; seen: Seen };

const NOT_WORK = ['load', 'queue'];

function workIn(timing: string): number {
  return [...timing.matchAll(/(\w+);dur=([\d.]+)/g)]
    .filter(([, stage = '']) => !NOT_WORK.includes(stage))
    .reduce((sum, [, , ms]) => sum + Number(ms), 0);
}

interface Answer {
  status: number;
  timing: string;
  isJson: boolean;
  body: Buffer;
}

function send(
  url: string,
  key: string,
  { path, contentType, body }: Prepared,
  agent?: Agent,
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': contentType,
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          timing: String(answer.headers['server-timing'] ?? ''),
          isJson: answer.headers['content-type']?.startsWith('application/json') ?? false,
          body: Buffer.concat(chunks),
        }),
      );
    };
    request(`${url}${path}`, { method: 'POST', headers, ...(agent && { agent }) }, onAnswer)
      .once('error', reject)
      .end(body);
  });
}

const nothingSeen = (): Seen => ({
  seconds: 0,
  latenciesMs: [],
  workMs: [],
  documentBytes: 0,
  resultBytes: 0,
  refusals: [],
});

let seen = nothingSeen();
let startedAt = 0;
let isStopped = false;
const known = new Map<OperationName, Promise<Prepared[]>>();

function preparedFor({ operation, url, keys: [key = ''] }: Task): Promise<Prepared[]> {
  const prepare = () =>
    OPERATIONS[operation].prepare(async (prepared) => (await send(url, key, prepared)).body);
  const requests = known.get(operation) ?? prepare();
  known.set(operation, requests);
  return requests;
}

async function call({ url }: Task, key: string, agent: Agent, next: () => Prepared): Promise<void> {
  while (!isStopped) {
    const prepared = next();
    const sentAt = performance.now();
    const answer = await send(url, key, prepared, agent);
    const isDocument = answer.isJson && !prepared.path.startsWith('/v1/verify');
    if (answer.status !== 200) {
      seen.refusals.push(`${answer.status} ${answer.body.toString('utf8', 0, DETAIL_LENGTH_MAX)}`);
      continue;
    }
    seen.latenciesMs.push(performance.now() - sentAt);
    seen.workMs.push(workIn(answer.timing));
    seen.documentBytes += prepared.documentBytes;
    // Base64 adds a third. It is not decoded here: that would add CPU time to the measurement.
    seen.resultBytes += isDocument ? Math.round((answer.body.length * 3) / 4) : answer.body.length;
  }
}

let calling: Promise<unknown> = Promise.resolve();

async function start(task: Task): Promise<void> {
  const requests = await preparedFor(task);
  let sent = 0;
  const next = (): Prepared => {
    const prepared = requests[sent++ % requests.length];
    if (prepared === undefined) throw new Error('nothing to send');
    return prepared;
  };
  isStopped = false;
  // New connections, which a balancer distributes again.
  const agent = new Agent({ keepAlive: true });
  calling = Promise.all(task.keys.map((key) => call(task, key, agent, next))).finally(() => agent.destroy());
  report({ type: 'running' });
}

async function stop(): Promise<void> {
  const result = { ...seen, seconds: (performance.now() - startedAt) / 1000 };
  isStopped = true;
  seen = nothingSeen();
  await calling;
  report({ type: 'seen', seen: result });
}

function report(news: News): void {
  process.send?.(news);
}

process.once('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  if (order.type === 'start') void start(order.task);
  if (order.type === 'stop') void stop();
  if (order.type === 'begin') {
    seen = nothingSeen();
    startedAt = performance.now();
  }
});
