import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from '@scriptorium/shares/pool';

const SCRIPT = fileURLToPath(new URL('./uno_listener.py', import.meta.url));
export const PYTHON = process.env.UNO_PYTHON ?? '/usr/bin/python3';
export const SOFFICE = process.env.SOFFICE ?? '/usr/bin/soffice';

interface Listener {
  process: ChildProcessWithoutNullStreams;
  dir: string;
  next(): Promise<string>;
}

/** Persistent LibreOffice processes behind `uno_listener.py`; each converts one document at a time. */
export class UnoListeners {
  readonly #count: number;
  readonly #dir: string;
  readonly #pool = new Pool<Listener>((message) => new Error(message));
  readonly #all: Listener[] = [];

  constructor(count: number, dir: string) {
    this.#count = count;
    this.#dir = dir;
  }

  async start(): Promise<void> {
    for (let i = 0; i < this.#count; i++) {
      // Documents on the same file system as the engine's, so that only the engines differ.
      const dir = mkdtempSync(join(process.platform === 'linux' ? '/dev/shm' : tmpdir(), 'bench-uno-'));
      const python = spawn(PYTHON, [SCRIPT, SOFFICE, join(this.#dir, `profile-${i}`)]);
      const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
      let errors = '';
      python.stderr.on('data', (text) => {
        errors += text;
      });
      const next = async () => {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`the UNO listener ended: ${errors}`);
        return value;
      };
      const listener = { process: python, dir, next };
      this.#all.push(listener);
      await next();
      this.#pool.put(listener);
    }
  }

  async convert(docx: Buffer): Promise<Buffer> {
    const listener = await this.#pool.take(new AbortController().signal);
    try {
      const [input, output] = [join(listener.dir, 'input.docx'), join(listener.dir, 'output.pdf')];
      await writeFile(input, docx);
      listener.process.stdin.write(`${input} ${output}\n`);
      const answer = await listener.next();
      if (answer !== 'ok') throw new Error(answer);
      const pdf = await readFile(output);
      await rm(output);
      return pdf;
    } finally {
      this.#pool.put(listener);
    }
  }

  async close(): Promise<void> {
    for (const { process, dir } of this.#all) {
      const ended = new Promise((resolve) => process.once('close', resolve));
      process.stdin.end();
      await ended;
      await rm(dir, { recursive: true, force: true });
    }
  }
}
