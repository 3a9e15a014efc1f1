import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

interface LockEntry {
  link?: true;
  integrity?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

/** Where a package at `path` finds `name`: in its own node_modules, or in a parent folder's. */
function resolves(packages: Record<string, LockEntry>, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in packages) return true;
    if (folder === '') return false;
  }
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, LockEntry> };

test('the lock file knows the content of every package, and names no registry', () => {
  const foreign = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link === undefined,
  );
  expect(foreign.length).toBeGreaterThan(500);
  expect(foreign.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  expect(foreign.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('the lock file includes packages of other platforms, as npm ci requires', () => {
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter((name) => !resolves(packages, path, name)),
  );
  expect(missing).toEqual([]);
});
