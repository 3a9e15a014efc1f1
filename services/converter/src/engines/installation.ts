import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the C programs are built; the path holds from `src/engines` and from `dist/engines`. */
const HOST_PATH = fileURLToPath(new URL('../../dist/engine-host', import.meta.url));
const CONFINED_PATH = fileURLToPath(new URL('../../dist/confined-soffice', import.meta.url));

/** Where distributions install it; see `libreoffice.mjs`. */
const PROGRAM_DIRS = [
  '/usr/lib/libreoffice/program',
  '/usr/lib64/libreoffice/program',
  '/opt/libreoffice/program',
  '/snap/libreoffice/current/lib/libreoffice/program',
];
const COMMANDS = [
  '/usr/bin/soffice',
  '/usr/local/bin/soffice',
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
];

async function isThere(path: string, mode: number): Promise<boolean> {
  return await access(path, mode).then(
    () => true,
    () => false,
  );
}

/** LibreOffice's program directory; undefined if none can be opened as a library. */
export async function findProgramDir(): Promise<string | undefined> {
  const linked = await realpath('/usr/bin/soffice').then(dirname, () => undefined);
  for (const dir of linked === undefined ? PROGRAM_DIRS : [linked, ...PROGRAM_DIRS]) {
    const libraries = ['libmergedlo.so', 'libsofficeapp.so'].map((name) => join(dir, name));
    for (const library of libraries) if (await isThere(library, constants.R_OK)) return dir;
  }
  return undefined;
}

/** The command that starts LibreOffice as its own process; undefined if there is none. */
export async function findCommand(): Promise<string | undefined> {
  const commands = [...PROGRAM_DIRS.map((dir) => join(dir, 'soffice')), ...COMMANDS];
  for (const command of commands) if (await isThere(command, constants.X_OK)) return command;
  return undefined;
}

/** The engine host's binary; undefined if it was not built. */
export async function findHost(): Promise<string | undefined> {
  return (await isThere(HOST_PATH, constants.X_OK)) ? HOST_PATH : undefined;
}

/** The program that starts LibreOffice within walls; undefined if it was not built. */
export async function findConfined(): Promise<string | undefined> {
  return (await isThere(CONFINED_PATH, constants.X_OK)) ? CONFINED_PATH : undefined;
}
