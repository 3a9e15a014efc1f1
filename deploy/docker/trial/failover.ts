import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '@scriptorium/e2e/readme';
import { checkMeanwhile, convertSample, readSample } from './checks.ts';
import { compose, containersOf, demand, docker, type Files } from './docker.ts';

const CALLS = 50;
/** Sentinels wait for two seconds, and choose for some more. */
const FAILOVER_MS_MAX = 10_000;
const RETURN_MS_MAX = 90_000;

/** Waits until something holds. Resolves with the milliseconds that it took, at most about `max`. */
async function until(max: number, holds: () => boolean | Promise<boolean>): Promise<number> {
  const begin = Date.now();
  while (!(await holds()) && Date.now() - begin < max) await sleep(250);
  return Date.now() - begin;
}

const askSentinel = (files: Files, ...words: string[]): string =>
  compose(files, 'exec', '-T', 'sentinel-1', 'redis-cli', '-p', '26379', 'sentinel', ...words);

/** Kills each server that holds the queues, twice, under calls: its copy takes its place, and it comes back as a copy. */
export async function checkFailovers(files: Files, target: Target): Promise<void> {
  const sample = await readSample();
  for (const name of ['queue', 'queue-copy', 'queue', 'queue-copy']) {
    const [id = ''] = containersOf(files, name);
    let took = 0;
    const fails = async (): Promise<void> => {
      docker('kill', id);
      took = await until(2 * FAILOVER_MS_MAX, async () => (await convertSample(target, sample)) === '200');
    };
    await checkMeanwhile(`the Redis server ${name} is killed under calls`, target, CALLS, fails, ['503']);
    demand('the next document comes soon', took <= FAILOVER_MS_MAX, `after ${took} ms`);
    docker('start', id);
    const isCopy = () =>
      new RegExp(`name\n${name}:6379[^]*?master-link-status\nok`).test(
        askSentinel(files, 'replicas', 'queue'),
      );
    const back = await until(RETURN_MS_MAX, isCopy);
    demand(`${name} is a copy now`, isCopy(), `after ${back} ms`);
  }
}
