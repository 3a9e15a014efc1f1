import { createHash } from 'node:crypto';
import type { JobDefinition } from '@scriptorium/contracts/define-job';
import { type RedisUser, type Role, SERVICES } from '@scriptorium/contracts/services';
import type { z } from 'zod';
import { KEY_PREFIX } from './connection.ts';
import { CANCEL_CHANNEL, engineTimeOf, gatewayLease, replyList, workersOf } from './reply.ts';
import { PUBLISHED } from './service-certificate.ts';

/** The jobs of all workers. A worker needs the queues of those to whom it forwards, but cannot open what others put there. */
export interface Access {
  jobs: readonly Pick<JobDefinition<z.ZodType, z.ZodType>, 'name' | 'role'>[];
  forwardsTo: Partial<Record<Role, readonly Role[]>>;
}

/** Everything but administration, what finds the names of keys, and functions, which all users share. */
const COMMANDS = ['+@all', '-@admin', '-@dangerous', '-scan', '-randomkey', '-function', '-fcall', '+info'];

function workerRules(role: Role, { jobs, forwardsTo }: Access): string[] {
  const roles = [role, ...(forwardsTo[role] ?? [])];
  const queues = jobs.filter((job) => roles.includes(job.role)).map(({ name }) => `${KEY_PREFIX}:${name}:*`);
  const own = jobs.filter((job) => job.role === role).map(({ name }) => workersOf(name));
  const certificate = { signer: [`~${PUBLISHED}`], verifier: [`%R~${PUBLISHED}`] };
  return [
    ...[...queues, ...own, `${KEY_PREFIX}:blob:*`, engineTimeOf('*')].map((pattern) => `~${pattern}`),
    `~${replyList('*')}`,
    `%R~${gatewayLease('*')}`,
    ...(role === 'signer' || role === 'verifier' ? certificate[role] : []),
    `&${CANCEL_CHANNEL}`,
    ...COMMANDS,
  ];
}

/** Returns the rules of a user without its password (https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/). */
function rulesOf(user: RedisUser, access: Access): string[] {
  if (SERVICES[user].jobs === 'takes') return workerRules(user as Role, access);
  return [`~${KEY_PREFIX}:*`, `&${KEY_PREFIX}:*`, ...COMMANDS, '+config|get'];
}

/** Returns the words of a `user` line of Redis. `password` is a rule for the password: `#` and a SHA-256, or `>` and the text. */
export function redisUser(user: RedisUser, password: string, access: Access): string[] {
  return [user, 'reset', 'on', password, ...rulesOf(user, access)];
}

/** Returns the rule for a password that does not reveal it. */
export const hashedPassword = (password: string): string =>
  `#${createHash('sha256').update(password).digest('hex')}`;

/** Connections without a password may only ask whether the server is up. */
export const NOBODY = ['default', 'reset', 'on', 'nopass', '+ping'];

/** Returns the address of a Redis, a URL or the path of a socket, with a user and its password. */
export function asUser(address: string, user: RedisUser, password: string): string {
  if (address.startsWith('/')) return `${address}?${new URLSearchParams({ username: user, password })}`;
  return Object.assign(new URL(address), { username: user, password: encodeURIComponent(password) }).href;
}
