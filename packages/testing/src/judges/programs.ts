import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  /** 0 where the program was content. */
  status: number;
  /** What it wrote, errors behind the rest. */
  text: string;
}

/** Runs a program and tells how it ended; rejects only where it cannot be started. */
export function outcomeOf(program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error && typeof error.code === 'string') reject(error);
      else resolve({ status: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr });
    });
  });
}

/** Lends files with these contents to a task, under names of this kind, and removes them afterwards. */
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

/** Where the source of a judge that is no TypeScript lies, by its name. */
export const judgeFile = (name: string): string => join(import.meta.dirname, name);
