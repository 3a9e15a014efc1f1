import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const program = fileURLToPath(new URL('closing-program.ts', import.meta.url));

/** Runs it until it has said this word, and sends it these signals, a moment apart. */
async function ending(what: string, word: string, signals: readonly NodeJS.Signals[]) {
  const child = spawn(process.execPath, ['--conditions=source', program, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  const { promise: isSaid, resolve } = Promise.withResolvers<void>();
  child.stdout.on('data', (data) => {
    text += data;
    if (text.includes(`${word}\n`)) resolve();
  });
  const ended = once(child, 'exit');
  await isSaid;
  for (const signal of signals) {
    child.kill(signal);
    await sleep(200);
  }
  const [code, signal] = await ended;
  return { how: signal ?? code, text };
}

describe('A service that is told to stop', () => {
  test.each([
    [['SIGTERM']],
    [['SIGINT']],
    [['SIGTERM', 'SIGTERM']],
    [['SIGINT', 'SIGTERM', 'SIGINT']],
  ] as const)('by %p ends its work once, and with 0', async (signals) => {
    const { how, text } = await ending('', 'ready', signals);
    expect(how).toBe(0);
    expect(text.match(/work is done/g)).toHaveLength(1);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('by %s while it starts ends at once, with 0', async (signal) => {
    expect(await ending('slow start', 'starting', [signal])).toEqual({ how: 0, text: 'starting\n' });
  });

  test('ends its work, and with 1, where an error escapes meanwhile', async () => {
    const { how, text } = await ending('fault', 'ready', ['SIGTERM']);
    expect(how).toBe(1);
    expect(text).toMatch(/escaped.*work is done/s);
  });
});
