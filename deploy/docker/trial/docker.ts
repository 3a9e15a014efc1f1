import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** The checkout whose files are tried: where `npm run` starts. */
export const checkout = process.cwd();
export const URL = 'http://127.0.0.1:8080';
/** The project of Docker Compose, also for the scripts of the guides. */
export const PROJECT = 'scriptorium-try';
process.env.COMPOSE_PROJECT_NAME = PROJECT;
/** For each step: whatever hangs fails. */
const STEP_MS_MAX = 900_000;
/** The same for the build of all images. */
const BUILD_MS_MAX = 1_800_000;

/** One `ok` or `FAIL` line. A failure is the result of the whole program. */
export function demand(what: string, holds: boolean, detail = ''): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
  if (!holds) process.exitCode = 1;
}

const options = { cwd: checkout, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: STEP_MS_MAX } as const;

export function docker(...words: string[]): string {
  return execFileSync('docker', words, { ...options, stdio: 'pipe' });
}

/** Builds what the bake file names. */
export function bake(): void {
  const words = ['buildx', 'bake', '-f', 'deploy/docker/docker-bake.hcl'];
  execFileSync('docker', words, { ...options, stdio: 'pipe', timeout: BUILD_MS_MAX });
}

/** Runs commands of a guide. */
export function shell(commands: string): void {
  execFileSync('sh', ['-euc', commands], { ...options, stdio: 'pipe' });
}

const run = promisify(execFile);

/** The same while this process goes on, such as with calls. */
export const shellAside = (commands: string): Promise<unknown> => run('sh', ['-euc', commands], options);

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
export const REDIS_COPIES: Files = {
  name: 'production with copies of Redis',
  paths: [...PRODUCTION.paths, `${OVERLAYS}/compose.redis-copies.yml`],
};

/** The options of `docker compose` for these files. */
export const optionsOf = ({ paths }: Files): string[] => paths.flatMap((path) => ['-f', path]);

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
