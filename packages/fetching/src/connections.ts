import type { Client } from 'undici';

/** Then the addresses of a server are checked again. */
const KEPT_MS_MAX = 60_000;
const FREE_MAX = 32;

interface Kept {
  client: Client;
  /** Epoch milliseconds: when the addresses were checked. */
  since: number;
}

/** Connections that are kept for further messages to the same servers, for at most a minute. */
export class Connections {
  readonly #free = new Map<string, Kept[]>();
  #count = 0;
  #isClosed = false;

  /** Returns a connection that no message uses. */
  take(origin: string): Kept | undefined {
    const kept = this.#free.get(origin)?.pop();
    if (kept === undefined) return undefined;
    this.#count -= 1;
    if (Date.now() < kept.since + KEPT_MS_MAX) return kept;
    void kept.client.destroy();
    return this.take(origin);
  }

  /** Keeps a connection whose last answer has ended. */
  async keep(origin: string, kept: Kept): Promise<void> {
    if (this.#isClosed || this.#count >= FREE_MAX) return kept.client.destroy();
    const free = this.#free.get(origin);
    if (free === undefined) this.#free.set(origin, [kept]);
    else free.push(kept);
    this.#count += 1;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const free = [...this.#free.values()].flat();
    this.#free.clear();
    await Promise.all(free.map(({ client }) => client.destroy()));
  }
}
