import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { removeDir, removeStaleWorkDirs } from '../src/engines/work-dir.ts';

const NOBODY = 65534;
const isRoot = process.geteuid?.() === 0;
const root = mkdtempSync(join(tmpdir(), 'work-dir-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function makeDir(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

/** Makes folders within folders in a directory, deeper than a path can tell. From the inside out, so that none has to. */
function nest(dir: string): void {
  let inner = join(dir, 'innermost');
  mkdirSync(inner);
  for (let i = 0; i < 40; i++) {
    const outer = join(dir, `${i}`);
    mkdirSync(outer);
    renameSync(inner, join(outer, 'n'.repeat(250)));
    inner = outer;
  }
}

/** What a process can do without the privileges that root has over modes. */
async function asNobody(act: () => Promise<void>): Promise<void> {
  if (!isRoot) return await act();
  chownSync(root, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await act();
  } finally {
    process.seteuid?.(0);
    chownSync(root, 0, 0);
  }
}

describe('the directory of a job', () => {
  test('is removed however deep the folders are that were made in it', async () => {
    const dir = makeDir('deep');
    nest(dir);
    await removeDir(dir);
    expect(existsSync(dir)).toBe(false);
  });

  test('is removed with folders in it that forbid to be listed', async () => {
    await asNobody(async () => {
      const dir = makeDir('hidden');
      const folder = join(dir, 'folder');
      mkdirSync(folder, { mode: 0o300 });
      writeFileSync(join(folder, 'hidden'), 'here');
      await removeDir(dir);
      expect(existsSync(dir)).toBe(false);
    });
  });

  test('is removed with names in it that are no text', async () => {
    const dir = makeDir('bytes');
    nest(dir);
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0x0a, 0xfe])]), 'bytes');
    await removeDir(dir);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('a directory that a dead process left', () => {
  const name = 'scriptorium-engine-4194304-17-abcdef';

  test('is removed whatever is in it', async () => {
    const dir = makeDir(name);
    nest(dir);
    await removeStaleWorkDirs(root);
    expect(existsSync(dir)).toBe(false);
  });

  (isRoot ? test : test.skip)('is left alone where another user made it', async () => {
    const dir = makeDir(name);
    chownSync(dir, NOBODY, NOBODY);
    await removeStaleWorkDirs(root);
    expect(existsSync(dir)).toBe(true);
    chownSync(dir, 0, 0);
    await asNobody(() => removeStaleWorkDirs(root));
    expect(existsSync(dir)).toBe(true);
  });
});
