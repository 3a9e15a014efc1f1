import { ACCESS } from '@scriptorium/contracts/access';
import {
  asUser,
  hashedPassword,
  REDIS_USERS,
  type RedisUser,
  redisUser,
} from '@scriptorium/shared/queue/access';
import { JOB_SECRETS } from '@scriptorium/shared/secrets/settings';

export type ServiceName = 'gateway' | 'converter' | 'annotator' | 'signer' | 'verifier' | 'telemetry';

const passwordOf = (user: RedisUser): string => `the password of the ${user}`;

/** The settings of one service: its own user of Redis, and of the secrets of jobs only its own. */
export function ownSettings(name: ServiceName, settings: Record<string, string>): Record<string, string> {
  const own = { ...settings };
  for (const [role, secret] of Object.entries(JOB_SECRETS))
    if (name !== 'gateway' && name !== role) delete own[secret];
  if (name !== 'telemetry' && own.REDIS_URL !== undefined)
    own.REDIS_URL = asUser(own.REDIS_URL, name, passwordOf(name));
  return own;
}

/** The arguments of a Redis with the users of the services. The default user, with all rights, is for the tests. */
export const REDIS_ARGUMENTS = REDIS_USERS.flatMap((user) => [
  '--user',
  ...redisUser(user, hashedPassword(passwordOf(user)), ACCESS),
]);
