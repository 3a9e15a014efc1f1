import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { stackEnvironment, startStack } from '@scriptorium/testing/stack';
import { type Deployment, type DeployOptions, deploy, ONE_OF_EACH } from '../service.ts';
import { measureBatch } from './batch-beside.ts';
import { measureBurst } from './burst.ts';
import { measureIdle, measureSockets } from './connections.ts';
import { measureFairness } from './fairness.ts';
import { measureRecovery } from './recovery.ts';
import { measureSlowDocuments } from './slow-documents.ts';
import { holdSteady, measureCapacity } from './steady.ts';

/** Percent of the machine's capacity; above it, queues grow by chance alone. */
const LOAD_PERCENT = 70;

/** The slow documents meet the shares of the service, and not a limit of requests per minute. */
const SLOW = { KEY_CONCURRENCY_MAX: '10' };

interface Run {
  minutes: number;
  /** Percent of the capacity, for the even load. */
  load: number;
  /** The parts of the run. By default all. */
  only: 'shares' | 'steady' | 'all';
}

/** Prints each finding, and returns whether the service kept its promises for that time. */
async function soak({ minutes, load, only }: Run): Promise<boolean> {
  const settings = {
    ENGINES: String(availableParallelism()),
    KEY_REQUESTS_PER_MINUTE_MAX: '1000000',
    KEY_ROWS_PER_MINUTE_MAX: '1000000',
  };
  const steady = async (service: Deployment) =>
    holdSteady(service, (load / 100) * (await measureCapacity(service)), minutes);
  if (only === 'steady') return withDeployment(settings, steady);
  const own = { ...settings, ...SLOW };
  let isShared = await withDeployment(settings, measureFairness);
  for (const measure of [measureSlowDocuments, measureBatch, measureSockets, measureIdle])
    isShared = (await withDeployment(own, measure, { annotators: 1 })) && isShared;
  if (only === 'shares') return isShared;
  const isBack = await withDeployment(settings, measureRecovery, ONE_OF_EACH);
  const isQuick = await withDeployment({ ...settings, QUEUE_LENGTH_MAX: '20' }, measureBurst);
  const isSteady = await withDeployment(settings, steady);
  return isShared && isBack && isQuick && isSteady;
}

async function withDeployment(
  settings: Record<string, string>,
  measure: (service: Deployment) => Promise<boolean>,
  workers: DeployOptions = {},
): Promise<boolean> {
  const service = await deploy({ ...workers, settings });
  try {
    return await measure(service);
  } finally {
    await service.close();
  }
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    load: { type: 'string', default: String(LOAD_PERCENT) },
    shares: { type: 'boolean', default: false },
    steady: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const load = Number(values.load);
if (!(minutes > 0 && load > 0)) throw new Error('--minutes and --load require numbers above 0');
const only = values.shares ? 'shares' : values.steady ? 'steady' : 'all';
const stack = await startStack();
Object.assign(process.env, stackEnvironment(stack));
try {
  process.exitCode = (await soak({ minutes, load, only })) ? 0 : 1;
} finally {
  await stack.stop();
}
