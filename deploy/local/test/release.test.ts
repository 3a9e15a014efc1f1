import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import hcl from 'hcl2-parser';

const { release, pinBases } = (await import(new URL('../../release.mjs', import.meta.url).href)) as {
  release(root: string, how: { date: string; generate(): void }): string;
  pinBases(root: string, references: string[]): Record<string, string>;
};

const home = fileURLToPath(new URL('../../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'scriptorium-release-'));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
const git = (...args: string[]): string =>
  execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  }).trim();

const CHART = 'deploy/helm/scriptorium/Chart.yaml';
const BAKE = 'deploy/docker/docker-bake.hcl';
const DOCKERFILE = 'deploy/docker/Dockerfile';

/** A checkout with only what a release reads. */
beforeAll(() => {
  const manifests = execFileSync('git', ['ls-files', '*package.json'], { cwd: home, encoding: 'utf8' });
  const files = ['package-lock.json', 'CHANGELOG.md', '.changeset/config.json', CHART, BAKE, DOCKERFILE];
  for (const path of [...manifests.trim().split('\n'), ...files]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(home, path), join(root, path));
  }
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
});
afterAll(() => rmSync(root, { recursive: true }));

const versionOf = (path: string): string => JSON.parse(read(path)).version;
const how = { date: '2026-12-01', generate: () => write('generated', versionOf('package.json')) };

testInWhole(
  'a release makes versions, changelog and tag: first of what has no tag, then of the waiting changes',
  () => {
    const before = versionOf('package.json');
    expect(release(root, how)).toBe(before);
    expect(git('tag')).toBe(`v${before}`);
    expect(read('CHANGELOG.md')).toContain(`## ${before} (2026-12-01)`);
    expect(() => release(root, how)).toThrow('No change waits');

    write('.changeset/one.md', '---\n"@scriptorium/gateway": minor\n---\n\nA new route.\nIt is public.\n');
    expect(() => release(root, how)).toThrow('has changes');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Change');
    const version = release(root, { ...how, date: '2026-12-24' });
    expect(version).toBe(before.replace(/\d+\.\d+$/, (rest) => `${Number(rest.split('.')[0]) + 1}.0`));
    expect(git('status', '--porcelain')).toBe('');
    expect(git('describe')).toBe(`v${version}`);
    expect(read('generated')).toBe(version);
    expect(read('CHANGELOG.md')).toMatch(
      `# Changelog\n\n## ${version} (2026-12-24)\n\n- A new route.\n  It is public.\n`,
    );

    const lock = JSON.parse(read('package-lock.json')).packages as Record<
      string,
      { version: string; dependencies?: object }
    >;
    const own = Object.keys(lock).filter((path) => !path.includes('node_modules/'));
    expect(own.length).toBeGreaterThan(20);
    for (const path of own) {
      const manifest = JSON.parse(read(join(path, 'package.json')));
      expect({ path, version: manifest.version }).toEqual({ path, version });
      expect(lock[path]?.version).toBe(version);
      for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
        if (name.startsWith('@scriptorium/'))
          expect({ path, name, wanted }).toEqual({ path, name, wanted: version });
      expect(lock[path]?.dependencies).toEqual(manifest.dependencies);
    }
    for (const path of [CHART, BAKE, DOCKERFILE]) expect(read(path)).not.toContain(before);
    expect(read(CHART).match(new RegExp(`scriptorium/\\w+:${version}`, 'g'))).toHaveLength(6);
  },
);

test('digests of the base images are written behind their tags, also in place of earlier ones', () => {
  const [first, second] = ['sha256:'.padEnd(71, '1a'), 'sha256:'.padEnd(71, '2b')];
  const tagOf = (name: string) => new RegExp(`${name}:[\\w.-]+`).exec(read(BAKE))?.[0];
  const [node, debian] = [tagOf('node'), tagOf('debian')];
  expect(pinBases(root, [`node=${first}`])).toEqual({ node: `${node}@${first}` });
  expect(pinBases(root, [`debian=${first}`, `node=${second}`])).toEqual({
    ...{ debian: `${debian}@${first}`, node: `${node}@${second}` },
  });
  expect(read(DOCKERFILE)).toContain(
    `\nARG NODE_IMAGE=${node}@${second}\nARG DEBIAN_IMAGE=${debian}@${first}\n`,
  );
  const [bake] = hcl.parseToObject(read(BAKE)) as [{ variable: Record<string, [{ default: string }]> }];
  expect(bake.variable.NODE_IMAGE?.[0].default).toBe(`${node}@${second}`);
  expect(bake.variable.DEBIAN_IMAGE?.[0].default).toBe(`${debian}@${first}`);
  const before = read(BAKE);
  for (const [wrong, words] of [
    [[], 'Give a digest'],
    [[`alpine=${first}`], 'the base images are node and debian'],
    [[`node=${first}`, 'debian=sha256:12'], '64 hexadecimal digits'],
    [[`node=${first}`, `node=${second}`], 'node is given twice'],
  ] as const)
    expect(() => pinBases(root, [...wrong])).toThrow(words);
  expect(read(BAKE)).toBe(before);
});
