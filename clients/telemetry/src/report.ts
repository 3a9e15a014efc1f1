import type { Settings } from './options.ts';
import { CLIENT_VERSION } from './version.ts';

/** Browsers limit the pending `keepalive` requests of a page to 64 KiB in total. */
const METADATA_CHARS_MAX = 8 * 1024;
const METADATA_VALUES_MAX = 1000;
const USER_AGENT_CHARS_MAX = 512;
const URL_CHARS_MAX = 2048;

/** Maximum time for which a silent collector keeps a connection or a Node process open. */
const ANSWER_WAIT_MS_MAX = 30_000;

export interface OpenEvent {
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
  readonly documentId: string;
  readonly documentCreatedAt: string;
}

interface Page {
  readonly location?: { readonly href: string };
  readonly navigator?: { readonly userAgent: string };
  readonly screen?: { readonly width: number; readonly height: number };
}

/** Returns origin and path. User info, query and fragment may contain names and tokens, as may other schemes. */
function publicAddress(href: string | undefined): { currentUrl: string; hostname: string } {
  if (!href || !/^https?:/.test(href)) return { currentUrl: '', hostname: '' };
  const { origin, pathname, hostname } = new URL(href);
  return { currentUrl: (origin + pathname).slice(0, URL_CHARS_MAX), hostname };
}

function browserInfo() {
  const { location, navigator, screen } = globalThis as Page;
  return {
    userAgent: location ? (navigator?.userAgent ?? '').slice(0, USER_AGENT_CHARS_MAX) : '',
    ...publicAddress(location?.href),
    screenSize: { width: screen?.width ?? 0, height: screen?.height ?? 0 },
  };
}

/** Returns a plain copy of the metadata, or `undefined` if it is not a JSON object or exceeds the limits. */
function metadataOf(value: unknown): unknown {
  let values = 0;
  const bounded = (_key: string, inner: unknown) => {
    if (++values > METADATA_VALUES_MAX || (typeof inner === 'string' && inner.length > METADATA_CHARS_MAX))
      throw new RangeError('metadata exceed the limits');
    return inner;
  };
  try {
    const json = JSON.stringify(value, bounded);
    // A UTF-16 code unit has at most three bytes of UTF-8, so 8 Ki of them fit into a request.
    return json?.startsWith('{') && json.length <= METADATA_CHARS_MAX ? JSON.parse(json) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends one event in one request and waits for the answer. Throws if that fails. */
export async function sendEvent(event: OpenEvent, settings: Settings): Promise<void> {
  const metadata = metadataOf(settings.metadata);
  const response = await fetch(settings.endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-License-Key': settings.licenseKey },
    body: JSON.stringify({
      clientVersion: CLIENT_VERSION,
      browserInfo: browserInfo(),
      metadata,
      events: [event],
    }),
    credentials: 'omit',
    keepalive: true,
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(ANSWER_WAIT_MS_MAX),
  });
  await response.body?.cancel();
}
