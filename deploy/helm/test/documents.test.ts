import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CHART, findTool, type KubernetesObject, parseObjects } from './helm.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCUMENTS = [
  'docs/operations/keys.md',
  'deploy/helm/scriptorium/README.md',
  'examples/k8s-kind/README.md',
];
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-documents-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Stand-ins for programs that need a cluster: they write down their arguments, and `helm` renders what it would install. */
async function standIns(): Promise<{ env: NodeJS.ProcessEnv; log: string; rendered: string }> {
  const [log, rendered] = [join(folder, 'log'), join(folder, 'rendered')];
  await writeFile(log, '');
  await writeFile(rendered, '');
  const written = `printf '%s\\n' "\${0##*/} $*" >> '${log}'\n`;
  const helm = await findTool('helm');
  const render = `[ "$1" = install ] || [ "$1" = upgrade ] || exit 0
shift
for argument; do shift; case "$argument" in --install|--wait) ;; *) set -- "$@" "$argument";; esac; done
'${helm}' template "$@" >> '${rendered}'\n`;
  for (const name of ['helm', 'kubectl', 'kind', 'docker']) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\n${written}${name === 'helm' ? render : ''}`);
    await chmod(file, 0o755);
  }
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, KUBECONFIG: '/dev/null' };
  return { env, log, rendered };
}

const namesOf = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);

/** The objects that commands name as `deploy/x` or `service/x`. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/\b(deploy|service)\/(docs-[\w-]+)/g)].map(
    ([, kind, name]) => `${kind === 'deploy' ? 'deployment' : kind}/${name}`,
  );

describe.each(DOCUMENTS)('%s', (document) => {
  test('has commands for this chart, and names objects that it installs', async () => {
    const text = await readFile(join(ROOT, document), 'utf8');
    const commands = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code).join('');
    const installs = [...commands.matchAll(/^helm install (?:.*\\\n)*.*$/gm)].map(([command]) => command);
    const { env, rendered } = await standIns();
    await run('sh', ['-euc', installs.join('\n')], { cwd: ROOT, env });
    if (installs.length === 0) await run('helm', ['install', 'docs', CHART, '-n', 'documents'], { env });
    const objects = namesOf(parseObjects(await readFile(rendered, 'utf8')));
    expect(objects.length).toBeGreaterThan(10);
    expect(objects).toEqual(expect.arrayContaining(namedIn(commands)));
  });
});

test('the example of kind loads each image that it then installs, and finds the objects that it names', async () => {
  const { env, log, rendered } = await standIns();
  const script = join(ROOT, 'examples/k8s-kind/up.sh');
  await run('bash', [script], { env });
  const calls = await readFile(log, 'utf8');
  const text = await readFile(rendered, 'utf8');
  const images = new Set(text.match(/scriptorium\/\w+:[\w.]+/g));
  const loaded = [...calls.matchAll(/^kind load docker-image (\S+)/gm)].map(([, image]) => image);
  expect(new Set(loaded)).toEqual(images);
  const built = [...calls.matchAll(/^docker build -f (\S+) .*-t (\S+) \.$/gm)].map(([, file, image]) => [
    file,
    image,
  ]);
  expect(built.map(([, image]) => image)).toEqual(loaded);
  for (const [file = ''] of built) await readFile(join(ROOT, file));
  expect(namesOf(parseObjects(text))).toEqual(
    expect.arrayContaining(namedIn(calls + (await readFile(script, 'utf8')))),
  );
  expect(text).toMatch(/name: TRIAL\n\s+value: "on"/);
});
