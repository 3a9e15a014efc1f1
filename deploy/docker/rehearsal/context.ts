import { createHash } from 'node:crypto';
import { cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';

/**
 * Copies what a checkout sends to the builder: everything that .dockerignore does not list (without `!` exceptions).
 */
export function copyContext(checkout: string, folder: string): void {
  const patterns = readFileSync(join(checkout, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  rmSync(folder, { recursive: true, force: true });
  cpSync(checkout, folder, {
    recursive: true,
    filter: (path) => !patterns.some((pattern) => matchesGlob(relative(checkout, path), pattern)),
  });
}

/** A digest of a file, or of a folder's content: names, modes and contents. */
export function digestOf(path: string): string {
  const hash = createHash('sha256');
  const add = (part: string) => {
    const status = lstatSync(part);
    hash.update(`${relative(path, part)} ${status.mode}\n`);
    if (status.isSymbolicLink()) hash.update(readlinkSync(part));
    else if (!status.isDirectory()) hash.update(readFileSync(part));
    else for (const name of readdirSync(part).sort()) add(join(part, name));
  };
  add(path);
  return hash.digest('hex');
}
