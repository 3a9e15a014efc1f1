import { isUp } from '../health.ts';
import type { Metrics } from './metrics.ts';

/** Shows whether each server that this process needs answers, and is fit: a check that throws says that it is not. */
export function watchDependencies(metrics: Metrics, checks: Record<string, () => Promise<unknown>>): void {
  const up = metrics.gauge('dependency_up', '1 where the server answers and is fit for use, else 0', [
    'dependency',
  ]);
  for (const [dependency, check] of Object.entries(checks))
    metrics.beforePage(async () => {
      up.set({ dependency }, (await isUp(check())) === 'up' ? 1 : 0);
    });
}
