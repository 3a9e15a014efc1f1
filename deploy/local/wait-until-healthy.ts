import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './services.ts';

const HEALTHY_MS_MAX = 120_000;

/** Waits until a service reports that it is healthy. */
export async function waitUntilHealthy(baseUrl: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + HEALTHY_MS_MAX;
  let last = 'no response';
  let reportedAt = Date.now();
  while (!signal.aborted) {
    try {
      const answer = await fetch(`${baseUrl}/v1/health`, { signal: AbortSignal.timeout(3_000) });
      last = await answer.text();
      if ((JSON.parse(last) as { status: string }).status === 'healthy') return;
    } catch (error) {
      last = `no response (${error})`;
    }
    if (Date.now() > deadline) throw new StartError(`Not healthy within ${HEALTHY_MS_MAX / 1000} s: ${last}`);
    if (Date.now() - reportedAt > 5_000) {
      console.log(`Waiting for the services … ${last}`);
      reportedAt = Date.now();
    }
    await sleep(100);
  }
}
