import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@scriptorium/database/pool';
import { Secret } from '@scriptorium/shared/config';
import { cpuSecondsOfMachine, memoryOf, processTree } from '@scriptorium/testing/processes';
import { collectOpens, sendOpens, startTelemetry } from '../collector.ts';
import { drive, type LoadProcess, readMemory, type Sample, startLoad, watch } from './drive.ts';
import { type Figures, type Measurement, summarize, total } from './measurement.ts';
import { OPERATIONS, type OperationName, SIZED } from './operations.ts';
import { saturate } from './saturation.ts';
import { startServers } from './servers.ts';
import { ROLES, type Role, type Stand, startStand } from './stand.ts';

/** For operations whose CPU time is measured: enough that no process waits for callers. */
const CALLERS = 4;
/** Per converter, so that the next document is ready when one is done. */
const CALLERS_A_CONVERTER = 2;
const DOCUMENTS: Record<string, OperationName> = { '1 page': 'convert1', '10 pages': 'convert10' };
const PAUSE_MS = 3_000;
const LOOK_MS = 500;
const BATCHES = [1, 20];
const ENGINES = [1, 2, 4];

export interface RunOptions {
  seconds: number;
  rounds: number;
  converters: number[];
  gateways: number[];
  /**
   * Cores that other processes of the machine may use; a sample in which they used more is repeated, for at most
   * `patienceMs`.
   */
  othersMax: number;
  patienceMs: number;
  /** Aborted to end early. */
  signal: AbortSignal;
  say(text: string): void;
}

/** One measurement, taken once per round. */
interface Cell {
  name: string;
  operation: OperationName;
  samples: Sample[];
  take(): Promise<Sample>;
}

interface Bench {
  options: RunOptions;
  stands: Stand[];
  load: LoadProcess;
  keys: string[];
}

/** Starts everything to measure on this machine, measures it in rounds, and stops it. */
export async function run(options: RunOptions): Promise<Measurement> {
  const { databaseUrl, stop } = await startServers();
  const closing = [stop];
  try {
    const stands: Stand[] = [];
    for (const [index, converters] of options.converters.entries()) {
      options.signal.throwIfAborted();
      options.say(`starting ${converters} converters`);
      const gateways = Math.max(...options.gateways);
      const further = index === 0 ? (['annotator', 'signer', 'verifier'] as const) : [];
      const standing = { converters, gateways, databaseUrl, further };
      const stand = await startStand(standing);
      stands.push(stand);
      closing.unshift(() => stand.close());
    }
    const load = startLoad();
    closing.unshift(() => load.close());
    const keys = await register(
      stands[0],
      Math.max(CALLERS, CALLERS_A_CONVERTER * Math.max(...options.converters)),
    );
    const measured = await measure({ options, stands, load, keys });
    const saturation = await saturate({ ...options, databaseUrl });
    return { ...measured, saturation, opens: await measureOpens(databaseUrl, options) };
  } finally {
    for (const close of closing) await close();
  }
}

async function register(stand: Stand | undefined, count: number): Promise<string[]> {
  const keys: string[] = [];
  while (stand !== undefined && keys.length < count) keys.push(await stand.service.register());
  return keys;
}

async function measure(bench: Bench): Promise<Omit<Measurement, 'opens' | 'saturation'>> {
  const { options, stands } = bench;
  const [first] = stands;
  if (first === undefined) throw new Error('--converters contains no number');
  const combinations = combinationsOf(bench);
  const alone = SIZED.map((operation) => cellOf(bench, first, operation, 1));
  const names = Object.keys(OPERATIONS) as OperationName[];
  const operations = names.map((operation) => cellOf(bench, first, operation, CALLERS));
  const starts = stands.flatMap((stand) => stand.converterStartSeconds);
  const before = loadavg()[0] ?? 0;
  const measuredAt = new Date().toISOString();
  const idle = await measureIdle(bench);
  await inRounds([...combinations.map(({ cell }) => cell), ...alone, ...operations], options);
  return {
    measuredAt,
    seconds: options.seconds,
    rounds: options.rounds,
    machine: {
      cpu: cpus()[0]?.model.trim() ?? '',
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    converterStartSeconds: starts.length > 0 ? total(starts) / starts.length : undefined,
    load: { before, after: loadavg()[0] ?? 0 },
    combinations: combinations.map(({ cell, ...rest }) => ({ ...rest, ...summarize(cell.samples) })),
    alone: figuresOf(alone) as Measurement['alone'],
    operations: figuresOf(operations) as Measurement['operations'],
    idle,
  };
}

function combinationsOf(bench: Bench) {
  return Object.entries(DOCUMENTS).flatMap(([document, operation]) =>
    bench.stands.flatMap((stand) =>
      bench.options.gateways.map((gateways) => {
        const callers = CALLERS_A_CONVERTER * stand.converters;
        const cell = cellOf(bench, stand, operation, callers, gateways);
        return { document, converters: stand.converters, gateways, callers, cell };
      }),
    ),
  );
}

function cellOf(
  { load, keys, options: { seconds } }: Bench,
  stand: Stand,
  operation: OperationName,
  callers: number,
  gateways = 1,
): Cell {
  const name = `${OPERATIONS[operation].title}, ${stand.converters} converters, ${gateways} gateways, ${callers} callers`;
  const take = () => drive(stand, load, { operation, keys: keys.slice(0, callers), gateways, seconds });
  return { name, operation, samples: [], take };
}

function figuresOf(cells: readonly Cell[]): Partial<Record<OperationName, Figures>> {
  return Object.fromEntries(cells.map(({ operation, samples }) => [operation, summarize(samples)]));
}

/** In turn, with another first one each round, so that other load of the machine affects all alike. */
async function inRounds(cells: readonly Cell[], options: RunOptions): Promise<void> {
  const takeQuietly = quietly(options);
  for (let round = 0; round < options.rounds; round++) {
    const shift = Math.floor((cells.length * round) / options.rounds);
    for (const cell of [...cells.slice(shift), ...cells.slice(0, shift)]) {
      const sample = await takeQuietly(cell);
      cell.samples.push(sample);
      const perSecond = (sample.latenciesMs.length / sample.seconds).toFixed(1);
      options.say(
        `round ${round + 1}: ${cell.name}: ${perSecond}/s; others use ${coresOfOthers(sample).toFixed(2)} cores`,
      );
    }
  }
}

const coresOfOthers = ({ cpuSeconds, seconds }: Sample): number => cpuSeconds.others / seconds;

/** Takes samples while the machine has no other load, and repeats those with other load. */
function quietly({ othersMax, patienceMs, signal }: RunOptions): (cell: Cell) => Promise<Sample> {
  let patienceLeftMs = patienceMs;
  return async ({ take }) => {
    for (;;) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      const isQuiet = patienceLeftMs <= 0 || (await coresInUse()) <= othersMax;
      const sample = isQuiet ? await take() : undefined;
      if (sample !== undefined && (patienceLeftMs <= 0 || coresOfOthers(sample) <= othersMax)) return sample;
      await sleep(PAUSE_MS, undefined, { signal });
      patienceLeftMs -= performance.now() - startedAt;
    }
  };
}

/** Cores in use on the whole machine, measured over a moment. */
async function coresInUse(): Promise<number> {
  const before = cpuSecondsOfMachine();
  await sleep(LOOK_MS);
  return (1000 * (cpuSecondsOfMachine() - before)) / LOOK_MS;
}

/** The cost of one process of each role without load. */
async function measureIdle({ stands, load, options }: Bench): Promise<Measurement['idle']> {
  const stand = stands[0];
  if (stand === undefined) throw new Error('no stand is running');
  const gateways = stand.service.gateways.length;
  const { cpuSeconds, commands } = await watch(stand, gateways, load.pid, () =>
    sleep(options.seconds * 1000),
  );
  const processes = stand.processes(gateways);
  const cpuMs = (role: Role): number =>
    (1000 * cpuSeconds[role]) / options.seconds / Math.max(1, processes[role].length);
  const sum = (calls: Record<string, number>): number => total(Object.values(calls)) / options.seconds;
  const memoryMiB = readMemory(processes);
  return {
    memoryMiB,
    enginesMiB: await measureEngines(stand),
    cpuMs: Object.fromEntries(ROLES.map((role) => [role, cpuMs(role)])) as Record<Role, number>,
    commands: { queue: sum(commands.queue), blobs: sum(commands.blobs) },
  };
}

/** The memory of converters that have done nothing yet, by number of engines. */
async function measureEngines(stand: Stand): Promise<Record<string, number>> {
  const memory: Record<string, number> = {};
  for (const engines of ENGINES) {
    const converter = await stand.service.addConverter({ ENGINES: String(engines) });
    memory[engines] = memoryOf(processTree(converter.child.pid)).pssMiB;
    stand.service.converters.pop();
    await converter.end('SIGTERM');
  }
  return memory;
}

async function measureOpens(
  databaseUrl: string,
  { seconds, say }: RunOptions,
): Promise<Measurement['opens']> {
  const telemetry = await startTelemetry(databaseUrl, 'all');
  const database = openDatabase(new Secret(databaseUrl));
  const opens: Measurement['opens'] = [];
  try {
    await sendOpens(telemetry.port, 1, 1);
    for (const eventsAPayload of BATCHES) {
      const { accepted, cpuUsAnEvent, ...collected } = await collectOpens(
        database,
        telemetry,
        seconds,
        eventsAPayload,
      );
      opens.push({
        eventsAPayload,
        perSecond: accepted / collected.seconds,
        countedPerSecond: accepted / collected.countedSeconds,
        serviceUs: cpuUsAnEvent.service,
        databaseUs: cpuUsAnEvent.database,
      });
      say(`opens, ${eventsAPayload} a payload: ${Math.round(accepted / collected.seconds)}/s`);
    }
  } finally {
    await database.end();
    await telemetry.stop();
  }
  return opens;
}
