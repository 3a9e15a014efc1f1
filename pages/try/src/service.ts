import { signal } from '@preact/signals';
import type { ErrorCode, Limits } from '@scriptorium/client';
import { Scriptorium } from '@scriptorium/client';

/** What the gateway says of this service in `settings.json`. */
export interface Settings {
  version: string;
  /** What a trial key may do; null if the service gives none. */
  trial: { documentBytesMax: number; operations: number } | null;
  registration: boolean;
  mailboxUrl: string | null;
  remedies: Partial<Record<ErrorCode, string>>;
}

/** The page is at `<base>/try/`, wherever a proxy puts it. */
export const baseUrl = new URL('..', window.location.href).href.replace(/\/$/, '');

export const settings = signal<Settings | null>(null);
export const limits = signal<Limits | null>(null);
export const isOnline = signal(navigator.onLine);

for (const event of ['online', 'offline'])
  window.addEventListener(event, () => {
    isOnline.value = navigator.onLine;
  });

/** The page waits by itself, and shows it: the client must not. */
export const clientOf = (apiKey?: string, fetch?: typeof globalThis.fetch): Scriptorium =>
  new Scriptorium({ baseUrl, retries: 0, ...(apiKey && { apiKey }), ...(fetch && { fetch }) });

export async function loadSettings(): Promise<void> {
  const [found, bounds] = await Promise.all([
    fetch('settings.json').then((response) => response.json() as Promise<Settings>),
    clientOf().limits(),
  ]);
  settings.value = found;
  limits.value = bounds;
}
