import { type Figures, type Measurement, type Saturation, total } from './measurement.ts';
import { OPERATIONS, type OperationName, SIZED } from './operations.ts';
import type { Role } from './stand.ts';
import { figure, type Table } from './table.ts';

export const ROLE_NAMES: Record<Role, string> = {
  gateway: 'gateway',
  converter: 'converter',
  annotator: 'annotator',
  signer: 'signer',
  verifier: 'verifier',
  queueRedis: 'Redis, queues',
  blobRedis: 'Redis, documents',
  database: 'PostgreSQL',
};
const COMMANDS_SHOWN = 12;
const BEHIND: readonly Role[] = ['queueRedis', 'blobRedis', 'database'];

/** Describes the machine at that time, and its other load. */
export function circumstances(measurement: Measurement): string {
  const { measuredAt, machine, load, seconds, rounds, combinations, alone, operations } = measurement;
  const others = [...combinations, ...Object.values(alone), ...Object.values(operations)].map(
    (one) => one.coresOfOthers,
  );
  const start = measurement.converterStartSeconds;
  const started = start === undefined ? '' : ` A converter took jobs ${start.toFixed(1)} s after its start.`;
  return (
    `${measuredAt.slice(0, 16).replace('T', ' ')} UTC; ${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB,\n` +
    `Node ${machine.node.slice(1)}; load average before and after ${load.before.toFixed(1)} and ${load.after.toFixed(1)};\n` +
    `${rounds} rounds of ${seconds} s each, after 1 s that does not count;\n` +
    `other processes of the machine used ` +
    `${Math.min(...others).toFixed(2)} to ${Math.max(...others).toFixed(2)} cores meanwhile.${started}`
  );
}

const cpuColumns = (cpuMs: Figures['cpuMs'], roles: readonly Role[]): Record<string, string> =>
  Object.fromEntries(roles.map((role) => [`CPU ms, ${ROLE_NAMES[role]}`, figure(cpuMs[role])]));

const workersCpuMs = (name: OperationName, cpuMs: Figures['cpuMs']): number =>
  total(OPERATIONS[name].workers.map((role) => cpuMs[role]));

/** All that takes part in the operation, without the callers. */
const allCpuMs = (name: OperationName, cpuMs: Figures['cpuMs']): number =>
  workersCpuMs(name, cpuMs) + cpuMs.gateway + total(BEHIND.map((role) => cpuMs[role]));

/** All measured values, without anything computed from them. */
export function measuredTables(measurement: Measurement): Table[] {
  return [
    throughput(measurement),
    overhead(measurement),
    costs(measurement),
    opens(measurement),
    ...(measurement.saturation ? [saturationTable(measurement.saturation)] : []),
    commands(measurement),
    processes(measurement),
    ...(measurement.idle.enginesMiB ? [engines(measurement.idle.enginesMiB)] : []),
  ];
}

/** What one Redis carries at 100 % of a core. */
export function saturationTable(saturation: readonly Saturation[]): Table {
  return {
    title: 'Documents a second of one Redis that is busy all the time',
    rows: saturation.map((one) => ({
      operation: OPERATIONS[one.operation].title,
      server: ROLE_NAMES[one.server],
      'documents/s of a whole core': figure(one.perSecond),
      'CPU ms a document': figure(1000 / one.perSecond),
      'measured documents/s': figure(one.measuredPerSecond),
      'with % of a core': figure(100 * one.share),
      'busy %': figure(100 * one.busy),
      'commands a document': figure(one.commands),
    })),
  };
}

function throughput({ combinations }: Measurement): Table {
  return {
    title: 'Documents a second, with a next one always there',
    rows: combinations.map((one) => ({
      document: one.document,
      converters: String(one.converters),
      gateways: String(one.gateways),
      callers: String(one.callers),
      'documents/s': figure(one.perSecond),
      'wall p50 ms': figure(one.p50Ms),
      'wall p95 ms': figure(one.p95Ms),
      'CPU ms, all': figure(allCpuMs('convert1', one.cpuMs)),
      ...cpuColumns(one.cpuMs, ['gateway', 'converter', ...BEHIND]),
      'CPU ms, callers': figure(one.cpuMs.load + one.cpuMs.bench),
      'cores in use': figure(one.coresUsed),
    })),
  };
}

function overhead({ alone }: Measurement): Table {
  return {
    title: 'One caller: what gateway and queue add to the work',
    rows: SIZED.map((name) => {
      const one = alone[name];
      return {
        operation: OPERATIONS[name].title,
        'wall p50 ms': figure(one.p50Ms),
        'wall p95 ms': figure(one.p95Ms),
        'wall p50 ms, work': figure(one.workP50Ms),
        'wall p50 ms, rest': figure(one.overheadP50Ms),
        'wall p95 ms, rest': figure(one.overheadP95Ms),
        'CPU ms, all': figure(allCpuMs(name, one.cpuMs)),
        'CPU ms, workers': figure(workersCpuMs(name, one.cpuMs)),
        ...cpuColumns(one.cpuMs, ['gateway', ...BEHIND]),
      };
    }),
  };
}

function costs({ operations }: Measurement): Table {
  const entries = Object.entries(operations) as [OperationName, Figures][];
  return {
    title: 'CPU of one request, with four callers',
    rows: entries.map(([name, one]) => {
      const { title, workers } = OPERATIONS[name];
      const worker = workers.map((role) => `${figure(one.cpuMs[role])} ${role}`).join(' + ');
      return {
        operation: title,
        'requests/s': figure(one.perSecond),
        'wall p50 ms': figure(one.p50Ms),
        'CPU ms, all': figure(allCpuMs(name, one.cpuMs)),
        'CPU ms, gateway': figure(one.cpuMs.gateway),
        'CPU ms, workers': worker,
        ...cpuColumns(one.cpuMs, BEHIND),
        'document KB': `${figure(one.documentBytes / 1000)} → ${figure(one.resultBytes / 1000)}`,
        'Redis commands': figure(one.commands.queue + one.commands.blobs),
      };
    }),
  };
}

function opens(measurement: Measurement): Table {
  return {
    title: 'Document opens, one collector that counts too',
    rows: measurement.opens.map((one) => ({
      'events a payload': String(one.eventsAPayload),
      'accepted/s': figure(one.perSecond),
      'accepted and counted/s': figure(one.countedPerSecond),
      'CPU µs an event': figure(one.serviceUs),
      'PostgreSQL µs': figure(one.databaseUs),
    })),
  };
}

function commands({ operations }: Measurement): Table {
  const { byName } = operations.convert1.commands;
  const most = Object.entries(byName).toSorted(([, a], [, b]) => b - a);
  return {
    title: 'Redis commands of one conversion, those in scripts included',
    rows: [Object.fromEntries(most.slice(0, COMMANDS_SHOWN).map(([name, calls]) => [name, figure(calls)]))],
  };
}

function processes({ idle, operations, combinations }: Measurement): Table {
  const roles = [
    'gateway',
    'converter',
    'annotator',
    'signer',
    'verifier',
    'queueRedis',
    'blobRedis',
  ] as const;
  const most = (role: Role): number =>
    Math.max(...[...Object.values(operations), ...combinations].map(({ memoryMiB }) => memoryMiB[role] ?? 0));
  return {
    title: 'One process of each kind, with what is below it',
    rows: roles.map((role) => ({
      process: ROLE_NAMES[role],
      'CPU ms a second with nothing to do': figure(idle.cpuMs[role]),
      'memory (PSS) with nothing to do, MiB': idle.memoryMiB ? figure(idle.memoryMiB[role] ?? 0) : '–',
      'most memory (PSS), MiB': figure(most(role)),
    })),
  };
}

/** Converters share most of their engines' pages, which count once here. */
function engines(enginesMiB: Record<string, number>): Table {
  return {
    title: 'One converter with nothing to do, by engines',
    rows: Object.entries(enginesMiB).map(([count, mib]) => ({
      engines: count,
      'memory (PSS), MiB': figure(mib),
    })),
  };
}
