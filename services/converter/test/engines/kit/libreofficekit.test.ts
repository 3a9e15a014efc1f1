import { spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { EngineEvent } from '../../../src/engines/engine.ts';
import { LibreOfficeKitEngine } from '../../../src/engines/kit/libreofficekit.ts';
import { textOf } from '../../rigs/pdf-text.ts';
import { busyProcesses, descendants, until } from '../../rigs/processes.ts';
import { describeEngine, run, slowDocument } from '../engine.suite.ts';

const busyProcess = () => busyProcesses()[0];

const zygotes = () => descendants().filter(({ parent }) => parent === process.pid);

describeEngine('libreofficekit', {
  make: (slots, workRoot) => new LibreOfficeKitEngine({ zygotes: slots, workRoot }),
  busyProcess,
});

describe('a zygote', () => {
  const workRoot = mkdtempSync(join(tmpdir(), 'zygote-test-'));
  const events: EngineEvent[] = [];
  const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot, onEvent: (event) => events.push(event) });
  beforeAll(() => engine.start());
  afterAll(async () => {
    await engine.close();
    rmSync(workRoot, { recursive: true });
  });

  test('restarts after it is killed, and its conversion fails', async () => {
    const pending = expect(run(engine, slowDocument)).rejects.toMatchObject({ kind: 'crashed' });
    const child = await until('the conversion runs', busyProcess);
    process.kill(child.parent, 'SIGKILL');
    await pending;
    await until('its children are gone', () => !existsSync(`/proc/${child.pid}/root`));
    expect(textOf((await run(engine, docxWith(['back']))).bytes)).toBe('back');
    expect(events.map(({ type }) => type)).toEqual(['engine-started', 'engine-ended', 'engine-started']);
  });

  testInWhole(
    'outlives slow documents that are canceled on a busy machine, where they end late',
    async () => {
      const [eventsBefore, processesBefore] = [events.length, descendants().length];
      const busy = Array.from({ length: availableParallelism() }, () =>
        spawn('sh', ['-c', 'while :; do :; done']),
      );
      try {
        for (let i = 0; i < 3; i++) {
          const how = { timeoutMs: 60_000, signal: AbortSignal.timeout(300), slow: AbortSignal.abort() };
          const canceled = engine.convert(slowDocument, { from: 'docx', to: 'pdf' }, how);
          await expect(canceled).rejects.toMatchObject({ kind: 'aborted' });
        }
        expect(textOf((await run(engine, docxWith(['calm']))).bytes)).toBe('calm');
      } finally {
        for (const process of busy) process.kill('SIGKILL');
      }
      await until('they have ended', () => descendants().length === processesBefore, 240_000);
      expect(events.slice(eventsBefore)).toEqual([]);
    },
    300_000,
  );

  testInWhole('restarts after it is killed while idle, for a waiting caller', async () => {
    const [zygote] = zygotes();
    if (zygote === undefined) throw new Error('no zygote runs');
    process.kill(zygote.pid, 'SIGKILL');
    await until('it is gone', () => !engine.health().ready);
    expect(textOf((await run(engine, docxWith(['patient']))).bytes)).toBe('patient');
  });

  test('replaces a spare child that dies before its job', async () => {
    const [zygote] = zygotes();
    const spare = await until('a spare child waits', () =>
      descendants().find(({ parent, name }) => parent === zygote?.pid && name === 'engine-host'),
    );
    process.kill(spare.pid, 'SIGKILL');
    await until('it is gone', () => !descendants().some(({ pid }) => pid === spare.pid));
    expect(textOf((await run(engine, docxWith(['again']))).bytes)).toBe('again');
  });

  test('is unavailable while it has no directory for a job, and then converts again', async () => {
    const [workDir = ''] = readdirSync(workRoot);
    const dir = join(workRoot, workDir, readdirSync(join(workRoot, workDir))[0] ?? '');
    const [before] = zygotes();
    renameSync(dir, `${dir}-away`);
    for (let i = 0; i < 2; i++)
      await expect(run(engine, docxWith(['lost']))).rejects.toMatchObject({ kind: 'unavailable' });
    renameSync(`${dir}-away`, dir);
    expect(textOf((await run(engine, docxWith(['found']))).bytes)).toBe('found');
    expect(zygotes()).toEqual([before]);
  });

  test('ends a child that fills its directory', async () => {
    await until('no earlier child is left', () => busyProcess() === undefined);
    const pending = expect(run(engine, slowDocument)).rejects.toMatchObject({ kind: 'exhausted' });
    const { cwd } = await until('the conversion runs', busyProcess);
    // As the child itself would do; its folder is watched.
    writeFileSync(join(cwd, 'file'), '');
    for (let i = 0; i <= 20_000 && existsSync(join(cwd, 'file')); i++)
      linkSync(join(cwd, 'file'), join(cwd, `${i}`));
    await pending;
    expect(textOf((await run(engine, docxWith(['room']))).bytes)).toBe('room');
  });

  test('uses a separate process for each document', async () => {
    const seen = new Set<number>();
    for (let i = 0; i < 3; i++) {
      const pending = run(engine, slowDocument, 400).catch(() => {});
      seen.add((await until('the conversion runs', busyProcess)).pid);
      await pending;
    }
    expect(seen.size).toBe(3);
  });
});

describe('a worn zygote', () => {
  testInWhole(
    'is replaced without a failure, and ends after its last document',
    async () => {
      const events: EngineEvent[] = [];
      // Two children wait and the third one is for the second document. Each zygote has at least half of the limit.
      const wear = { childrenMax: 4 };
      const engine = new LibreOfficeKitEngine({ zygotes: 1, wear, onEvent: (event) => events.push(event) });
      await engine.start();
      const [first] = zygotes();
      const long = docxWith(Array.from({ length: 3_000 }, (_, i) => `Line ${i} of a long document.`));
      const signal = new AbortController().signal;
      const slow = engine.convert(
        long,
        { from: 'docx', to: 'pdf' },
        // It runs while a processor is idle, which other tests may leave for moments only.
        { timeoutMs: 240_000, signal, slow: AbortSignal.abort() },
      );
      for (let i = 0; i < 6; i++)
        expect(textOf((await run(engine, docxWith([`page ${i}`]))).bytes)).toBe(`page ${i}`);
      expect(events.find(({ type }) => type === 'engine-worn')).toMatchObject({ reason: 'children' });
      expect(textOf((await slow).bytes)).toContain('Line 2999 of a long document.');
      await until('the first zygote has ended', () => !zygotes().some(({ pid }) => pid === first?.pid));
      expect(textOf((await run(engine, docxWith(['after it']))).bytes)).toBe('after it');
      expect(events.some(({ type }) => type === 'engine-ended')).toBe(false);
      await engine.close();
    },
    300_000,
  );
});

describe('the libreofficekit engine of a killed process', () => {
  testInWhole('ends with it in the middle of a conversion', async () => {
    const workRoot = mkdtempSync(join(tmpdir(), 'killed-test-'));
    const engineUrl = new URL('../../../src/engines/kit/libreofficekit.ts', import.meta.url);
    const documentPath = join(workRoot, 'slow.docx');
    writeFileSync(documentPath, slowDocument);
    const script = `
      import { readFileSync } from 'node:fs';
      import { LibreOfficeKitEngine } from ${JSON.stringify(engineUrl.href)};
      const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot: ${JSON.stringify(workRoot)} });
      await engine.start();
      const run = { timeoutMs: 60_000, signal: new AbortController().signal };
      await engine.convert(readFileSync(${JSON.stringify(documentPath)}), { from: 'docx', to: 'pdf' }, run);`;
    const owner = spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', script]);
    const child = await until('the conversion runs', busyProcess);
    const family = [child.pid, child.parent, owner.pid];
    owner.kill('SIGKILL');
    await until('all of it is gone', () => family.every((pid) => !existsSync(`/proc/${pid}/exe`)));
    const next = new LibreOfficeKitEngine({ zygotes: 1, workRoot });
    await next.start();
    await next.close();
    expect(readdirSync(workRoot)).toEqual(['slow.docx']);
    rmSync(workRoot, { recursive: true });
  });
});

describe('the start of the libreofficekit engine', () => {
  testInWhole('removes the files of a killed converter, but not of a running one', async () => {
    const workRoot = mkdtempSync(join(tmpdir(), 'stale-test-'));
    const dead = join(workRoot, 'scriptorium-engine-4194304-17-abcdef');
    const reused = join(workRoot, `scriptorium-engine-${process.pid}-17-abcdef`);
    mkdirSync(join(dead, 'zygote-1', 'job-3'), { recursive: true });
    mkdirSync(reused);
    const [first, second] = [1, 2].map(() => new LibreOfficeKitEngine({ zygotes: 1, workRoot }));
    await first?.start();
    expect([existsSync(dead), existsSync(reused)]).toEqual([false, false]);
    await second?.start();
    expect(textOf((await run(first as LibreOfficeKitEngine, docxWith(['still here']))).bytes)).toBe(
      'still here',
    );
    await first?.close();
    await second?.close();
    rmSync(workRoot, { recursive: true });
  });
});
