import { setTimeout as sleep } from 'node:timers/promises';
import { convertSample, readSample } from './checks.ts';
import { demand, docker } from './docker.ts';

const NAME = 'scriptorium-try-one';
const FIRST_PDF_MS_MAX = 20_000;
const GIVE_UP_MS = 90_000;
const URL = 'http://127.0.0.1:3000';

/** The image with all services: one command to the first PDF. */
export async function tryAllInOne(): Promise<void> {
  const key = docker(
    'run',
    '--rm',
    '--entrypoint',
    'node',
    'scriptorium',
    'services/gateway/dist/keys.js',
    'draw',
  ).trim();
  const sample = await readSample();
  const begin = performance.now();
  docker(
    'run',
    '--detach',
    '--name',
    NAME,
    '--env',
    `API_KEY=${key}`,
    '--publish',
    '127.0.0.1:3000:3000',
    'scriptorium',
  );
  try {
    let [got, took] = ['', 0];
    while (got !== '200' && took < GIVE_UP_MS) {
      got = await convertSample({ url: URL, key }, sample);
      if (got !== '200') await sleep(100);
      took = performance.now() - begin;
    }
    const seconds = `${got} after ${(took / 1000).toFixed(1)} s`;
    demand(
      'one container makes its first PDF within 20 s',
      got === '200' && took <= FIRST_PDF_MS_MAX,
      seconds,
    );
    docker('stop', '--time', '60', NAME);
    const code = docker('inspect', '--format', '{{.State.ExitCode}}', NAME).trim();
    demand('one container stops when asked', code === '0', code);
  } finally {
    docker('rm', '--force', NAME);
  }
}
