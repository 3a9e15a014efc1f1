import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const root = resolve(import.meta.dirname, '..');

/** Folders of `packages`: the names behind `@scriptorium/`. */
export const PACKAGES: readonly string[] = readdirSync(join(root, 'packages')).sort();

/** One row of the table of entries: the entries, and the names that they export according to it. */
export interface EntryRow {
  entries: string[];
  names: string[];
}

/** The README of a package, with the parts of its manifest that the README describes. */
export interface PackageReadme {
  text: string;
  rows: EntryRow[];
  /** The script in its only block of TypeScript. */
  example: string;
  /** The output that the comments `// prints …` of the script announce, line by line. */
  prints: string[];
  /** Keys of `exports`, such as `./read`, and the source files that they lead to. */
  exports: Map<string, string>;
  /** Packages of this workspace that it depends on, but for its tests. */
  dependencies: string[];
}

interface Manifest {
  exports: Record<string, string | { source: string }>;
  dependencies?: Record<string, string>;
}

const SCOPE = '@scriptorium/';

export function readPackageReadme(name: string): PackageReadme {
  const folder = join(root, 'packages', name);
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const [example, second] = text.matchAll(/^```ts\n(.*?)^```$/gms);
  if (example?.[1] === undefined || second !== undefined) throw new Error(`${name} needs one block of ts`);
  const sources = Object.entries(manifest.exports).map(([entry, target]): [string, string] => [
    entry,
    join(folder, typeof target === 'string' ? target : target.source),
  ]);
  return {
    text,
    rows: [...text.matchAll(/^\| (`\.\/.*?) \| (.*) \|$/gm)].map(([, entries = '', exported = '']) => ({
      entries: quotedIn(entries),
      names: quotedIn(exported).filter((quoted) => /^\w+$/.test(quoted)),
    })),
    example: example[1],
    prints: [...example[1].matchAll(/\/\/ prints (.*)$/gm)].map(([, line = '']) => line),
    exports: new Map(sources),
    dependencies: Object.keys(manifest.dependencies ?? {}).flatMap((dependency) =>
      dependency.startsWith(SCOPE) ? dependency.slice(SCOPE.length) : [],
    ),
  };
}

function quotedIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, quoted = '']) => quoted);
}

/** The names that a source file exports, types among them. */
export function exportedNames(path: string): Set<string> {
  const source = readFileSync(path, 'utf8');
  const lists = [...source.matchAll(/^export (?:type )?\{(.*?)\}/gms)].flatMap(([, list = '']) =>
    list.split(',').map((item) => item.replace(/^\s*type /, '').trim()),
  );
  const declared = source.matchAll(
    /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type) (\w+)/gm,
  );
  return new Set([...lists, ...[...declared].map(([, name = '']) => name)]);
}

const run = promisify(execFile);

/** Writes compiler settings for the files of a folder: those of the project, and `options`. */
export async function writeCompilerSettings(folder: string, options: object): Promise<void> {
  const settings = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, ...options },
    include: ['*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
}

/** The errors that the compiler reports for the files of a folder; empty if there are none. */
export async function compilerErrors(folder: string): Promise<string> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const outcome = run(process.execPath, [compiler, '-p', folder], { cwd: folder });
  return await outcome.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** Writes an example into a folder and runs it there; resolves with the lines that it prints. */
export async function runExample(
  name: string,
  example: string,
  { folder, flags = [], databaseUrl }: { folder: string; flags?: string[]; databaseUrl: string },
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  await writeFile(file, example);
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const { stdout } = await run(process.execPath, [...flags, file], { cwd: folder, env });
  return stdout.trimEnd().split('\n');
}
