import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { findCommand } from '../../src/engines/installation.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8');

const { OLDEST, TESTED, DEPENDS_ON_VERSION } = (await import(
  new URL('../../libreoffice.mjs', import.meta.url).href
)) as { OLDEST: string; TESTED: string; DEPENDS_ON_VERSION: { file: string; what: string }[] };

const LIST = 'services/converter/libreoffice.mjs';
/** The converter's sources and those of its installation, except the list itself and tests. */
const SOURCES = [
  'services/converter',
  'deploy/local',
  'deploy/docker',
  'packages/contracts/src/jobs',
].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        /\.(ts|c|cpp|h|mjs|sh|Dockerfile)$/.test(file) && !/(^|\/)(test|dist|node_modules)\//.test(file),
    )
    .map((file) => `${folder}/${file}`)
    .filter((file) => file !== LIST),
);
/** `LibreOffice 25.2`, with or without some words between. */
const NAMED_VERSION = /LibreOffice\b[^\n]{0,60}?\b(\d{1,2}\.\d)\b/;

/** Compares versions such as `7.4` and `25.2.3`. */
const isAtLeast = (version: string, least: string): boolean =>
  version.localeCompare(least, 'en', { numeric: true }) >= 0;

describe('the list of dependencies on the version of LibreOffice', () => {
  test.each(DEPENDS_ON_VERSION.filter(({ file }) => !file.startsWith('packages/')))(
    'matches $file, which refers to it',
    ({ file }) => expect(read(file)).toContain('libreoffice.mjs'),
  );

  test('contains all files that refer to it', () => {
    const referring = SOURCES.filter((file) => read(file).includes('libreoffice.mjs'));
    expect(DEPENDS_ON_VERSION.map(({ file }) => file)).toEqual(expect.arrayContaining(referring));
  });

  test('is the only place in the converter and its installation that names a version', () => {
    const naming = SOURCES.filter((file) => !file.startsWith('shared/') && NAMED_VERSION.test(read(file)));
    expect(naming).toEqual([]);
  });

  test('agrees with the page of known holes, which names the tested version', () => {
    expect(read('docs/operations/engine.md')).toContain(`is tested with LibreOffice ${TESTED}, `);
  });

  test('starts with a version that is not newer than this machine’s LibreOffice', async () => {
    const command = await findCommand();
    if (command === undefined) throw new Error('there is no LibreOffice');
    const [, version = ''] =
      /LibreOffice (\d+\.\d+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' })) ?? [];
    expect([version, isAtLeast(version, OLDEST)]).toEqual([version, true]);
    expect(isAtLeast(TESTED, OLDEST)).toBe(true);
  });
});
