import { type RedisOptions, SentinelConnector } from 'ioredis';
import { ConfigError } from '../config.ts';

const PORT = 26_379;
const ANSWER_MS_MAX = 1500;
const RETRY_DELAY_MS = 500;
const RECONNECT_DELAY_MS = 5_000;

/** Prints nothing of sentinels that cannot be reached: health checks and the errors of commands report a lost server. */
class QuietConnector extends SentinelConnector {
  constructor(options: ConstructorParameters<typeof SentinelConnector>[0]) {
    super(options);
    const connect = Reflect.get(this, 'connectToSentinel');
    Reflect.set(this, 'connectToSentinel', (...words: unknown[]) =>
      connect.apply(this, words).on('error', () => undefined),
    );
  }
}

/**
 * Returns the options of a connection to a server that may be replaced by another one. The host of its URL is the name that
 * `sentinels` (URLs, separated by commas) give it. `tls` is for `rediss:`. Throws ConfigError for a socket.
 */
export function throughSentinels(url: string, sentinels: string, tls: RedisOptions['tls']): RedisOptions {
  if (url.startsWith('/'))
    throw new ConfigError(['REDIS_SENTINELS: a server with a socket in place of a URL has no sentinels']);
  const places = sentinels.split(',').map((place) => new URL(place));
  const [{ protocol, username, password } = new URL(url)] = places;
  return {
    Connector: QuietConnector as NonNullable<RedisOptions['Connector']>,
    name: new URL(url).hostname,
    sentinels: places.map(({ hostname, port }) => ({ host: hostname, port: Number(port || PORT) })),
    ...(username && { sentinelUsername: decodeURIComponent(username) }),
    ...(password && { sentinelPassword: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { sentinelTLS: tls }),
    enableTLSForSentinelMode: true,
    sentinelCommandTimeout: ANSWER_MS_MAX,
    sentinelRetryStrategy: () => RETRY_DELAY_MS,
    // A frozen server closes no connection: its sentinels tell that another one has its place.
    failoverDetector: true,
    sentinelReconnectStrategy: () => RECONNECT_DELAY_MS,
    // A server that lost its place executes nothing, so the command may be sent again.
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
  };
}
