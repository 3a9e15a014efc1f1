import { execFileSync } from 'node:child_process';

/** The checkout whose files are tried: where `npm run` starts. */
export const checkout = process.cwd();
export const URL = 'http://127.0.0.1:8080';
const PROJECT = 'scriptorium-try';

/** One `ok` or `FAIL` line. A failure is the result of the whole program. */
export function demand(what: string, holds: boolean, detail = ''): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
  if (!holds) process.exitCode = 1;
}

export function docker(...words: string[]): string {
  return execFileSync('docker', words, {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: 'pipe',
  });
}

/** A set of compose files, as the guide to Docker combines them. */
export interface Files {
  name: string;
  paths: readonly string[];
}
const OVERLAYS = 'deploy/docker';
export const TRIAL: Files = { name: 'the trial', paths: ['docker-compose.yml'] };
export const PRODUCTION: Files = {
  name: 'production',
  paths: [...TRIAL.paths, `${OVERLAYS}/compose.production.yml`],
};
export const REDIS_TLS: Files = {
  name: 'production with Redis over TLS',
  paths: [...PRODUCTION.paths, `${OVERLAYS}/compose.redis-tls.yml`],
};

/** The options of `docker compose` for these files. */
const optionsOf = ({ paths }: Files): string[] => ['-p', PROJECT, ...paths.flatMap((path) => ['-f', path])];

export const compose = (files: Files, ...words: string[]): string =>
  docker('compose', ...optionsOf(files), ...words);

/** The containers of a service. */
export const containersOf = (files: Files, service: string): string[] =>
  compose(files, 'ps', '--quiet', service).split('\n').filter(Boolean);

/** The seconds that a step takes. */
export async function seconds(step: () => unknown): Promise<string> {
  const begin = performance.now();
  await step();
  return `${((performance.now() - begin) / 1000).toFixed(1)} s`;
}
