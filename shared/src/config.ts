import { SERVICE_LIST } from '@scriptorium/contracts/services';
import { z } from 'zod';

/** A value that does not appear in logs, JSON or error texts. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}

/** A setting with a secret of at least `minLength` characters. */
export const secret = (minLength = 1) =>
  z
    .string()
    .min(minLength, { error: `must have at least ${minLength} characters`, abort: true })
    .transform((value) => new Secret(value));

/** PostgreSQL also takes the folder of its socket as a parameter. */
function hasHost(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, searchParams } = new URL(text);
  return hostname !== '' || searchParams.has('host');
}

/** A setting with a secret URL of one of these protocols, such as `postgres:`. */
export const secretUrl = (protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => hasHost(value) && protocols.includes(new URL(value).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}, with a host`,
    )
    .transform((value) => new Secret(value));

/** A setting with an integer within bounds, in decimal digits. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** A boolean setting: `true` or `false`. */
export const flag = () => z.enum(['true', 'false']).transform((value) => value === 'true');

/** A Redis address: `redis://`, `rediss://`, or the absolute path of a unix socket. It may contain a password. */
export const redisUrl = () =>
  z
    .string()
    .refine(
      (text) => /^\/\S+$/.test(text) || (/^rediss?:\/\/\S+$/.test(text) && hasHost(text)),
      'must start with redis:// or rediss:// and have a host, or be an absolute socket path',
    )
    .transform((value) => new Secret(value));

/** Reports all mistakes in the settings at once. The message contains names of settings, but no values. */
export class ConfigError extends Error {
  readonly mistakes: string[];

  constructor(mistakes: string[]) {
    super(`${mistakes.length} mistake(s) in the settings:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`);
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/** Makes a setting conditional: it is ignored unless the setting `name` has this value. */
export const readWhere = <Setting extends z.ZodType>(
  name: string,
  value: string,
  setting: Setting,
): Setting => setting.meta({ ...setting.meta(), readWhere: { name, value } });

function isRead(setting: z.ZodType, environment: NodeJS.ProcessEnv): boolean {
  const condition = setting.meta()?.readWhere as { name: string; value: string } | undefined;
  return condition === undefined || environment[condition.name] === condition.value;
}

/**
 * Reads the settings of a service from the environment and freezes them.
 * An empty variable counts as not set. Throws ConfigError with all mistakes.
 */
export function loadConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const raw: Record<string, string> = {};
  for (const [name, setting] of Object.entries(schema.shape as unknown as Record<string, z.ZodType>)) {
    const value = environment[name];
    if (value !== undefined && value !== '' && isRead(setting, environment)) raw[name] = value;
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return Object.freeze(parsed.data);
  const mistakes = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return raw[name] === undefined ? `${name} is not set` : `${name}: ${issue.message}`;
  });
  throw new ConfigError([...new Set(mistakes)]);
}

/** A setting with the address of a port that a service opens. */
export const host = () =>
  z.string().regex(/^[\w.:%-]+$/, 'must be an address or the name of a host, without a port');

/** Settings of every service. */
export const commonSettings = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('production')
    .describe('Kind of deployment'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum severity of log lines'),
  REDIS_URL: redisUrl().describe('Redis of the queues: `redis://…` or the path of a unix socket'),
  REDIS_BLOB_URL: redisUrl()
    .optional()
    .describe('Redis that holds document bytes while a job runs. By default `REDIS_URL`'),
  REDIS_SENTINELS: z
    .string()
    .transform((text) =>
      text.split(',').map((place) => (place.includes('://') ? place.trim() : `redis://${place.trim()}`)),
    )
    .refine(
      (places) => places.every((place) => /^rediss?:\/\/\S+$/.test(place) && hasHost(place)),
      'must be host:port, redis://… or rediss://…, separated by commas',
    )
    .transform((places) => new Secret(places.join()))
    .optional()
    .describe(
      'Comma-separated addresses of the sentinels of Redis. The host of `REDIS_URL` and `REDIS_BLOB_URL` is then the name that they give a server',
    ),
  REDIS_CA_FILE: z
    .string()
    .optional()
    .describe('Certificates in PEM of the authorities of `rediss://` servers. By default those of Node'),
};

/** Settings of the internal port. Each service has a different default, so that all can run on one host. */
export const internalSettings = (port: number) => ({
  INTERNAL_HOST: host()
    .default('127.0.0.1')
    .describe('Address of the internal port. It must not be reachable from the internet'),
  INTERNAL_PORT: integer(0, 65_535)
    .default(port)
    .describe('Internal port with `/metrics`, `/livez` and `/readyz`. 0 picks a free port')
    .meta({
      defaultText: `${SERVICE_LIST.map(({ internalPort }) => internalPort).join(', ')}, in this order`,
    }),
});
