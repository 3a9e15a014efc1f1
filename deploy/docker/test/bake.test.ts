import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { parseToObject } from 'hcl2-parser';
import { readDockerfile } from '../rehearsal/dockerfile.ts';

const folder = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Target {
  matrix: { service: string[] };
  context: string;
  dockerfile: string;
  args: Record<string, string>;
  tags: string[];
  platforms: string[];
  attest: string[];
}

const [bake] = parseToObject(read('docker-bake.hcl')) as [
  {
    variable: Record<string, [{ default: string }]>;
    group: Record<string, [{ targets: string[] }]>;
    target: Record<string, [Target]>;
  },
];
const [target] = bake.target.service ?? [];
if (target === undefined) throw new Error('there is no target');

test('one command builds the images of all services, for both architectures, with what they consist of', () => {
  expect(bake.group.default?.[0].targets).toEqual(['service']);
  expect([...target.matrix.service].sort()).toEqual([...SERVICE_NAMES].sort());
  expect(target.platforms).toEqual(['linux/amd64', 'linux/arm64']);
  expect(target.attest).toEqual(['type=provenance,mode=max', 'type=sbom']);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the language of bake files
  expect(target.tags).toEqual(['${IMAGES}${service}:${VERSION}']);
});

test('the images have the version of the services, and what their files are given', () => {
  const { version } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
  expect(bake.variable.VERSION?.[0].default).toBe(version);
  for (const name of ['service', 'converter']) {
    expect(target.dockerfile).toContain(`"deploy/docker/${name}.Dockerfile"`);
    const text = read(`${name}.Dockerfile`);
    expect(readDockerfile(text).stages.length).toBeGreaterThan(3);
    for (const base of ['NODE_IMAGE', 'DEBIAN_IMAGE'])
      expect(text).toContain(`ARG ${base}=${bake.variable[base]?.[0].default}\n`);
    for (const argument of ['VERSION', 'REVISION', 'NODE_IMAGE', 'DEBIAN_IMAGE']) {
      expect(Object.keys(target.args)).toContain(argument);
      expect(text).toMatch(new RegExp(`^ARG ${argument}=`, 'm'));
    }
  }
});
