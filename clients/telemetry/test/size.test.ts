import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { minify } from '@swc/core';
import { buildPackage } from './build.ts';

test('the bundle of all modules is smaller than 8 KiB', async () => {
  const folder = buildPackage();
  const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const code = await Promise.all(
    modules.map(
      async (name) => (await minify(readFileSync(join(folder, name), 'utf8'), { module: true })).code,
    ),
  );
  rmSync(folder, { recursive: true });
  expect(modules).toContain('telemetry.js');
  expect(gzipSync(code.join('\n')).length).toBeLessThan(8 * 1024);
});

test('the package has no dependencies', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  const sources = new URL('../src/', import.meta.url);
  for (const name of readdirSync(sources))
    expect(readFileSync(new URL(name, sources), 'utf8')).not.toMatch(/from '(?!\.\/)/);
});
