import { signal } from '@preact/signals';
import type { ApiKey, Usage } from '@scriptorium/client';
import { checkKey, forgetKey, isTrial, keepForTab, key, redeemCode, requestCode, useKey } from '../key.ts';
import { Operation } from '../operation.ts';
import { type Problem, problemOf } from '../problem.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

export const usage = signal<Usage | null>(null);
export const keys = signal<ApiKey[] | null>(null);
export const operation = new Operation();

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The days that the chart shows, the last of them today (UTC). */
export const shownDays = (): string[] =>
  Array.from({ length: DAYS }, (_, at) => dayOf(Date.now() - (DAYS - 1 - at) * DAY_MS));

/** What the page asks for: the counts of these days by operation. */
export const usageQuery = () =>
  ({
    from: dayOf(Date.now() - (DAYS - 1) * DAY_MS),
    to: dayOf(Date.now() + DAY_MS),
    granularity: 'day',
    groupBy: 'operation',
  }) as const;

/** A trial leaves no counts. */
export function load(): void {
  if (key.value === null || isTrial.value) return;
  void operation.run(async (client, signal) => {
    // A key may be limited to one of them.
    const [counts, list] = await Promise.allSettled([
      client.usage({ ...usageQuery(), signal }),
      client.keys.list({ signal }),
    ]);
    if (counts.status === 'fulfilled') usage.value = counts.value;
    if (list.status === 'fulfilled') keys.value = list.value;
    for (const { reason } of [counts, list].filter((result) => result.status === 'rejected')) throw reason;
  });
}

export function revoke(id: string, isCurrent: boolean): void {
  void operation.run(async (client, signal) => {
    await client.keys.revoke(id, { signal });
    if (isCurrent) {
      leave();
      return;
    }
    keys.value = await client.keys.list({ signal });
  });
}

export function leave(): void {
  forgetKey();
  usage.value = null;
  keys.value = null;
}

/** The steps to a key: an address, the code of the mail, and the key, which shows once. */
export type Step = { at: 'address' } | { at: 'code'; registration: string } | { at: 'key'; text: string };
export const step = signal<Step>({ at: 'address' });
export const email = signal('');
export const emailCode = signal('');
export const keep = signal(false);
export const isBusy = signal(false);
export const problem = signal<Problem | null>(null);

async function attempt(work: () => Promise<void>): Promise<void> {
  isBusy.value = true;
  problem.value = null;
  try {
    await work();
  } catch (error) {
    problem.value = problemOf(error);
  } finally {
    isBusy.value = false;
  }
}

export const askForCode = (): Promise<void> =>
  attempt(async () => {
    const registration = await requestCode(email.value.trim());
    emailCode.value = '';
    step.value = { at: 'code', registration };
  });

export const sendCode = (): Promise<void> =>
  attempt(async () => {
    const { value } = step;
    if (value.at !== 'code') return;
    const text = await redeemCode(email.value.trim(), emailCode.value.trim(), value.registration);
    step.value = { at: 'key', text };
  });

/** Takes a key if the service knows it. */
export const acceptKey = (text: string): Promise<void> =>
  attempt(async () => {
    await checkKey(text.trim());
    useKey(text.trim());
    keepForTab(keep.value);
    step.value = { at: 'address' };
    load();
  });
