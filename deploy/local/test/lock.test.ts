import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

interface LockEntry {
  optionalDependencies?: Record<string, string>;
}

/** Where a package at `path` finds `name`: its own node_modules, or one further up. */
function resolves(packages: Record<string, LockEntry>, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in packages) return true;
    if (folder === '') return false;
  }
}

test('the lock file names the packages of other platforms too, without which npm ci refuses it', () => {
  const text = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter((name) => !resolves(packages, path, name)),
  );
  expect(missing).toEqual([]);
});
