import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { removeDir, removeStaleWorkDirs } from '../../src/engines/work-dir.ts';

const NOBODY = 65534;
const isRoot = process.geteuid?.() === 0;
const root = mkdtempSync(join(tmpdir(), 'work-dir-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function makeDir(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

/**
 * Makes nested folders in a directory, deeper than a path can name. It works from the inside out to avoid long paths.
 */
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

/** Runs an action without root's privileges over modes. */
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
  test('is removed even with very deep folders', async () => {
    const dir = makeDir('deep');
    nest(dir);
    await removeDir(dir);
    expect(existsSync(dir)).toBe(false);
  });

  test('is removed even with folders that cannot be listed', async () => {
    await asNobody(async () => {
      const dir = makeDir('hidden');
      const folder = join(dir, 'folder');
      mkdirSync(folder, { mode: 0o300 });
      writeFileSync(join(folder, 'hidden'), 'here');
      await removeDir(dir);
      expect(existsSync(dir)).toBe(false);
    });
  });

  test('is removed even with names that are not valid text', async () => {
    const dir = makeDir('bytes');
    nest(dir);
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0x0a, 0xfe])]), 'bytes');
    await removeDir(dir);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('a directory of a dead process', () => {
  const name = 'scriptorium-engine-4194304-17-abcdef';

  test('is removed with any content', async () => {
    const dir = makeDir(name);
    nest(dir);
    await removeStaleWorkDirs(root);
    expect(existsSync(dir)).toBe(false);
  });

  (isRoot ? test : test.skip)('is left alone if another user created it', async () => {
    const dir = makeDir(name);
    chownSync(dir, NOBODY, NOBODY);
    await removeStaleWorkDirs(root);
    expect(existsSync(dir)).toBe(true);
    chownSync(dir, 0, 0);
    await asNobody(() => removeStaleWorkDirs(root));
    expect(existsSync(dir)).toBe(true);
  });
});
