import { ACCESS } from '@scriptorium/contracts/access';
import { REDIS_USERS } from '@scriptorium/contracts/services';
import { NOBODY, redisUser } from '@scriptorium/shared/queue/access';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';

const serviceUsers = REDIS_USERS.map((user) => redisUser(user, `PASSWORD_${user}`, ACCESS));

/** Probes ask whether the server is up. KEDA asks for the number of jobs in a script, whose key it declares. */
const PROBES_AND_KEDA = [
  ...['default', 'reset', 'on', 'PASSWORD_default'],
  ...['wait', 'prioritized', 'active'].map((state) => `~${KEY_PREFIX}:*:${state}`),
  ...['+ping', '+eval', '+evalsha', '+type', '+llen', '+zcard', '+scard', '+hlen'],
];

const fileOf = (lines: readonly (readonly string[])[]): string =>
  lines.map((words) => `user ${words.join(' ')}\n`).join('');

/** Returns a file of users for Redis (`aclfile`), in which `PASSWORD_<user>` stands for the rule of each password. */
export const redisUsersFile = (): string => fileOf([NOBODY, ...serviceUsers]);

/** The same for the chart. */
export const chartUsersFile = (): string => fileOf([PROBES_AND_KEDA, ...serviceUsers]);
