import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@scriptorium/contracts/services';
import { validate } from 'dockerfile-utils';
import { SERVICE_SETTINGS } from '../../settings.ts';
import { copyContext } from '../rehearsal/context.ts';
import { type Instruction, readDockerfile, readPairs } from '../rehearsal/dockerfile.ts';

const folder = join(import.meta.dirname, '..');
const checkout = join(folder, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'scriptorium-images-'));
afterAll(() => rmSync(scratch, { recursive: true }));

// Plain JavaScript, because it runs before the project's packages are installed; this is what it exports.
const requirements = (
  (await import(new URL('../../local/requirements.mjs', import.meta.url).href)) as {
    requirements: { package: string; kind: string }[];
  }
).requirements;

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const dockerfileOf = (service: ServiceName) => (service === 'converter' ? 'converter' : 'service');

/** The instructions of the last stage of a service's image, after those of its base stages. */
function instructionsOf(service: ServiceName): Instruction[] {
  const { stages } = readDockerfile(read(`${dockerfileOf(service)}.Dockerfile`));
  const ofStage = (name: string): Instruction[] => {
    const stage = stages.find((candidate) => candidate.name === name);
    return stage === undefined
      ? []
      : [...ofStage(stage.from.replace('$' + '{SERVICE}', service)), ...stage.instructions];
  };
  return ofStage('final');
}

test('An image collects what is built of every library that its service depends on', () => {
  const from = join(scratch, 'built');
  const folders = ['shared', 'packages', 'services'].flatMap((group) =>
    group === 'shared' ? [group] : readdirSync(join(checkout, group)).map((name) => `${group}/${name}`),
  );
  const libraries = new Map<string, { folder: string; dependencies: string[] }>();
  for (const library of folders) {
    mkdirSync(join(from, library, 'dist'), { recursive: true });
    const manifest = readFileSync(join(checkout, library, 'package.json'), 'utf8');
    writeFileSync(join(from, library, 'package.json'), manifest);
    writeFileSync(join(from, library, 'dist', 'main.js'), '');
    const { name, dependencies = {} } = JSON.parse(manifest);
    libraries.set(name, { folder: library, dependencies: Object.keys(dependencies) });
  }
  const to = join(scratch, 'collected');
  execFileSync(join(folder, 'steps', 'collect.sh'), [to], { cwd: from });
  const needed = [...libraries.values()].flatMap((library) =>
    library.dependencies.flatMap((name) => libraries.get(name)?.folder ?? []),
  );
  expect(needed.length).toBeGreaterThan(20);
  for (const library of needed) expect(readdirSync(join(to, library))).toEqual(['dist']);
});

describe.each(Object.keys(SERVICE_SETTINGS))('the libraries of the image of the %s', (service) => {
  const to = join(scratch, 'manifests', service);
  const libraries = (folder: string): string[] => {
    const { packages } = JSON.parse(readFileSync(join(to, folder, 'package-lock.json'), 'utf8'));
    return Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules'));
  };
  const manifest = (folder: string, path: string) =>
    JSON.parse(readFileSync(join(to, folder, path, 'package.json'), 'utf8'));
  beforeAll(() => {
    const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
    for (const path of Object.keys(lock.packages)) {
      if (path.includes('node_modules')) continue;
      mkdirSync(join(to, 'json', path), { recursive: true });
      copyFileSync(join(checkout, path, 'package.json'), join(to, 'json', path, 'package.json'));
    }
    copyFileSync(join(checkout, 'package-lock.json'), join(to, 'json', 'package-lock.json'));
    execFileSync(process.execPath, [join(folder, 'steps', 'reduce.mjs'), to, service]);
  });

  test('are in production those that it depends on, and no others', () => {
    const dependencies = libraries('production').flatMap((path) =>
      Object.keys(manifest('production', path).dependencies ?? {}).filter((name) =>
        name.startsWith('@scriptorium/'),
      ),
    );
    const names = libraries('production').map((path) => manifest('production', path).name);
    expect([...names].sort()).toEqual([...new Set([`@scriptorium/${service}`, ...dependencies])].sort());
    expect(names).not.toContain('@scriptorium/testing');
  });

  test('are for the build all that are built, which none of the tests is', () => {
    const paths = libraries('json');
    expect(paths).toEqual(expect.arrayContaining([`services/${service}`, 'shared', 'packages/pdf']));
    for (const tool of ['packages/testing', 'e2e', 'bench', 'docs', 'deploy'])
      expect(paths).not.toContain(tool);
    for (const path of paths) expect(manifest('json', path).scripts.build).toEqual(expect.any(String));
  });
});

describe.each(['service', 'converter'])('the Dockerfile of the %s', (name) => {
  test('passes the linter', () => {
    expect(validate(read(`${name}.Dockerfile`))).toEqual([]);
  });

  test('has a version for each base image', () => {
    const { defaults } = readDockerfile(read(`${name}.Dockerfile`));
    expect(defaults.NODE_IMAGE).toMatch(/^node:24\.\d+\.\d+-trixie-slim(@sha256:[0-9a-f]{64})?$/);
    expect(defaults.DEBIAN_IMAGE).toMatch(/^debian:trixie-slim(@sha256:[0-9a-f]{64})?$/);
    const own = JSON.parse(readFileSync(join(checkout, 'deploy/node/package.json'), 'utf8'));
    for (const version of Object.values<string>(own.optionalDependencies))
      expect(defaults.NODE_IMAGE).toContain(version);
  });

  test('uses scripts for RUN steps of several commands, and names no processors', () => {
    const { stages } = readDockerfile(read(`${name}.Dockerfile`));
    const runs = stages.flatMap(({ instructions }) =>
      instructions.filter(({ keyword }) => keyword === 'RUN'),
    );
    expect(runs.length).toBeGreaterThan(5);
    for (const { rest } of runs) expect(rest).not.toMatch(/&&|;|\|/);
    expect(read(`${name}.Dockerfile`)).not.toMatch(/amd64|arm64|x86|aarch64/);
  });
});

test('every script that a step calls exists at its path', () => {
  let calls = 0;
  for (const name of ['service', 'converter'])
    for (const { flags, rest } of readDockerfile(read(`${name}.Dockerfile`)).stages.flatMap(
      (stage) => stage.instructions,
    )) {
      const [program = ''] = rest.split(/\s+/);
      if (!program.endsWith('.sh')) continue;
      const mount = flags
        .map(([, text]) => readPairs(text.replaceAll(',', ' ')))
        .find(({ type, target }) => type === 'bind' && program.startsWith(`${target}/`));
      const path = mount === undefined ? program : program.replace(mount.target ?? '', mount.source ?? '');
      expect(statSync(join(checkout, path)).mode & 0o111).toBe(0o111);
      calls++;
    }
  expect(calls).toBeGreaterThan(8);
});

describe.each(SERVICE_NAMES)('the image of the %s', (service) => {
  const instructions = instructionsOf(service);
  const last = (keyword: string) =>
    instructions.findLast((instruction) => instruction.keyword === keyword)?.rest ?? '';
  const env = Object.assign(
    {},
    ...instructions.filter(({ keyword }) => keyword === 'ENV').map(({ rest }) => readPairs(rest)),
  );

  test('runs as a user without a name, under an init that forwards signals', () => {
    expect(last('USER')).toBe('10001:10001');
    const entry = JSON.parse(last('ENTRYPOINT')) as string[];
    expect(entry.slice(0, 3)).toEqual(['tini', '--', 'node']);
    expect(entry.at(-1)).toBe('dist/main.js');
  });

  test('sets only variables that the service reads', () => {
    // The last one is for the C library (glibc.malloc, mallopt(3)).
    const known = [...Object.keys(SERVICE_SETTINGS[service].shape), 'HOME', 'HOST', 'GLIBC_TUNABLES'];
    for (const name of Object.keys(env)) expect(known).toContain(name);
    expect(env).toMatchObject({ NODE_ENV: 'production', INTERNAL_HOST: '0.0.0.0' });
  });

  test('checks health on its default internal port, and lists the ports that it opens', () => {
    const { shape } = SERVICE_SETTINGS[service];
    expect(Number(env.INTERNAL_PORT)).toBe(shape.INTERNAL_PORT.parse(undefined));
    expect(last('HEALTHCHECK')).toContain('/health.mjs');
    const ports = 'PORT' in shape ? [shape.PORT.parse(undefined)] : [];
    expect(last('EXPOSE').split(' ').map(Number)).toEqual([...ports, Number(env.INTERNAL_PORT)]);
  });
});

test.each(SERVICE_NAMES)(
  'the image of the %s installs Node’s libraries before a step runs Node',
  (service) => {
    const steps = instructionsOf(service).filter(({ keyword }) => keyword === 'RUN');
    const libraries = steps.findIndex(
      ({ rest }) => rest.includes('libatomic1') && rest.includes('libstdc++6'),
    );
    expect(libraries).toBeGreaterThanOrEqual(0);
    for (const { rest } of steps.slice(0, libraries + 1)) expect(rest).not.toMatch(/ @\w+|\bnode\b/);
  },
);

describe('the packages of the images', () => {
  const installed = (service: ServiceName) =>
    instructionsOf(service)
      .filter(({ rest }) => rest.includes('install-packages.sh'))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(1));
  const names = requirements.map((need) => need.package);

  test('are those of npm start: LibreOffice and all fonts for the converter, fonts for signer and verifier', () => {
    expect(installed('converter')).toEqual(
      expect.arrayContaining(['@office', '@font', '@hyphenation', 'fontconfig']),
    );
    expect(installed('signer')).toContain('@font');
    expect(installed('verifier')).toContain('@font');
    const listed = ['office', 'font', 'hyphenation'].flatMap((kind) =>
      execFileSync(process.execPath, [join(folder, 'steps', 'packages.mjs'), kind], { encoding: 'utf8' })
        .trim()
        .split(' '),
    );
    const wanted = requirements.filter(({ kind }) => kind !== 'tool').map((need) => need.package);
    expect(wanted.filter((name) => !listed.includes(name))).toEqual([
      'libreofficekit-dev',
      'libreoffice-dev',
    ]);
  });

  test('are compiled with the tools of npm start, in a stage that is not shipped', () => {
    const { stages } = readDockerfile(read('converter.Dockerfile'));
    const [toolchain] = stages.find(({ name }) => name === 'toolchain')?.instructions ?? [];
    const compilers = toolchain?.rest.split(/\s+/).slice(1) ?? [];
    expect(compilers).toEqual(expect.arrayContaining(['libreofficekit-dev', 'libreoffice-dev']));
    expect(names).toEqual(expect.arrayContaining(compilers));
    expect(instructionsOf('converter').some(({ rest }) => rest.includes('gcc'))).toBe(false);
  });

  test('let the annotator draw with a font of npm start', () => {
    const fonts = installed('annotator').filter((name) => name.startsWith('fonts-'));
    expect(fonts).not.toEqual([]);
    expect(names).toEqual(expect.arrayContaining(fonts));
  });
});

test('every script is valid for a POSIX shell', () => {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sh'),
  );
  expect(scripts.length).toBeGreaterThan(4);
  for (const name of scripts) execFileSync('sh', ['-n', join(folder, name)]);
});

test('no secret, test or module of the checkout is copied into an image', () => {
  const from = join(scratch, 'checkout');
  const kept = [
    'package.json',
    'services/gateway/src/main.ts',
    'services/gateway/assets/sample.docx',
    'deploy/docker/steps/prune.sh',
  ];
  const left = [
    '.env.production',
    'services/gateway/.env',
    'key.pem',
    'services/signer/service.p12',
    'secrets/gateway.env',
    'secrets/signing/service.pfx',
    'secrets/signing/service.key',
    'secrets/signing/service.password',
    '.git/config',
    '.data/code-pepper',
    'node_modules/a/index.js',
    'services/gateway/node_modules/a/index.js',
    'shared/dist/ids.js',
    'services/gateway/test/a.test.ts',
    'shared/src/testing/stack.ts',
  ];
  for (const name of [...kept, ...left]) {
    mkdirSync(dirname(join(from, name)), { recursive: true });
    writeFileSync(join(from, name), '');
  }
  writeFileSync(join(from, '.dockerignore'), readFileSync(join(checkout, '.dockerignore')));
  const to = join(scratch, 'context');
  copyContext(from, to);
  const copied = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = copied.map((entry) => join(entry.parentPath, entry.name).slice(to.length + 1)).sort();
  expect(paths).toEqual(['.dockerignore', ...kept].sort());
});
