import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { validate } from 'dockerfile-utils';
import hcl from 'hcl2-parser';
import { parse } from 'yaml';
import { SERVICE_SETTINGS } from '../../settings.ts';

const folder = join(import.meta.dirname, '..');
const checkout = join(folder, '..', '..');
const manifests = mkdtempSync(join(tmpdir(), 'scriptorium-manifests-'));
afterAll(() => rmSync(manifests, { recursive: true }));

const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
const version = readJson(checkout, 'package.json').version;

// Plain JavaScript, because it runs before the project's packages are installed; this is what it exports.
const requirements = (
  (await import(new URL('../../local/requirements.mjs', import.meta.url).href)) as {
    requirements: { package: string; kind: string }[];
  }
).requirements;

describe('the Dockerfile', () => {
  test('passes the linter', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  test('has the Node of `npm start`, and the version of the services', () => {
    const [, node] =
      /^ARG NODE_IMAGE=node:(24\.\d+\.\d+)-trixie-slim(@sha256:[0-9a-f]{64})?$/m.exec(dockerfile) ?? [];
    expect(Object.values(readJson(checkout, 'deploy/node/package.json').optionalDependencies)).toEqual([
      node,
      node,
    ]);
    expect(dockerfile).toContain(`\nARG VERSION=${version}\n`);
  });

  test('calls scripts that exist, and names no processors', () => {
    const scripts = [...dockerfile.matchAll(/\b(?:steps|packages)\/[\w-]+\.(?:sh|mjs)/g)].map(
      ([path]) => path,
    );
    expect(scripts.length).toBeGreaterThan(8);
    for (const name of scripts)
      expect(statSync(join(folder, name)).mode & 0o111).toBe(name.endsWith('.sh') ? 0o111 : 0);
    expect(dockerfile).not.toMatch(/&&|amd64|arm64|x86|aarch64/);
  });

  test.each(SERVICE_NAMES)(
    'sets the internal port that the %s has by default, and only variables that it reads',
    (name) => {
      const { shape } = SERVICE_SETTINGS[name];
      const [, port] =
        new RegExp(`^FROM base AS ${name}\n(?:(?!FROM).*\n)*?ENV INTERNAL_PORT=(\\d+)$`, 'm').exec(
          dockerfile,
        ) ?? [];
      expect(Number(port)).toBe(shape.INTERNAL_PORT.parse(undefined));
      const [, ...settings] = /^ENV (NODE_ENV)=\S+ (.*)$/m.exec(dockerfile) ?? [];
      const names = settings.join(' ').match(/[A-Z_]+(?==|$)/g) ?? [];
      for (const each of names) expect([...Object.keys(shape), 'HOST', 'HOME']).toContain(each);
    },
  );

  test('compiles the converter’s engine host with packages of `npm start`, in a stage that is not shipped', () => {
    const [, packages = ''] = /AS toolchain\n(?:.*\n)?.*install\.sh \\\n +(.*)\n/.exec(dockerfile) ?? [];
    expect(packages).toContain('libreofficekit-dev libreoffice-dev');
    expect(requirements.map((need) => need.package)).toEqual(expect.arrayContaining(packages.split(' ')));
    expect(dockerfile).toMatch(/^FROM \$\{DEBIAN_IMAGE\} AS base$/m);
  });
});

describe('a bake', () => {
  const [bake] = hcl.parseToObject(readFileSync(join(folder, 'docker-bake.hcl'), 'utf8'));
  const targetOf = (name: string) => bake.target[name][0];
  const [target, all] = [targetOf('service'), targetOf('scriptorium')];
  const [published, forPublishing] = [targetOf('published'), targetOf('for-publishing')];

  test('builds the images of all services, and one with all of them, as Docker Compose names them', () => {
    expect([...target.matrix.service].sort()).toEqual([...SERVICE_NAMES].sort());
    expect(target.dockerfile).toBe('deploy/docker/Dockerfile');
    expect(bake.variable.IMAGES[0].default).toBe('scriptorium-');
    expect(bake.variable.VERSION[0].default).toBe(version);
    for (const base of ['NODE_IMAGE', 'DEBIAN_IMAGE'])
      expect(dockerfile).toContain(`\nARG ${base}=${bake.variable[base][0].default}\n`);
    for (const argument of Object.keys(target.args))
      expect(dockerfile).toMatch(new RegExp(`^ARG ${argument}\\b`, 'm'));
    expect(dockerfile).toContain(`\nFROM files AS ${all.target}\n`);
    expect(dockerfile).toContain(`\nFROM converter AS ${all.args.SERVICE}\n`);
  });

  // Docker's own driver refuses both.
  test('publishes each for both architectures, with what it consists of', () => {
    expect([...published.matrix.image].sort()).toEqual([...SERVICE_NAMES, 'scriptorium'].sort());
    expect(forPublishing).toEqual({
      platforms: ['linux/amd64', 'linux/arm64'],
      attest: ['type=provenance,mode=max', 'type=sbom'],
    });
    for (const each of [target, all])
      expect(Object.keys(each)).not.toEqual(expect.arrayContaining(['attest']));
  });
});

test('a workflow publishes what a bake builds, on the tag of a release', () => {
  const workflow = readFileSync(join(checkout, '.github/workflows/publish.yml'), 'utf8');
  expect((parse(workflow) as { on: unknown }).on).toEqual({ push: { tags: ['v*'] } });
  expect(workflow).toContain('docker buildx bake -f deploy/docker/docker-bake.hcl publish --push');
  expect(readFileSync(join(checkout, 'deploy/release.mjs'), 'utf8')).toMatch(/`v\$\{version\}`/);
});

describe('the libraries of an image', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [join(folder, 'steps/manifests.mjs'), manifests], { cwd: checkout });
  });
  const librariesOf = (name: string) =>
    Object.keys(readJson(manifests, name, 'package-lock.json').packages).filter(
      (path) => path !== '' && !path.includes('node_modules'),
    );
  const manifestOf = (name: string, path: string) => readJson(manifests, name, path, 'package.json');

  test.each(SERVICE_NAMES)('are those on which the %s depends', (name) => {
    const needed = librariesOf(name).flatMap((path) =>
      Object.keys(manifestOf(name, path).dependencies ?? {}).filter((each) =>
        each.startsWith('@scriptorium/'),
      ),
    );
    const names = librariesOf(name).map((path) => manifestOf(name, path).name);
    expect(names.sort()).toEqual([...new Set([`@scriptorium/${name}`, ...needed])].sort());
    for (const path of librariesOf(name)) expect(manifestOf(name, path).devDependencies).toEqual({});
  });

  test('are compiled together, without what only tests need', () => {
    const compiled = librariesOf('build');
    expect(compiled).toEqual(expect.arrayContaining(SERVICE_NAMES.flatMap(librariesOf)));
    for (const path of compiled) expect(manifestOf('build', path).scripts.build).toEqual(expect.any(String));
  });
});

test('the packages of the images are those of `npm start`', () => {
  for (const kind of ['office', 'reader', 'font', 'hyphenation']) {
    const listed = execFileSync(process.execPath, [join(folder, 'packages/packages.mjs'), kind], {
      encoding: 'utf8',
    });
    const wanted = requirements.filter((need) => need.kind === kind && !need.package.endsWith('-dev'));
    expect(listed.trim().split(' ')).toEqual(wanted.map((need) => need.package));
  }
});

test('every script is valid for a POSIX shell', () => {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sh'),
  );
  expect(scripts.length).toBeGreaterThan(4);
  for (const name of scripts) execFileSync('sh', ['-n', join(folder, name)]);
});

test('the builder gets no secret, test or module of the checkout', () => {
  const ignored = readFileSync(join(checkout, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isSent = (path: string) =>
    path
      .split('/')
      .every(
        (_, at, parts) => !ignored.some((pattern) => matchesGlob(parts.slice(0, at + 1).join('/'), pattern)),
      );
  for (const path of ['package.json', 'services/gateway/src/main.ts', 'services/gateway/assets/sample.docx'])
    expect([path, isSent(path)]).toEqual([path, true]);
  for (const path of [
    ...[
      '.env.production',
      'services/gateway/.env',
      'key.pem',
      'services/signer/service.p12',
      'secrets/gateway.env',
    ],
    ...['secrets/signing/service.pfx', 'secrets/signing/service.key', 'secrets/signing/service.password'],
    ...[
      '.git/config',
      '.data/code-pepper',
      'node_modules/a/index.js',
      'services/gateway/node_modules/a/index.js',
    ],
    ...['shared/dist/ids.js', 'services/gateway/test/a.test.ts'],
  ])
    expect([path, isSent(path)]).toEqual([path, false]);
});
