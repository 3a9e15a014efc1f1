import { isUp } from '../health.ts';
import type { Metrics } from './metrics.ts';

/** Reports whether each dependency is available. A check that throws reports 0. */
export function watchDependencies(metrics: Metrics, checks: Record<string, () => Promise<unknown>>): void {
  const up = metrics.gauge(
    'dependency_up',
    '1 if the server answers and is configured correctly, otherwise 0',
    ['dependency'],
  );
  for (const [dependency, check] of Object.entries(checks))
    metrics.beforePage(async () => {
      up.set({ dependency }, (await isUp(check())) === 'up' ? 1 : 0);
    });
}
