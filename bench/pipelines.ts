import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { LetterData, LetterKind } from './business-letters.ts';
import type { Answer, Order } from './peers/pipeline-process.ts';
import { startServers } from './scale/servers.ts';
import { startStand } from './scale/stand.ts';

const TIMEOUT_MS = 120_000;

/** One way from a template and data to a PDF. */
export interface Pipeline {
  readonly name: string;
  /** Its processes, each with all below it. */
  roots(): number[];
  make(kind: LetterKind, data: LetterData): Promise<Uint8Array>;
  /** Waits until nothing goes on in the background. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A running service; `roots` are its processes. */
function overHttp(url: string, key: string, roots: readonly number[], close: () => Promise<void>): Pipeline {
  const encoded = new Map<string, string>();
  return {
    name: 'this service over HTTP',
    roots: () => [...roots],
    settled: async () => {},
    close,
    async make({ name, template }, data) {
      const base64 = encoded.get(name) ?? template.toString('base64');
      encoded.set(name, base64);
      const answer = await fetch(`${url}/v1/generate?to=pdf`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/pdf',
        },
        body: JSON.stringify({ document: { base64 }, data }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (!answer.ok) throw new Error(`${answer.status} ${Buffer.from(bytes).toString('utf8', 0, 300)}`);
      return bytes;
    },
  };
}

/** The stack of BASE_URL, API_KEY and STACK_PID; without them, one that is started here. */
export async function servicePipeline(): Promise<Pipeline> {
  const { BASE_URL, API_KEY, STACK_PID } = process.env;
  if (BASE_URL !== undefined && API_KEY !== undefined) {
    if (STACK_PID === undefined) throw new Error('set STACK_PID, so that CPU time can be read');
    return overHttp(BASE_URL, API_KEY, [Number(STACK_PID)], async () => {});
  }
  const servers = await startServers();
  const stand = await startStand({
    converters: 1,
    gateways: 1,
    databaseUrl: servers.databaseUrl,
    further: ['annotator'],
    settings: { ENGINES: String(availableParallelism()), KEY_CONCURRENCY_MAX: '1000' },
  });
  return overHttp(
    stand.service.url,
    await stand.service.register(),
    Object.values(stand.processes(1)).flat(),
    async () => {
      await stand.close();
      await servers.stop();
    },
  );
}

/** docxtemplater and LibreOffice in a process of their own, driven in this way by `peers/pipeline-process.ts`. */
export async function builtPipeline(
  name: string,
  way: 'listeners' | 'unoserver' | 'gotenberg',
  restartAfter: number,
  kinds: readonly LetterKind[],
): Promise<Pipeline> {
  const file = fileURLToPath(new URL('./peers/pipeline-process.ts', import.meta.url));
  const child = fork(file, [way, String(availableParallelism()), String(restartAfter)], {
    execArgv: ['--conditions=source'],
    serialization: 'advanced',
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let sent = 0;
  const ask = async (order: DistributedOmit<Order, 'id'>): Promise<Uint8Array | undefined> => {
    const id = ++sent;
    const { pdf, error } = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve);
      child.send({ ...order, id });
    });
    if (error !== undefined) throw new Error(`${name}: ${error}`);
    return pdf;
  };
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ]);
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  for (const { name: template, template: docx } of kinds) await ask({ type: 'learn', template, docx });
  return {
    name,
    roots: () => (child.pid === undefined ? [] : [child.pid]),
    make: async (kind, data) => (await ask({ type: 'make', template: kind.name, data })) ?? new Uint8Array(),
    settled: async () => void (await ask({ type: 'settle' })),
    async close() {
      child.disconnect();
      await ended;
    },
  };
}

/** `Omit` of each member of a union. */
type DistributedOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;
