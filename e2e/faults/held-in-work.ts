import { jobsInWork } from '../remains.ts';
import { type Deployment, inService, type ServiceProcess, until } from '../service.ts';

/** Stops workers at a moment when one has a job: jobs take milliseconds, so the workers are paused to check. */
export async function heldInWork(
  deployment: Deployment,
  queue: string,
  workers: readonly ServiceProcess[],
): Promise<void> {
  const signal = (name: NodeJS.Signals) => {
    for (const { child } of inService(workers)) child.kill(name);
  };
  await until('a worker is held in its work', () => {
    signal('SIGSTOP');
    if (jobsInWork(deployment, queue) > 0) return true;
    signal('SIGCONT');
    return false;
  });
}
