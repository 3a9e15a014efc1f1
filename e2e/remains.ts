import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Deployment, until } from './service.ts';

export function redisCommand({ redis }: Pick<Deployment, 'redis'>, ...words: string[]): string {
  return execFileSync('redis-cli', ['-s', redis.url, ...words], { encoding: 'utf8' }).trim();
}

/** Jobs that a worker has begun. */
export function jobsInWork(deployment: Deployment): number {
  return Number(redisCommand(deployment, 'LLEN', '{scriptorium}:convert:active'));
}

export function untilInWork(deployment: Deployment): Promise<void> {
  return until('a job is in work', () => jobsInWork(deployment) > 0);
}

/** Keys that hold a document, a job, a reply, or a place in flight. */
export function remainsInRedis(deployment: Deployment): string[] {
  const keys = redisCommand(deployment, '--raw', 'KEYS', '{scriptorium}:*').split('\n');
  return keys.filter((key) => /:blob:|:places:|:reply:|:convert:(req_|active|wait|prioritized$)/.test(key));
}

/** Files of documents in the folders of the converters that this deployment has had. */
export function remainsInFolders({ converters }: Deployment): string[] {
  const owners = converters.map(({ child }) => `scriptorium-engine-${child.pid}-`);
  return ['/dev/shm', '/tmp'].filter(existsSync).flatMap((root) =>
    readdirSync(root)
      .filter((name) => owners.some((owner) => name.startsWith(owner)))
      .flatMap((name) => documentsUnder(join(root, name))),
  );
}

function documentsUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /job-\d+\/.*\.(docx|pdf)$/.test(name))
    .map((name) => join(folder, name));
}
