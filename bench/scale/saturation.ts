import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { health, until } from '@scriptorium/e2e/service';
import { drive, startLoad } from './drive.ts';
import { type Saturation, total } from './measurement.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { type Stand, startStand } from './stand.ts';
import { type Throttled, throttle } from './throttle.ts';

/** Those of which a machine of two cores does so many that a twentieth of a Redis is not enough for them. */
const OPERATION_NAMES: OperationName[] = ['convert1', 'convert10', 'annotate', 'annotatePdf'];
const SERVERS = ['queueRedis', 'blobRedis'] as const;
/** Enough that each time when the server runs, it finds more to do than it has time for. */
const CALLERS = 96;
const GATEWAYS = 2;
/** Share of what the server uses without a limit. */
const SHARE_OF_USE = 0.5;
/** Below, the server was not what everything waited for. */
const BUSY_MIN = 0.85;

interface SaturationOptions {
  seconds: number;
  rounds: number;
  databaseUrl: string;
  signal: AbortSignal;
  say(text: string): void;
}

interface Bench {
  stand: Stand;
  load: ReturnType<typeof startLoad>;
  keys: string[];
  options: SaturationOptions;
}

/**
 * What one Redis carries when it is busy all the time. The machine has too few cores to load a whole Redis, so the server gets a
 * share of a core that it uses in full. Counts documents for each CPU second of the server. What it does without load counts too,
 * which makes the number rather too low. Converters have no engine here.
 */
export async function saturate(options: SaturationOptions): Promise<Saturation[]> {
  const stand = await startStand({
    converters: 0,
    gateways: GATEWAYS,
    databaseUrl: options.databaseUrl,
    further: ['annotator'],
    settings: { KEY_CONCURRENCY_MAX: '1000', QUEUE_WAIT_MS_MAX: '300000', ANNOTATORS: '4' },
  });
  const converter = await startEngineless(stand);
  const load = startLoad();
  try {
    await until('the gateway knows the converter', async () => {
      return (await health(stand.service.url)).checks.converters >= 1;
    });
    const key = await stand.service.register();
    const keys = Array.from({ length: CALLERS }, () => key);
    return await measure({ stand, load, keys, options });
  } finally {
    await load.close();
    await converter.close();
    await stand.close();
  }
}

async function startEngineless(stand: Stand): Promise<{ close(): Promise<void> }> {
  const file = fileURLToPath(new URL('engineless-converter.ts', import.meta.url));
  const urls = [stand.service.redis.url, stand.service.settings.REDIS_BLOB_URL ?? ''];
  const { CONVERTER_JOB_SECRET = '' } = stand.service.settings;
  const env = { ...process.env, CONVERTER_JOB_SECRET };
  const child = fork(file, urls, { env, execArgv: ['--conditions=source'] });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the converter without an engine ended with ${code}`))),
  ]);
  return {
    async close() {
      child.disconnect();
      await ended;
    },
  };
}

async function measure(bench: Bench): Promise<Saturation[]> {
  const { options } = bench;
  const results: Saturation[] = [];
  for (const operation of OPERATION_NAMES) {
    options.signal.throwIfAborted();
    const free = await take(bench, operation);
    for (const server of SERVERS) {
      const used = free.cpuSeconds[server] / free.seconds;
      const samples = [];
      for (let round = 0; round < options.rounds; round++) {
        options.signal.throwIfAborted();
        samples.push(await takeThrottled(bench, operation, server, used * SHARE_OF_USE));
      }
      const saturation = summarize(operation, server, samples);
      if (saturation.commands < 1) {
        options.say(`${OPERATIONS[operation].title}: documents of this size do not use ${server}`);
        continue;
      }
      results.push(saturation);
      const { perSecond, share, busy } = saturation;
      options.say(
        `${OPERATIONS[operation].title}, ${server}: ${Math.round(perSecond)}/s by a whole core; ` +
          `measured with ${(100 * share).toFixed(1)} %, busy ${(100 * busy).toFixed(0)} %`,
      );
      if (busy < BUSY_MIN) options.say('the server was not busy all the time: the number is too low');
    }
  }
  return results;
}

const take = ({ stand, load, keys, options: { seconds } }: Bench, operation: OperationName) =>
  drive(stand, load, { operation, keys, gateways: GATEWAYS, seconds });

async function takeThrottled(
  bench: Bench,
  operation: OperationName,
  server: (typeof SERVERS)[number],
  share: number,
) {
  const [pid = 0] = bench.stand.processes(GATEWAYS)[server];
  const running = throttle(pid, share);
  let throttled: Throttled;
  let sample: Awaited<ReturnType<typeof take>>;
  try {
    sample = await take(bench, operation);
  } finally {
    throttled = await running.end();
  }
  return { ...sample, throttled };
}

function summarize(
  operation: OperationName,
  server: (typeof SERVERS)[number],
  samples: Awaited<ReturnType<typeof takeThrottled>>[],
): Saturation {
  const sum = (of: (sample: (typeof samples)[number]) => number) => total(samples.map(of));
  const documents = sum(({ latenciesMs }) => latenciesMs.length);
  const seconds = sum((sample) => sample.seconds);
  const cpu = sum(({ cpuSeconds }) => cpuSeconds[server]);
  const calls = sum(({ commands }) =>
    total(Object.values(server === 'queueRedis' ? commands.queue : commands.blobs)),
  );
  return {
    operation,
    server,
    documents,
    perSecond: documents / cpu,
    measuredPerSecond: documents / seconds,
    share: cpu / seconds,
    busy: sum(({ throttled }) => throttled.busy) / samples.length,
    commands: calls / documents,
  };
}
