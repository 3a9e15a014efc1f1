import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';

const program = fileURLToPath(new URL('closing-program.ts', import.meta.url));

/** Runs the program until it prints this word, and then sends these signals with a short delay. */
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

describe('a service', () => {
  test.each([
    [['SIGTERM']],
    [['SIGINT']],
    [['SIGTERM', 'SIGTERM']],
    [['SIGINT', 'SIGTERM', 'SIGINT']],
  ] as const)('finishes its work once after %p and exits with 0', async (signals) => {
    const { how, text } = await ending('', 'ready', signals);
    expect(how).toBe(0);
    expect(text.match(/work is done/g)).toHaveLength(1);
  });

  test.each(few(['SIGTERM', 'SIGINT'] as const, 1))(
    'exits with 0 at once after %s during its start',
    async (signal) => {
      expect(await ending('slow start', 'starting', [signal])).toEqual({ how: 0, text: 'starting\n' });
    },
  );

  test('that cannot start says why in its log, and exits with 1', async () => {
    const { how, text } = await ending('bad start', 'starting', []);
    expect(how).toBe(1);
    const line = JSON.parse(text.replace('starting\n', ''));
    expect(line).toMatchObject({ level: 'fatal', service: 'closing' });
    expect(line.err).toMatchObject({ message: 'the threads end', cause: { message: 'too little memory' } });
  });

  testInWhole('finishes its work and exits with 1 after an uncaught error', async () => {
    const { how, text } = await ending('fault', 'ready', ['SIGTERM']);
    expect(how).toBe(1);
    expect(text).toMatch(/escaped.*work is done/s);
  });

  test('leaves no document in a core file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scriptorium-core-'));
    const shell = `cd "$1"; ulimit -c unlimited; "$2" --conditions=source "$3" crash`;
    const run = execFile('sh', ['-c', shell, 'sh', folder, process.execPath, program]);
    await once(run, 'exit');
    // Where the system hands core files to a program, none is here.
    for (const name of await readdir(folder)) {
      const core = await readFile(join(folder, name));
      expect(core.length).toBeLessThan(1_000_000);
      // Only the registers of its threads, at most 2 KiB each, may have a piece.
      expect(core.toString('latin1').split('a document of a caller').length).toBeLessThan(1_000);
    }
    await rm(folder, { recursive: true });
  });
});
