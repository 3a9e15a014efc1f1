import { signal } from '@preact/signals';
import { type Scriptorium, ScriptoriumError } from '@scriptorium/client';
import { forgetTrial, isTrial, key, keyedClient } from './key.ts';
import { localProblem, type Problem, problemOf } from './problem.ts';
import { limits, settings } from './service.ts';
import { inBytes } from './words.ts';

const ATTEMPTS_MAX = 6;
const WAIT_MS = 400;

/** One thing that the visitor does on a tab: whether it runs, and what went wrong. A new run ends the one before. */
export class Operation {
  readonly isRunning = signal(false);
  readonly problem = signal<Problem | null>(null);
  #running: AbortController | undefined;

  async run(work: (client: Scriptorium, signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.isRunning.value = true;
    this.problem.value = null;
    try {
      await withPatience(async () => work(await keyedClient(), running.signal), running.signal);
    } catch (error) {
      if (this.#running === running && !running.signal.aborted) this.problem.value = problemOf(error);
    } finally {
      if (this.#running === running) this.isRunning.value = false;
    }
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.isRunning.value = false;
  }
}

/** A trial key makes one document at a time. A call that was ended a moment ago may still count. */
async function withPatience(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // Also trials that have not ended are gone when the service lost its memory.
      if (attempt === 1 && isTrial.value && (error as ScriptoriumError).code === 'AUTHENTICATION_ERROR') {
        forgetTrial();
        continue;
      }
      const isBusy = error instanceof ScriptoriumError && error.code === 'CONCURRENCY_LIMIT';
      if (!isBusy || attempt === ATTEMPTS_MAX || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}

/** Returns what is wrong with a file before it is sent; null if it may be sent. */
export function checkFile(file: File, formats: readonly string[]): Problem | null {
  const trial = key.value === null ? settings.value?.trial : key.value.trial;
  const bytesMax = trial?.documentBytesMax ?? limits.value?.sizes.documentBytesMax ?? Infinity;
  if (file.size > bytesMax)
    return localProblem(
      'PAYLOAD_TOO_LARGE',
      `“${file.name}” has ${inBytes(file.size)}. The limit is ${inBytes(bytesMax)}, so it was not sent.`,
      trial ? 'Use a smaller file, or your own API key.' : 'Use a smaller file.',
    );
  if (file.size === 0)
    return localProblem('INVALID_FILE_FORMAT', `“${file.name}” is empty.`, 'Use another file.');
  const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  if (!formats.includes(extension))
    return localProblem(
      'INVALID_FILE_FORMAT',
      `“${file.name}” is not one of these: ${formats.join(', ')}.`,
      'Save the document in one of these formats, and use that file.',
    );
  return null;
}
