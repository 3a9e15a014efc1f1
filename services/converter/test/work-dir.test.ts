import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { removeDir, removeStaleWorkDirs } from '../src/engines/work-dir.ts';
import { ALL, attempt, buildProbe } from './probe.ts';

buildProbe();

const NOBODY = 65534;
const isRoot = process.geteuid?.() === 0;
const root = mkdtempSync(join(tmpdir(), 'work-dir-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function makeDir(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
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
    expect(attempt(dir, ALL, 'nest=40').outcomes).toEqual(['done']);
    await removeDir(dir);
    expect(existsSync(dir)).toBe(false);
  });

  test('is removed with folders in it that forbid to be listed', async () => {
    await asNobody(async () => {
      const dir = makeDir('hidden');
      expect(attempt(dir, ALL, 'hide=folder').outcomes).toEqual(['done']);
      await removeDir(dir);
      expect(existsSync(dir)).toBe(false);
    });
  });

  test('is removed with names in it that are no text', async () => {
    const dir = makeDir('bytes');
    attempt(dir, ALL, 'nest=40');
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0x0a, 0xfe])]), 'bytes');
    await removeDir(dir);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('a directory that a dead process left', () => {
  const name = 'scriptorium-engine-4194304-17-abcdef';

  test('is removed whatever is in it', async () => {
    const dir = makeDir(name);
    attempt(dir, ALL, 'nest=40');
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
