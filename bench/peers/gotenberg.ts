import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Pool } from '@scriptorium/shares/pool';
import { freePort } from '@scriptorium/testing/server-process';
import { PYTHON, SOFFICE } from './uno-listeners.ts';

const SCRIPT = fileURLToPath(new URL('./uno_once.py', import.meta.url));
const OPTIONS = [
  '--headless',
  '--invisible',
  '--nocrashreport',
  '--nodefault',
  '--nologo',
  '--nofirststartwizard',
  '--norestore',
];
/** LibreOffice ends with this code after it has made a profile. */
const PROFILE_MADE = 81;
const START_MS_MAX = 20_000;
const run = promisify(execFile);

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

interface Office {
  port: number;
  child: ChildProcess;
  profile: string;
  left: number;
}

/**
 * How Gotenberg drives LibreOffice, without its HTTP server (https://github.com/gotenberg/gotenberg,
 * pkg/gotenberg/supervisor.go and pkg/modules/libreoffice/api/libreoffice.go): one LibreOffice, one document at a time,
 * a process for each document. After so many documents LibreOffice is killed and started with a new profile, which
 * takes two starts, and the next document waits.
 */
export class Gotenberg {
  readonly #folder: string;
  readonly #restartAfter: number;
  readonly #pool = new Pool<Office>((message) => new Error(message));
  #office: Office | undefined;
  #restarting: Promise<void> = Promise.resolve();

  /** `restartAfter` 0 never restarts LibreOffice. */
  constructor(folder: string, restartAfter: number) {
    this.#folder = folder;
    this.#restartAfter = restartAfter;
  }

  async start(): Promise<void> {
    const binary = `${realpathSync(SOFFICE)}.bin`;
    const [port, profile] = [await freePort(), await mkdtemp(join(this.#folder, 'profile-'))];
    const accept = `--accept=socket,host=127.0.0.1,port=${port},tcpNoDelay=1;urp;StarOffice.ComponentContext`;
    const args = [...OPTIONS, `-env:UserInstallation=file://${profile}`, accept];
    const first = spawn(binary, args, { stdio: 'ignore' });
    const [code] = await once(first, 'exit');
    if (code !== PROFILE_MADE && code !== 0) throw new Error(`LibreOffice ended with ${code}`);
    const child = spawn(binary, args, { stdio: 'ignore' });
    for (const end = Date.now() + START_MS_MAX; !(await listens(port)); await sleep(20))
      if (Date.now() > end) throw new Error('LibreOffice does not listen');
    const left = this.#restartAfter === 0 ? Number.POSITIVE_INFINITY : this.#restartAfter;
    this.#office = { port, child, profile, left };
    this.#pool.put(this.#office);
  }

  async #stop(office: Office): Promise<void> {
    const ended = once(office.child, 'exit');
    office.child.kill('SIGKILL');
    await ended;
    await rm(office.profile, { recursive: true, force: true });
  }

  async convert(docx: Buffer): Promise<Buffer> {
    const office = await this.#pool.take(new AbortController().signal);
    const folder = join(this.#folder, crypto.randomUUID());
    try {
      await mkdir(folder);
      const [input, output] = [join(folder, 'document.docx'), join(folder, 'document.pdf')];
      await writeFile(input, docx);
      await run(PYTHON, [SCRIPT, String(office.port), input, output]);
      return await readFile(output);
    } finally {
      office.left -= 1;
      if (office.left > 0) this.#pool.put(office);
      else this.#restarting = this.#stop(office).then(() => this.start());
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Waits until no restart is under way. */
  async settled(): Promise<void> {
    await this.#restarting;
  }

  async close(): Promise<void> {
    await this.settled();
    if (this.#office !== undefined) await this.#stop(this.#office);
  }
}
