import { computed, effect, signal } from '@preact/signals';
import { Scriptorium, ScriptoriumError } from '@scriptorium/client';
import { baseUrl, clientOf, settings } from './service.ts';

/** An API key. A trial key ends by itself. */
export interface Key {
  text: string;
  trial?: { expiresAt: number; left: number; documentBytesMax: number };
}

const STORED = 'scriptorium-key';
const STORED_TRIAL = 'scriptorium-trial';
const MARGIN_MS = 5_000;

/**
 * In memory. `sessionStorage` has an own key only if the visitor wants to keep it for this tab. `localStorage` has a trial
 * key until that ends: one serves all tabs of a browser, however often they are loaded.
 */
export const key = signal<Key | null>(readStored());
export const isKept = signal(key.value !== null && key.value.trial === undefined);

export const isTrial = computed(() => key.value?.trial !== undefined);

effect(() => {
  const { value } = key;
  if (value?.trial !== undefined) localStorage.setItem(STORED_TRIAL, JSON.stringify(value));
});
// Another tab has used the trial, or has a new one.
window.addEventListener('storage', ({ key: name }) => {
  if (name === STORED_TRIAL && (key.value === null || isTrial.value)) key.value = storedTrial();
});

function readStored(): Key | null {
  const text = sessionStorage.getItem(STORED);
  return text === null ? storedTrial() : { text };
}

function storedTrial(): Key | null {
  const trial = JSON.parse(localStorage.getItem(STORED_TRIAL) ?? 'null') as Key | null;
  return trial !== null && isUsable(trial) ? trial : null;
}

/** The service does not know the trial any more. */
export function forgetTrial(): void {
  localStorage.removeItem(STORED_TRIAL);
  key.value = null;
}

export function useKey(text: string): void {
  key.value = { text };
  rate.value = null;
  keepForTab(isKept.value);
}

export function forgetKey(): void {
  key.value = null;
  rate.value = null;
  keepForTab(false);
}

export function keepForTab(keep: boolean): void {
  isKept.value = keep;
  if (keep && key.value !== null && key.value.trial === undefined)
    sessionStorage.setItem(STORED, key.value.text);
  else sessionStorage.removeItem(STORED);
}

function isUsable({ trial }: Key): boolean {
  return trial === undefined || (trial.left > 0 && trial.expiresAt - MARGIN_MS > Date.now());
}

/** A key is needed, and the visitor must get one. */
export class KeyNeeded extends Error {}

/** Returns the client with the key of the visitor, or with a new trial key. Throws KeyNeeded if there is neither. */
export async function keyedClient(): Promise<Scriptorium> {
  if (key.value === null || !isUsable(key.value)) {
    key.value = storedTrial();
    if (key.value !== null) return clientOf(key.value.text, countingFetch);
    if (!settings.value?.trial) throw new KeyNeeded();
    await startTrial();
  }
  return clientOf(key.value?.text, countingFetch);
}

interface TrialAnswer {
  key: string;
  expiresAt: string;
  operations: number;
  documentBytesMax: number;
}

async function startTrial(): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/auth/trial`, { method: 'POST' }).catch((cause) => {
    throw new ScriptoriumError(
      { code: 'CONNECTION_FAILED', message: 'The service could not be reached.' },
      { cause },
    );
  });
  const body = await response.json();
  if (!response.ok) {
    const seconds = response.headers.get('retry-after');
    throw new ScriptoriumError(body, {
      status: response.status,
      ...(seconds !== null && { retryAfterMs: Number(seconds) * 1_000 }),
    });
  }
  const answer = body as TrialAnswer;
  key.value = {
    text: answer.key,
    trial: {
      expiresAt: Date.parse(answer.expiresAt),
      left: answer.operations,
      documentBytesMax: answer.documentBytesMax,
    },
  };
}

/** Requests of this minute, as the last answer reports them. */
export interface Rate {
  limit: number;
  left: number;
  /** Epoch milliseconds. */
  resetsAt: number;
}
export const rate = signal<Rate | null>(null);

/** Reads from each answer what is left of a trial, and of the requests of this minute. */
const countingFetch: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  const { headers } = response;
  const left = headers.get('x-trial-remaining');
  if (left !== null) countTrial(Number(left));
  const limit = headers.get('x-ratelimit-limit');
  if (limit !== null)
    rate.value = {
      limit: Number(limit),
      left: Number(headers.get('x-ratelimit-remaining')),
      resetsAt: 1_000 * Number(headers.get('x-ratelimit-reset')),
    };
  return response;
};

export function countTrial(left: number): void {
  const { value } = key;
  if (value?.trial !== undefined) key.value = { ...value, trial: { ...value.trial, left } };
}

/** Throws what the service says of a key that it does not know. A key that may not list keys, or not now, is one. */
export async function checkKey(text: string): Promise<void> {
  try {
    await clientOf(text).keys.list();
  } catch (error) {
    const { code, status } = error as ScriptoriumError;
    if (code !== 'FORBIDDEN' && status !== 429) throw error;
  }
}

export const requestCode = (email: string): Promise<string> =>
  Scriptorium.register(email, { baseUrl, retries: 0 });

export const redeemCode = (email: string, code: string, registration: string): Promise<string> =>
  Scriptorium.verify(email, code, { baseUrl, retries: 0, ...(registration && { registration }) });
