import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  /** 0 if the program succeeded. */
  status: number;
  /** Its output, followed by its error output. */
  text: string;
}

/** Runs a program and reports how it ended; rejects only if it cannot be started. */
export function outcomeOf(program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error && typeof error.code === 'string') reject(error);
      else resolve({ status: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr });
    });
  });
}

/** Provides files with these contents and this extension to a task, and removes them afterwards. */
export async function withFiles<T>(
  contents: readonly Uint8Array[],
  extension: string,
  task: (paths: string[], folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'judged-'));
  try {
    const paths = contents.map((_, number) => join(folder, `${number}${extension}`));
    await Promise.all(paths.map((path, number) => writeFile(path, contents[number] ?? '')));
    return await task(paths, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The path of a judge's source that is not TypeScript. */
export const judgeFile = (name: string): string => join(import.meta.dirname, name);
