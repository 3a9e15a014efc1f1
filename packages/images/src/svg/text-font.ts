import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const LOOKUP_TIMEOUT_MS = 5_000;

/** Finds a font on this host for the text of SVG images, as fontconfig chooses it. Undefined if the lookup fails. */
export async function findTextFont(): Promise<Buffer | undefined> {
  try {
    const command = promisify(execFile)('fc-match', ['--format=%{file}', 'sans-serif'], {
      timeout: LOOKUP_TIMEOUT_MS,
      encoding: 'utf8',
    });
    return await readFile((await command).stdout);
  } catch {
    return undefined;
  }
}
