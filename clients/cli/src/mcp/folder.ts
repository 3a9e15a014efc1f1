import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, opendir, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Documents } from '@scriptorium/mcp/tool';
import { CliError } from '../cli-error.ts';
import { tooLarge } from '../sources.ts';

// Windows has neither.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;
const LISTED_MAX = 200;
const IS_LINUX = process.platform === 'linux';

/**
 * Files in one folder, for callers who choose the paths. A path is checked as it is written, then where it really leads, and then
 * on the open descriptor. So a link that is put there in between leads nowhere.
 */
export class Folder implements Documents {
  /** The real path of the folder. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(path: string): Promise<Folder> {
    return new Folder(await realpath(path));
  }

  /** Reads a file. Throws OUTSIDE_FOLDER, FILE_NOT_FOUND, FILE_UNREADABLE or FILE_TOO_LARGE. */
  async read(path: string, bytesMax: number): Promise<File> {
    const real = this.#inside(await realpath(this.#resolve(path)).catch(unreadable(path)), path);
    const handle = await open(real, constants.O_RDONLY | NO_FOLLOW | NO_WAIT).catch(unreadable(path));
    try {
      await this.#checkDescriptor(handle, real, path);
      const { size, isFile } = await factsOf(handle);
      if (!isFile) throw new CliError('FILE_UNREADABLE', `${path} is not a file.`);
      if (size > bytesMax) throw tooLarge(path, bytesMax, size);
      const bytes = await handle.readFile();
      // It may have grown.
      if (bytes.length > bytesMax) throw tooLarge(path, bytesMax);
      return new File([new Uint8Array(bytes)], basename(real));
    } finally {
      await handle.close();
    }
  }

  /** Throws unless `path` is free for a new file: OUTSIDE_FOLDER, FILE_NOT_FOUND for its folder, FILE_EXISTS. */
  async checkNew(path: string): Promise<void> {
    const full = await this.#placeOf(path);
    // A link that leads nowhere is there, too.
    const found = await readlink(full).catch(() => stat(full).catch(() => undefined));
    if (found !== undefined) throw exists(path);
  }

  /** Writes a new file, and never over one that is there. */
  async create(path: string, bytes: Uint8Array): Promise<void> {
    const full = await this.#placeOf(path);
    const parent = await open(dirname(full), constants.O_RDONLY | DIRECTORY | NO_FOLLOW).catch(
      unreadable(path),
    );
    try {
      await this.#checkDescriptor(parent, dirname(full), path);
      // In the folder that was checked, wherever its name leads by now.
      const place = IS_LINUX ? `/proc/self/fd/${parent.fd}/${basename(full)}` : full;
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
      const file = await open(place, flags, 0o644).catch((error) => {
        throw error.code === 'EEXIST' ? exists(path) : notWritable(path, error);
      });
      try {
        await this.#checkDescriptor(file, full, path);
        await file.writeFile(bytes);
      } catch (error) {
        await unlink(place).catch(() => undefined);
        throw error instanceof CliError ? error : notWritable(path, error as NodeJS.ErrnoException);
      } finally {
        await file.close();
      }
    } finally {
      await parent.close();
    }
  }

  /** The files in the folder itself, without hidden ones and links. */
  async list(): Promise<{ name: string; bytes: number }[]> {
    const names: string[] = [];
    for await (const entry of await opendir(this.root)) {
      if (!entry.isFile() || entry.name.startsWith('.')) continue;
      names.push(entry.name);
      if (names.length === LISTED_MAX) break;
    }
    const sizeOf = async (name: string) => (await stat(join(this.root, name)).catch(() => undefined))?.size;
    const files = await Promise.all(names.sort().map(async (name) => ({ name, bytes: await sizeOf(name) })));
    return files.flatMap(({ name, bytes }) => (bytes === undefined ? [] : [{ name, bytes }]));
  }

  /** The place of a new file, in a folder that is really within this one. */
  async #placeOf(path: string): Promise<string> {
    const full = this.#resolve(path);
    if (full === this.root) throw exists(path);
    const parent = await realpath(dirname(full)).catch(unreadable(dirname(path)));
    return join(this.#inside(parent, path), basename(full));
  }

  /** Where a path leads as it is written. */
  #resolve(path: string): string {
    if (path === '' || path.includes('\0'))
      throw new CliError('OUTSIDE_FOLDER', 'The path is not a name of a file.');
    // The caller may know the folder by another name than its real one, so that only relative paths are certain.
    return this.#inside(resolve(this.root, path), path);
  }

  #inside(real: string, path: string): string {
    const way = relative(this.root, real);
    if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return real;
    throw new CliError('OUTSIDE_FOLDER', `${path} is outside of the folder of this server.`);
  }

  /** Throws OUTSIDE_FOLDER if what is open is elsewhere than its name said a moment ago. */
  async #checkDescriptor(handle: FileHandle, real: string, path: string): Promise<void> {
    if (IS_LINUX) {
      this.#inside(await readlink(`/proc/self/fd/${handle.fd}`), path);
      return;
    }
    const again = this.#inside(await realpath(real).catch(unreadable(path)), path);
    const [named, opened] = await Promise.all([stat(again, { bigint: true }), handle.stat({ bigint: true })]);
    if (!isSame(named, opened)) throw new CliError('OUTSIDE_FOLDER', `${path} changed while it was opened.`);
  }
}

const isSame = (a: BigIntStats, b: BigIntStats): boolean => a.dev === b.dev && a.ino === b.ino;

async function factsOf(handle: FileHandle): Promise<{ size: number; isFile: boolean }> {
  const found = await handle.stat();
  return { size: found.size, isFile: found.isFile() };
}

const unreadable =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code === 'ENOENT') throw new CliError('FILE_NOT_FOUND', `${path} does not exist.`);
    if (error.code === 'ELOOP') throw new CliError('OUTSIDE_FOLDER', `${path} is a link.`);
    throw new CliError('FILE_UNREADABLE', `${path} cannot be opened (${error.code}).`, error);
  };

const exists = (path: string): CliError => new CliError('FILE_EXISTS', `${path} is there already.`);
const notWritable = (path: string, error: NodeJS.ErrnoException): CliError =>
  new CliError('FILE_NOT_WRITABLE', `${path} cannot be written (${error.code ?? error.message}).`, error);
