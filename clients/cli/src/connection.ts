import { type Limits, Scriptorium } from '@scriptorium/client';
import { CliError } from './cli-error.ts';
import { type Io, say } from './io.ts';
import { type Settings, settingsOf } from './settings.ts';

/** The service, and its limits. */
export interface Connection {
  client: Scriptorium;
  /** Asks for the limits once. */
  limits(): Promise<Limits>;
}

/** Opens a connection with the key of the user. Throws if there is none. */
export async function connect(io: Io): Promise<Connection> {
  const settings = await settingsOf(io.env);
  if (settings.apiKey === undefined) throw new CliError('KEY_MISSING', 'The API key is missing.');
  return connectionOf(io, settings);
}

/** A connection, also without a key. */
export function connectionOf(io: Io, { url, apiKey }: Settings): Connection {
  const client = new Scriptorium({
    baseUrl: url,
    ...(apiKey !== undefined && { apiKey }),
    fetch: withNotes(io),
  });
  let limits: Promise<Limits> | undefined;
  return {
    client,
    limits: () => {
      limits ??= client.limits({ signal: io.signal });
      return limits;
    },
  };
}

/** A fetch that says on a terminal that a request waits to be sent again. */
const withNotes =
  ({ stderr }: Io): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, init);
    const seconds = answer.headers.get('retry-after');
    if (stderr.isTTY && seconds !== null)
      say(stderr, `The service is busy (${answer.status}). It asks to wait ${seconds} seconds.`);
    return answer;
  };
