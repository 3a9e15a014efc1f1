import { ACCESS } from '@scriptorium/contracts/access';
import {
  JOB_SECRETS,
  jobSecretsOf,
  REDIS_USERS,
  type RedisUser,
  SERVICES,
  type ServiceName,
} from '@scriptorium/contracts/services';
import { asUser, hashedPassword, redisUser } from '@scriptorium/shared/queue/access';

const passwordOf = (user: RedisUser): string => `the password of the ${user}`;

/** The settings of one service: its own user of Redis, and of the secrets of jobs only its own. */
export function ownSettings(name: ServiceName, settings: Record<string, string>): Record<string, string> {
  const own = { ...settings };
  const known: string[] = jobSecretsOf({ name, ...SERVICES[name] });
  for (const secret of Object.values(JOB_SECRETS)) if (!known.includes(secret)) delete own[secret];
  const user = REDIS_USERS.find((each) => each === name);
  if (user !== undefined && own.REDIS_URL !== undefined)
    own.REDIS_URL = asUser(own.REDIS_URL, user, passwordOf(user));
  return own;
}

/** The arguments of a Redis with the users of the services. The default user, with all rights, is for the tests. */
export const REDIS_ARGUMENTS = REDIS_USERS.flatMap((user) => [
  '--user',
  ...redisUser(user, hashedPassword(passwordOf(user)), ACCESS),
]);
