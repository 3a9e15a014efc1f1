import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What a command may use of its process. */
export interface Io {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Fires when the user stops the command. */
  signal: AbortSignal;
}

/** Characters that could steer a terminal, or show a text in another order than it has. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a text of a document or of the service so that a terminal only shows it. */
const plain = (text: string): string =>
  text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Writes one line of plain text. */
export const say = (stream: Writable, line: string): void => void stream.write(`${plain(line)}\n`);

/** Writes bytes, and waits until the reader has taken them. */
export const writeAll = (stream: Writable, bytes: Uint8Array | string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });

/** Asks for a line. Returns undefined at the end of the input. */
export async function askLine({ stdin, stderr, signal }: Io, question: string): Promise<string | undefined> {
  stderr.write(question);
  const lines = createInterface({ input: stdin, signal });
  try {
    for await (const line of lines) return line.trim();
    signal.throwIfAborted();
    return undefined;
  } finally {
    lines.close();
  }
}

/** Writes rows below each other in columns. */
export function sayTable(stream: Writable, rows: readonly (readonly string[])[]): void {
  const cells = rows.map((row) => row.map(plain));
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of cells)
    stream.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}
