import type { ApiKey } from '@scriptorium/client';
import { isKept, keepForTab, key, type Rate, rate } from '../key.ts';
import { Toggle } from '../parts/controls.tsx';
import { limits } from '../service.ts';
import { counted, inBytes, inTime } from '../words.ts';
import { keys, leave } from './usage-state.ts';

const DAY_MS = 86_400_000;

/** The key that the page uses, or its trial. */
export function YourKey() {
  const { value } = key;
  if (value === null) return null;
  if (value.trial !== undefined) {
    const { left, expiresAt } = value.trial;
    return (
      <section class="card" aria-label="Your trial">
        <h2>A trial key, without sign-up</h2>
        <p>
          {counted(left, 'document')} left, until{' '}
          {new Date(expiresAt).toLocaleTimeString('en', { timeStyle: 'short' })}. It signs with a development
          key, and leaves no counts.
        </p>
      </section>
    );
  }
  return (
    <section class="card" aria-label="Your key">
      <h2>
        Your key ends in <code>{value.text.slice(-4)}</code>
      </h2>
      <Toggle label="Keep it for this tab, until it is closed" checked={isKept.value} onChange={keepForTab} />
      <button type="button" onClick={leave}>
        Forget it here
      </button>
    </section>
  );
}

/** What the key may still do, as far as the service says it: its own limits come before those of the service. */
export function Left() {
  const { value } = limits;
  if (value === null) return null;
  const { sizes, rates, times } = value;
  const { limits: own = {}, ...used } = keys.value?.find(({ current }) => current) ?? ({} as Partial<ApiKey>);
  const perMinute = rate.value?.limit ?? own.requestsPerMinute ?? rates.requestsPerMinuteMax;
  return (
    <section class="card" aria-label="What is left">
      <h2>{key.value === null ? 'Limits of a key' : 'What is left'}</h2>
      {rate.value !== null && <RateMeter rate={rate.value} />}
      <dl>
        {used.scopes !== undefined && (
          <>
            <dt>May use</dt>
            <dd>{used.scopes === null ? 'Every operation' : used.scopes.join(', ')}</dd>
          </>
        )}
        {used.expiresAt !== undefined && (
          <>
            <dt>Ends</dt>
            <dd>{used.expiresAt === null ? 'Never' : endWords(used.expiresAt)}</dd>
          </>
        )}
        <dt>Requests per minute</dt>
        <dd>{perMinute.toLocaleString('en')}</dd>
        <dt>At a time</dt>
        <dd>{own.requestsInFlight ?? rates.requestsInFlightMax}</dd>
        <dt>Rows per minute</dt>
        <dd>{(own.rowsPerMinute ?? rates.rowsPerMinuteMax).toLocaleString('en')}</dd>
        <dt>Document</dt>
        <dd>{inBytes(key.value?.trial?.documentBytesMax ?? sizes.documentBytesMax)}</dd>
        <dt>Time of a request</dt>
        <dd>{times.requestMsMax / 1_000} s</dd>
      </dl>
    </section>
  );
}

/** As the last answer had it: after its minute, all requests are there again. */
function RateMeter({ rate: { limit, left, resetsAt } }: { rate: Rate }) {
  const words = `${left.toLocaleString('en')} of ${counted(limit, 'request')}`;
  return (
    <p class="left">
      <meter min={0} max={limit} value={left} low={limit / 10} aria-label="Requests left" />
      <span>
        {words} left until {new Date(resetsAt).toLocaleTimeString('en', { timeStyle: 'medium' })}
      </span>
    </p>
  );
}

function endWords(iso: string): string {
  const days = Math.max(0, Math.floor((Date.parse(iso) - Date.now()) / DAY_MS));
  return `${inTime(iso)}, in ${counted(days, 'day')}`;
}
