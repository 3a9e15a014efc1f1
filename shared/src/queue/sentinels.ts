import { type RedisOptions, SentinelConnector } from 'ioredis';
import { ConfigError } from '../config.ts';

const PORT = 26_379;
const ANSWER_MS_MAX = 1500;
const RETRY_DELAY_MS = 500;
const RECONNECT_DELAY_MS = 5_000;

/** For a connection that has ended: a frozen server does not close its side. */
const CLOSING_MS_MAX = 100;

/** Two repairs of the connector of ioredis 6.0. */
class Connector extends SentinelConnector {
  constructor(options: ConstructorParameters<typeof SentinelConnector>[0]) {
    super(options);
    const connectTo = Reflect.get(this, 'connectToSentinel');
    // Without a listener it prints errors of sentinels. Health checks and the errors of commands report a lost server.
    Reflect.set(this, 'connectToSentinel', (...words: unknown[]) =>
      connectTo.apply(this, words).on('error', () => undefined),
    );
  }

  /** Otherwise, the news of a failover that comes while the connection is made would end it for ever. */
  override connect(
    ...words: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    Reflect.get(this, 'failoverDetector')?.cleanup();
    return super.connect(...words);
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
    Connector: Connector as NonNullable<RedisOptions['Connector']>,
    name: new URL(url).hostname,
    sentinels: places.map(({ hostname, port }) => ({ host: hostname, port: Number(port || PORT) })),
    ...(username && { sentinelUsername: decodeURIComponent(username) }),
    ...(password && { sentinelPassword: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { sentinelTLS: tls }),
    enableTLSForSentinelMode: true,
    sentinelCommandTimeout: ANSWER_MS_MAX,
    sentinelRetryStrategy: () => RETRY_DELAY_MS,
    // A frozen server closes no connection: its sentinels report that another one has its place.
    failoverDetector: true,
    disconnectTimeout: CLOSING_MS_MAX,
    sentinelReconnectStrategy: () => RECONNECT_DELAY_MS,
    // A server that lost its place executes nothing, so the command may be sent again.
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
  };
}
