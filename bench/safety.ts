import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { LibreOfficeKitEngine } from '@scriptorium/converter/engines/kit/libreofficekit';
import { sanitizerThreads } from '@scriptorium/converter/threads/threads';
import { type Contender, zygotes } from './contenders.ts';
import { KINDS } from './documents.ts';
import { percentile, sample } from './measure.ts';

const HOST_FOLDER = fileURLToPath(new URL('../services/converter/engine-host', import.meta.url));
const REFUSE = fileURLToPath(new URL('../services/converter/dist/probe/refuse', import.meta.url));
const ENGINE_PROCESS = fileURLToPath(new URL('./peers/engine-process.ts', import.meta.url));
const TIMEOUT_MS = 60_000;
const ROUNDS = 8;
const COUNT = 25;
const WARM_UP_COUNT = 20;

const OPTIONS: Pick<Conversion, 'from' | 'revisions' | 'updateFields'> = {
  from: 'docx',
  revisions: 'markup',
  updateFields: 'none',
};

/** The sanitizer in its thread, then the engine. */
function sanitizerAndEngine(): Contender {
  const sanitizer = sanitizerThreads({ threads: 1, data: {} });
  const engine = new LibreOfficeKitEngine({ zygotes: 1 });
  return {
    name: 'sanitizer and engine',
    owns: undefined,
    start: async () => void (await Promise.all([engine.start(), sanitizer.ready()])),
    close: async () => void (await Promise.all([engine.close(), sanitizer.close()])),
    convert: async (docx) => {
      const { signal } = new AbortController();
      const { bytes } = await sanitizer.prepare({ bytes: docx, options: OPTIONS }, signal);
      return (await engine.convert(bytes, { from: 'docx', to: 'pdf' }, { timeoutMs: TIMEOUT_MS, signal }))
        .bytes;
    },
  };
}

/** The engine in its own process, with or without its walls. */
function engineProcess(name: string, isWalled: boolean): Contender {
  let child: ChildProcess | undefined;
  return {
    name,
    owns: undefined,
    start: async () => {
      const node = [process.execPath, '--conditions=source'];
      const [execPath = '', ...execArgv] = isWalled ? node : [REFUSE, 'both', ...node];
      child = fork(ENGINE_PROCESS, [isWalled ? 'required' : 'degraded'], {
        execPath,
        execArgv,
        serialization: 'advanced',
      });
      const [state] = await once(child, 'message');
      if (state !== (isWalled ? 'enforced' : 'degraded')) throw new Error(`${name}: its sandbox is ${state}`);
    },
    convert: async (docx) => {
      if (child === undefined) throw new Error(`${name} is not started`);
      const answer = once(child, 'message');
      child.send(docx);
      const [bytes] = (await answer) as [Uint8Array];
      return Buffer.from(bytes);
    },
    close: async () => {
      const ended = child && once(child, 'exit');
      child?.disconnect();
      await ended;
    },
  };
}

/** Prints the cost of the sanitizer and of the walls: pairs that differ in one of them, interleaved. */
export async function runSafety(): Promise<void> {
  execFileSync('make', ['-s', '-C', HOST_FOLDER, 'probe']);
  const contenders = [
    { ...zygotes(1), name: 'engine alone' },
    sanitizerAndEngine(),
    engineProcess('engine process without walls', false),
    engineProcess('engine process within walls', true),
  ];
  for (const contender of contenders) await contender.start();
  try {
    for (const kind of KINDS) {
      const latencies = contenders.map((): number[] => []);
      for (const contender of contenders) await sample(contender, kind, WARM_UP_COUNT, 1);
      for (let round = 0; round < ROUNDS; round++)
        for (let turn = 0; turn < contenders.length; turn++) {
          const index = (turn + round) % contenders.length;
          const contender = contenders[index];
          if (contender === undefined) continue;
          latencies[index]?.push(...(await sample(contender, kind, COUNT, 1)).latenciesMs);
        }
      const p50 = latencies.map((list) => percentile(list, 0.5));
      console.table(
        contenders.map(({ name }, index) => ({
          document: kind.name,
          contender: name,
          'p50 ms': p50[index]?.toFixed(1),
          'p95 ms': percentile(latencies[index] ?? [], 0.95).toFixed(1),
          'over the one before':
            index % 2 === 1 ? ((p50[index] ?? 0) - (p50[index - 1] ?? 0)).toFixed(1) : '',
        })),
      );
    }
  } finally {
    for (const contender of contenders) await contender.close();
  }
}
