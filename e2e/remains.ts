import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, until } from './service.ts';

/** A frozen Redis must not block the test that queries it. */
const COMMAND_MS_MAX = 20_000;

export function redisCommand({ redis }: Pick<Deployment, 'redis'>, ...words: string[]): string {
  const options = { encoding: 'utf8', timeout: COMMAND_MS_MAX } as const;
  return execFileSync('redis-cli', ['-s', redis.url, ...words], options).trim();
}

/** Jobs that a worker has started. */
export function jobsInWork(deployment: Deployment, queue = 'convert'): number {
  return Number(redisCommand(deployment, 'LLEN', `{scriptorium}:${queue}:active`));
}

export function untilInWork(deployment: Deployment, queue?: string): Promise<void> {
  return until('a job is in work', () => jobsInWork(deployment, queue) > 0);
}

/** Keys of documents, jobs, replies, or reservations in flight. */
export function remainsInRedis(deployment: Deployment): string[] {
  const keys = redisCommand(deployment, '--raw', 'KEYS', '{scriptorium}:*').split('\n');
  return keys.filter((key) =>
    /:blob:|:places:|:reply:|:(convert|annotate|generate|merge|join|inspect|sign|verify|signing-key):(req_|active|wait|prioritized$)/.test(
      key,
    ),
  );
}

/** Every file in the folders of all converters of this deployment, including ended ones. */
export function filesInFolders({ converters }: Deployment): string[] {
  const owners = converters.map(({ child }) => `scriptorium-engine-${child.pid}-`);
  return [...new Set(['/dev/shm', tmpdir()])].filter(existsSync).flatMap((root) =>
    readdirSync(root)
      .filter((name) => owners.some((owner) => name.startsWith(owner)))
      .flatMap((name) => filesUnder(join(root, name))),
  );
}

/** Files with a document, received or converted. */
export function remainsInFolders(deployment: Deployment): string[] {
  return filesInFolders(deployment).filter((name) => /\/job-\d+\/.*\.(docx|pdf)$/.test(name));
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  } catch {
    // Something in it, or the folder itself, was removed at that moment.
    return existsSync(folder) ? filesUnder(folder) : [];
  }
}
