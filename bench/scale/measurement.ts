import { percentile } from '../measure.ts';
import type { CpuSeconds, Sample } from './drive.ts';
import type { OperationName, SizedName } from './operations.ts';
import { ROLES, type Role } from './stand.ts';

/** One kind of request under one load: means over all samples, per document unless stated otherwise. */
export interface Figures {
  documents: number;
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  /** The worker's own processing time, without waiting. */
  workP50Ms: number;
  /** The rest of the same response time: HTTP, gateway, queue, waiting. */
  overheadP50Ms: number;
  overheadP95Ms: number;
  cpuMs: CpuSeconds;
  /** CPU seconds per second: of everything measured including the callers, and of other processes. */
  coresUsed: number;
  coresOfOthers: number;
  documentBytes: number;
  resultBytes: number;
  /** Calls of each command, including those in scripts; commands below one half are only in the sums. */
  commands: { queue: number; blobs: number; byName: Record<string, number> };
  memoryMiB: Partial<Record<Role, number>>;
}

/** What one Redis carries if it is busy all the time. */
export interface Saturation {
  operation: OperationName;
  server: 'queueRedis' | 'blobRedis';
  documents: number;
  /** By a whole core. */
  perSecond: number;
  /** With the share of a core that the server had. */
  measuredPerSecond: number;
  share: number;
  /** Share of the CPU time available to it that it used. */
  busy: number;
  /** Number for one document, including those in scripts. */
  commands: number;
}

/** The result of one run; stored as JSON. */
export interface Measurement {
  /** ISO 8601. */
  measuredAt: string;
  seconds: number;
  rounds: number;
  machine: { cpu: string; cores: number; memoryGiB: number; node: string };
  /** Mean number of running or runnable processes, over a minute, before and after. */
  load: { before: number; after: number };
  /** From the start of a converter until it takes jobs: the mean of those that were started separately. */
  converterStartSeconds?: number | undefined;
  combinations: ({ document: string; converters: number; gateways: number; callers: number } & Figures)[];
  /** One caller, one gateway, one worker of each kind, no balancer. */
  alone: Record<SizedName, Figures>;
  operations: Record<OperationName, Figures>;
  opens: {
    eventsAPayload: number;
    perSecond: number;
    countedPerSecond: number;
    serviceUs: number;
    databaseUs: number;
  }[];
  /** Measurements of earlier versions have none. */
  saturation?: Saturation[];
  /** Without load: CPU ms and commands per second. */
  idle: {
    cpuMs: Record<Role, number>;
    commands: { queue: number; blobs: number };
    memoryMiB?: Partial<Record<Role, number>>;
    /** Memory of a converter, by number of engines. */
    enginesMiB?: Record<string, number>;
  };
}

const CALLS_MIN = 0.5;

export const total = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

/** The figures of samples that were taken in the same way. */
export function summarize(samples: readonly Sample[]): Figures {
  const latenciesMs = samples.flatMap((sample) => sample.latenciesMs);
  const workMs = samples.flatMap((sample) => sample.workMs);
  const overheadMs = latenciesMs.map((ms, index) => ms - (workMs[index] ?? 0));
  const documents = latenciesMs.length;
  const seconds = total(samples.map((sample) => sample.seconds));
  const cpu = (name: keyof CpuSeconds): number => total(samples.map(({ cpuSeconds }) => cpuSeconds[name]));
  const commands = (role: 'queue' | 'blobs'): number =>
    total(samples.map((sample) => total(Object.values(sample.commands[role])))) / documents;
  const byName: Record<string, number> = {};
  for (const calls of samples.flatMap((sample) => [sample.commands.queue, sample.commands.blobs]))
    for (const [name, count] of Object.entries(calls)) byName[name] = (byName[name] ?? 0) + count / documents;
  const names = [...ROLES, 'load', 'bench', 'others'] as const;
  const cpuMs = Object.fromEntries(names.map((name) => [name, (1000 * cpu(name)) / documents])) as CpuSeconds;
  const { others, ...known } = cpuMs;
  return {
    documents,
    perSecond: documents / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p95Ms: percentile(latenciesMs, 0.95),
    workP50Ms: percentile(workMs, 0.5),
    overheadP50Ms: percentile(overheadMs, 0.5),
    overheadP95Ms: percentile(overheadMs, 0.95),
    cpuMs,
    coresUsed: (total(Object.values(known)) * documents) / seconds / 1000,
    coresOfOthers: (others * documents) / seconds / 1000,
    documentBytes: total(samples.map((sample) => sample.documentBytes)) / documents,
    resultBytes: total(samples.map((sample) => sample.resultBytes)) / documents,
    commands: {
      queue: commands('queue'),
      blobs: commands('blobs'),
      byName: Object.fromEntries(Object.entries(byName).filter(([, count]) => count >= CALLS_MIN)),
    },
    memoryMiB: mostOf(samples.map(({ memoryMiB }) => memoryMiB)),
  };
}

function mostOf(samples: readonly Partial<Record<Role, number>>[]): Partial<Record<Role, number>> {
  const entries = ROLES.map(
    (role) => [role, Math.max(0, ...samples.map((sample) => sample[role] ?? 0))] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value > 0));
}
