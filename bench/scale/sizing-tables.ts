import { ROLE_NAMES } from './measured-tables.ts';
import type { Figures, Measurement, Saturation } from './measurement.ts';
import { OPERATIONS, type OperationName, SIZED, type Worker } from './operations.ts';
import { meanWait, type Pod, podsFor } from './sizing.ts';
import { figure, type Table } from './table.ts';

/**
 * The request of a pod of each kind, and its target utilization. Gateways and collectors have one thread that limits
 * them.
 */
export const PODS: Record<'gateway' | 'telemetry' | Worker, Pod> = {
  gateway: { cores: 1, utilization: 0.6 },
  converter: { cores: 2, utilization: 0.7 },
  annotator: { cores: 1, utilization: 0.7 },
  signer: { cores: 1, utilization: 0.7 },
  verifier: { cores: 1, utilization: 0.7 },
  telemetry: { cores: 1, utilization: 0.6 },
};
/** For the one thread of a Redis that runs commands. */
const REDIS_UTILIZATION = 0.6;
const OPENS_A_RATE = 100;
const RATE_OF_FLIGHT = 100;
/** The gateway's default limit (`QUEUE_WAIT_MS_MAX`). */
const SECONDS_WAITED = 30;
const MIB = 2 ** 20;
const MEGABYTE = 1_000_000;

/** What follows from a measurement for these rates, requests per second. */
export function sizingTables(measurement: Measurement, rates: readonly number[]): Table[] {
  return [
    pods(measurement, rates),
    onePod(measurement),
    larger(measurement),
    collectors(measurement, rates),
    inFlight(measurement),
    limits(measurement),
    waits(),
  ];
}

function podsOf(name: OperationName, { cpuMs }: Figures, perSecond: number): string {
  const workers = OPERATIONS[name].workers.map(
    (role) => `${role} ${podsFor(perSecond, cpuMs[role] / 1000, PODS[role])}`,
  );
  const gateways = `gateway ${podsFor(perSecond, cpuMs.gateway / 1000, PODS.gateway)}`;
  return [...workers, gateways].join(', ');
}

function pods({ operations }: Measurement, rates: readonly number[]): Table {
  return {
    title: 'Pods by requests a second',
    rows: SIZED.map((name) => ({
      operation: OPERATIONS[name].title,
      ...Object.fromEntries(
        rates.map((rate) => [`${rate.toLocaleString('en')}/s`, podsOf(name, operations[name], rate)]),
      ),
    })),
  };
}

function collectors({ opens }: Measurement, rates: readonly number[]): Table {
  return {
    title: 'Collectors by document opens a second, and cores of PostgreSQL',
    rows: opens.map(({ eventsAPayload, serviceUs, databaseUs }) => ({
      'events a payload': String(eventsAPayload),
      ...Object.fromEntries(
        rates.map((rate) => {
          const perSecond = rate * OPENS_A_RATE;
          const cores = figure((perSecond * databaseUs) / 1_000_000);
          const count = podsFor(perSecond, serviceUs / 1_000_000, PODS.telemetry);
          return [`${perSecond.toLocaleString('en')}/s`, `${count}, ${cores} cores`];
        }),
      ),
    })),
  };
}

/** By Little's law: the number in flight is the rate times the time of each. */
function inFlight({ alone, operations }: Measurement): Table {
  return {
    title: `Under way at ${RATE_OF_FLIGHT} requests a second`,
    rows: SIZED.map((name) => {
      const { p50Ms, workP50Ms } = alone[name];
      const { documentBytes, resultBytes } = operations[name];
      const mib = (bytes: number, seconds: number): string =>
        figure((RATE_OF_FLIGHT * bytes * seconds) / MIB);
      return {
        operation: OPERATIONS[name].title,
        'requests at a time': figure((RATE_OF_FLIGHT * p50Ms) / 1000),
        'in work': figure((RATE_OF_FLIGHT * workP50Ms) / 1000),
        'documents in Redis, MiB': mib(documentBytes + resultBytes, p50Ms / 1000),
        [`where each waits ${SECONDS_WAITED} s, MiB`]: mib(documentBytes, SECONDS_WAITED),
      };
    }),
  };
}

/** A busy Redis spends less on each request than one that waits; where it was not measured busy, it carries more. */
function limits({ operations, saturation = [] }: Measurement): Table {
  return {
    title: 'What one server of a kind carries',
    rows: SIZED.map((name) => {
      const { cpuMs, commands } = operations[name];
      const most = (ms: number, utilization: number): string => figure((1000 * utilization) / ms);
      const redis = (server: Saturation['server']): string => {
        const busy = saturation.find((one) => one.operation === name && one.server === server);
        if (busy !== undefined) return most(1000 / busy.perSecond, REDIS_UTILIZATION);
        return `above ${most(cpuMs[server], REDIS_UTILIZATION)}`;
      };
      return {
        operation: OPERATIONS[name].title,
        'gateway/s': most(cpuMs.gateway, PODS.gateway.utilization),
        [`${ROLE_NAMES.queueRedis}/s`]: redis('queueRedis'),
        [`${ROLE_NAMES.blobRedis}/s`]: redis('blobRedis'),
        'commands there': `${figure(commands.queue)} and ${figure(commands.blobs)}`,
        'one core of PostgreSQL/s': most(cpuMs.database, 1),
      };
    }),
  };
}

function larger({ operations }: Measurement): Table {
  const row = (how: string, worker: Worker, small: Figures, large: Figures): Record<string, string> => {
    const megabytes = (large.documentBytes - small.documentBytes) / MEGABYTE;
    const each = (role: 'gateway' | 'blobRedis' | Worker): string =>
      figure((large.cpuMs[role] - small.cpuMs[role]) / megabytes);
    return {
      document: how,
      gateway: each('gateway'),
      worker: `${each(worker)} ${worker}`,
      [ROLE_NAMES.blobRedis]: each('blobRedis'),
    };
  };
  return {
    title: 'CPU ms of each further megabyte',
    rows: [
      row('PDF to sign, in base64, and back', 'signer', operations.sign, operations.signLarge),
      row('PDF to verify, as a file of a form', 'verifier', operations.verify, operations.verifyLarge),
    ],
  };
}

/** What a pod of the worker handles at its target utilization, and the number of concurrent jobs (Little's law). */
function onePod({ alone, operations }: Measurement): Table {
  return {
    title: 'One pod, used as it should be',
    rows: SIZED.flatMap((name) => {
      const { title, workers } = OPERATIONS[name];
      const [role, ...further] = workers;
      // If two kinds of worker run in sequence, their times cannot be separated.
      if (role === undefined || further.length > 0) return [];
      const { cores, utilization } = PODS[role];
      const perSecond = (1000 * cores * utilization) / operations[name].cpuMs[role];
      const jobs = (ms: number): string => figure((perSecond * ms) / 1000);
      return {
        pod: `${role}, ${cores} ${cores === 1 ? 'core' : 'cores'} at ${Math.round(100 * utilization)} %`,
        operation: title,
        'requests/s': figure(perSecond),
        'jobs in work': jobs(alone[name].workP50Ms),
        'requests under way': jobs(alone[name].p50Ms),
      };
    }),
  };
}

function waits(): Table {
  const shares = [0.5, 0.6, 0.7, 0.8, 0.9];
  return {
    title: 'Mean wait for a worker, in times of a job’s own run, by the share of slots in use',
    rows: [1, 2, 4, 8, 20].map((slots) => ({
      'slots (pods × ENGINES)': String(slots),
      ...Object.fromEntries(shares.map((share) => [`${100 * share} %`, figure(meanWait(slots, share))])),
    })),
  };
}
