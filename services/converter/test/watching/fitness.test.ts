import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { requireRoom } from '../../src/engines/work-dir.ts';
import { testEngine } from '../../src/engines.ts';
import { Fitness } from '../../src/watching/fitness.ts';
import { watchedEngine } from '../../src/watching/wrap-engine.ts';
import { run } from '../engines/engine.suite.ts';
import { until } from '../rigs/processes.ts';

describe('a converter', () => {
  test('takes itself out after failures of its own, and comes back once a conversion succeeds', async () => {
    const workRoot = mkdtempSync(join(tmpdir(), 'fitness-test-'));
    const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot });
    await engine.start();
    const changes: boolean[] = [];
    const fitness = new Fitness({
      checkSpace: async () => {},
      test: () => testEngine([engine]),
      onChange: (isFit) => changes.push(isFit),
    });
    const watched = watchedEngine(engine, fitness);
    const [workDir = ''] = readdirSync(workRoot);
    const dir = join(workRoot, workDir, readdirSync(join(workRoot, workDir))[0] ?? '');
    await run(watched, docxWith(['good']));
    renameSync(dir, `${dir}-away`);
    for (let i = 0; i < 3; i++)
      await expect(run(watched, docxWith(['lost']))).rejects.toMatchObject({ kind: 'unavailable' });
    await until('it is out', () => !fitness.isFit);
    expect(() => fitness.require()).toThrow('work directory');
    renameSync(`${dir}-away`, dir);
    await until('it is back', () => fitness.isFit);
    expect(() => fitness.require()).not.toThrow();
    expect(changes).toEqual([false, true]);
    await fitness.close();
    await engine.close();
    rmSync(workRoot, { recursive: true });
  });

  test('does not take itself out for bad documents', async () => {
    const engine = new LibreOfficeKitEngine({ zygotes: 1 });
    await engine.start();
    const fitness = new Fitness({
      checkSpace: async () => {},
      test: async () => {
        throw new Error('no test is due');
      },
      onChange() {},
    });
    const watched = watchedEngine(engine, fitness);
    for (let i = 0; i < 4; i++)
      await expect(run(watched, Buffer.from('no document'))).rejects.toMatchObject({ kind: 'unreadable' });
    await fitness.check();
    expect(fitness.isFit).toBe(true);
    await fitness.close();
    await engine.close();
  });

  test('is out while its file system lacks room', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'room-test-'));
    await expect(requireRoom(dir, 1)).resolves.toBeUndefined();
    await expect(requireRoom(dir, 2 ** 60)).rejects.toMatchObject({ kind: 'unavailable' });
    let bytesMin = 2 ** 60;
    const fitness = new Fitness({
      checkSpace: () => requireRoom(dir, bytesMin),
      test: async () => writeFileSync(join(dir, 'test'), ''),
      onChange() {},
    });
    await fitness.check();
    expect(() => fitness.require()).toThrow('no room');
    bytesMin = 1;
    await fitness.check();
    expect(fitness.isFit).toBe(true);
    expect(readdirSync(dir)).toEqual(['test']);
    await fitness.close();
    rmSync(dir, { recursive: true });
  });
});

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

(canMount ? test : test.skip)('a full file system is not the fault of a document', () => {
  const dir = mkdtempSync(join(tmpdir(), 'full-test-'));
  const program = fileURLToPath(new URL('../rigs/full-disk.ts', import.meta.url));
  const command = 'mount -t tmpfs -o size=64m none "$0" && exec "$@"';
  const ended = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', command, dir, process.execPath, '--conditions=source', program, dir],
    { encoding: 'utf8' },
  );
  rmSync(dir, { recursive: true });
  expect([ended.stdout, ended.stderr.slice(-2_000)]).toEqual([
    JSON.stringify(['%PDF', 'unavailable', 'unavailable', '%PDF']),
    '',
  ]);
});
