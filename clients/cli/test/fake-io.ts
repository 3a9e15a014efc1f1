import { PassThrough, Readable } from 'node:stream';
import type { Io } from '../src/io.ts';
import { run } from '../src/run.ts';

export interface Ran {
  code: number;
  out: Buffer;
  text: string;
  errors: string;
}

interface Options {
  env?: Record<string, string>;
  stdin?: string | Buffer;
  isTerminal?: boolean;
  signal?: AbortSignal;
}

/** Runs the command in this process, with streams of its own. */
export async function command(args: readonly string[], options: Options = {}): Promise<Ran> {
  const [stdout, stderr] = [collector(options.isTerminal), collector(options.isTerminal)];
  const stdin: Io['stdin'] = Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]);
  const io: Io = {
    env: options.env ?? {},
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await run(args, io);
  return { code, out: stdout.bytes(), text: stdout.bytes().toString(), errors: stderr.bytes().toString() };
}

function collector(isTTY = false) {
  const stream: PassThrough & { isTTY?: boolean } = new PassThrough();
  stream.isTTY = isTTY;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  return { stream, bytes: () => Buffer.concat(chunks) };
}
