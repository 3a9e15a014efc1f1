import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError } from './cli-error.ts';
import { type Io, writeAll } from './io.ts';
import { type SentFile, STANDARD } from './sources.ts';

/** Where a document goes: a file, or standard output. */
export type OutputTarget = { path: string } | 'stdout';

/**
 * Returns where each document goes. `names` are the names that they have in a folder. Refuses two documents in one file, and a
 * document over one of the files that are read.
 */
export async function targetsOf(
  io: Io,
  output: string | undefined,
  names: readonly string[],
  sources: readonly SentFile[],
): Promise<OutputTarget[]> {
  if (output === undefined && io.stdout.isTTY)
    throw new CliError('USAGE', 'Name a file or a folder with -o. A document is not written to a terminal.');
  if (output === undefined || output === STANDARD) {
    if (names.length > 1)
      throw new CliError('USAGE', 'Name a folder with -o: there is more than one document.');
    return ['stdout'];
  }
  const isFolder = names.length > 1 || /[\\/]$/.test(output) || (await isDirectory(output));
  if (isFolder) await makeFolder(output);
  const paths = isFolder ? names.map((name) => join(output, name)) : [output];
  const inputs = new Set(sources.map(({ path }) => path));
  const seen = new Set<string>();
  for (const path of paths) {
    const real = await placeOf(path);
    if (inputs.has(real)) throw new CliError('USAGE', `${path} would replace a file that is read.`);
    if (seen.has(real)) throw new CliError('USAGE', `Two documents would be written to ${path}.`);
    seen.add(real);
  }
  return paths.map((path) => ({ path }));
}

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** The place of a file that may not exist yet. */
const placeOf = async (path: string): Promise<string> =>
  realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  );

export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error) => {
    throw notWritable(path, error);
  });
}

/** Writes a document. A file is whole, or is as it was. */
export async function deliver(io: Io, target: OutputTarget, bytes: Uint8Array): Promise<void> {
  if (target === 'stdout') return writeAll(io.stdout, bytes);
  await replaceFile(target.path, bytes);
}

export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    // A pipe or a device cannot be replaced.
    if (found !== undefined && !found.isFile()) return await writeFile(path, bytes);
    const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}`);
    try {
      await writeFile(draft, bytes, { flag: 'wx' });
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  } catch (error) {
    throw notWritable(path, error as NodeJS.ErrnoException);
  }
}

const notWritable = (path: string, error: NodeJS.ErrnoException): CliError =>
  new CliError('FILE_NOT_WRITABLE', `${path} cannot be written (${error.code ?? error.message}).`, error);
