import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Only against a hang. */
const RUN_MS_MAX = 120_000;

export interface OpensslRun {
  code: number;
  /** Its output on both channels, as text. */
  output: string;
  stdout: Buffer;
}

/** Runs the machine's openssl in a temporary folder that contains only these files. */
export async function openssl(
  args: string[],
  files: Record<string, string | Buffer> = {},
): Promise<OpensslRun> {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-openssl-'));
  try {
    await Promise.all(Object.entries(files).map(([name, bytes]) => writeFile(join(folder, name), bytes)));
    const options = { cwd: folder, timeout: RUN_MS_MAX, encoding: 'buffer' } as const;
    return runOf(0, await promisify(execFile)('openssl', args, options));
  } catch (error) {
    const failure = error as { code: unknown; stdout: Buffer; stderr: Buffer };
    if (typeof failure.code !== 'number') throw error;
    return runOf(failure.code, failure);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const runOf = (code: number, { stdout, stderr }: { stdout: Buffer; stderr: Buffer }): OpensslRun => ({
  code,
  output: `${stderr}${stdout}`,
  stdout,
});
