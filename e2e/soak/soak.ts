import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SERVICE_LIST } from '@scriptorium/contracts/services';
import { stackEnvironment, startStack } from '@scriptorium/testing/stack';
import { type Deployment, type DeployOptions, deploy, ONE_OF_EACH } from '../service.ts';
import { measureBurst } from './burst.ts';
import { measureRecovery } from './recovery.ts';
import { measureShares, type Table } from './shares.ts';
import { holdSteady, measureCapacity } from './steady.ts';

/** Percent of the machine's capacity; above it, queues grow by chance alone. */
const LOAD_PERCENT = 70;

/** As many engines and threads as by default. */
const THREADS = Object.fromEntries(
  SERVICE_LIST.flatMap(({ scaling }) => (scaling ? [[scaling.threads, String(availableParallelism())]] : [])),
);

interface Run {
  minutes: number;
  /** Percent of the capacity, for the even load. */
  load: number;
  /** The parts of the run. By default all. */
  only: 'shares' | 'steady' | 'all';
  table: Table;
}

/** Prints each finding, and returns whether the service kept its promises for that time. */
async function soak({ minutes, load, only, table }: Run): Promise<boolean> {
  const settings = {
    ...THREADS,
    // An attack must meet the shares of the service, and not a limit of requests per minute.
    KEY_REQUESTS_PER_MINUTE_MAX: '1000000',
    KEY_ROWS_PER_MINUTE_MAX: '1000000',
  };
  const steady = async (service: Deployment) =>
    holdSteady(service, (load / 100) * (await measureCapacity(service)), minutes);
  if (only === 'steady') return withDeployment(settings, steady);
  const isShared = await withDeployment(settings, (service) => measureShares(service, table), ONE_OF_EACH);
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
    attacks: { type: 'string' },
    operations: { type: 'string' },
    calls: { type: 'string', default: '10' },
  },
});
const minutes = Number(values.minutes);
const load = Number(values.load);
const table = {
  attacks: values.attacks?.split(','),
  operations: values.operations?.split(','),
  calls: Number(values.calls),
};
if (!(minutes > 0 && load > 0 && table.calls > 0))
  throw new Error('--minutes, --load and --calls require numbers above 0');
const only = values.shares ? 'shares' : values.steady ? 'steady' : 'all';
const stack = await startStack();
Object.assign(process.env, stackEnvironment(stack));
try {
  process.exitCode = (await soak({ minutes, load, only, table })) ? 0 : 1;
} finally {
  await stack.stop();
}
