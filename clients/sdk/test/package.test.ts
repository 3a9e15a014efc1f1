import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { minify } from '@swc/core';
import { publint } from 'publint';

const GZIP_BYTES_MAX = 6 * 1024;
const source = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-client-'));
  for (const name of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, name), join(folder, name));
  const tsc = join(source, '../../node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', source, '--outDir', join(folder, 'dist')], { stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Entries of their own, which the client does not load: the options, and the reader of tables. */
const OTHERS = ['options.gen.js', 'tables.js', 'encodings.js'];

test('the modules have at most 6 KiB, minified and compressed', async () => {
  const all = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.js'));
  const modules = all.filter((name) => !OTHERS.includes(name));
  const read = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8');
  const code = await Promise.all(
    modules.map(async (name) => (await minify(read(name), { module: true })).code),
  );
  expect(modules).toContain('client.js');
  for (const name of OTHERS) expect(code.join('\n')).not.toContain(name);
  expect(gzipSync(code.join('\n')).length).toBeLessThan(GZIP_BYTES_MAX);
});

test('the package needs nothing at run time, and imports nothing of a platform', () => {
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined]);
  for (const name of readdirSync(join(source, 'src')))
    expect(readFileSync(join(source, 'src', name), 'utf8')).not.toMatch(/from '(?!\.\/)/);
});

test('the package is sound for publint and for the types of its users', async () => {
  execFileSync('npm', ['pack', '--silent', `--pack-destination=${folder}`], { cwd: folder, stdio: 'pipe' });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const packed = readFileSync(join(folder, archive));
  expect((await publint({ pkgDir: folder, pack: false })).messages).toEqual([]);
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(packed)));
  if (!('problems' in analysis)) throw new Error('the package has no types');
  // An ES module, which the resolutions of CommonJS do not find.
  const ofModules = analysis.problems.filter(
    (problem) => !('resolutionKind' in problem && /^node1(0|6-cjs)$/.test(problem.resolutionKind)),
  );
  expect(ofModules).toEqual([]);
});
