import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from '@scriptorium/shares/pool';
import { PYTHON, SOFFICE } from './uno-listeners.ts';

const SCRIPT = fileURLToPath(new URL('./uno_server.py', import.meta.url));

interface Server {
  port: number;
  profile: string;
  left: number;
  stop(): Promise<void>;
  ended: Promise<unknown>;
}

/** A call of XML-RPC (http://xmlrpc.com/spec.md) with one binary parameter and a binary result. */
function call(port: number, docx: Buffer): Promise<Buffer> {
  const body =
    '<?xml version="1.0"?><methodCall><methodName>convert</methodName><params><param><value><base64>' +
    `${docx.toString('base64')}</base64></value></param></params></methodCall>`;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(body) };
    request({ port, host: '127.0.0.1', method: 'POST', path: '/RPC2', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        const text = Buffer.concat(chunks).toString('latin1');
        const start = text.indexOf('<base64>');
        if (start < 0) reject(new Error(text.slice(0, 500)));
        else resolve(Buffer.from(text.slice(start + 8, text.indexOf('</base64>')), 'base64'));
      });
    })
      .once('error', reject)
      .end(body);
  });
}

/** Servers behind `uno_server.py`; one that has ended after so many documents is started again. */
export class UnoServers {
  readonly #folder: string;
  readonly #stopAfter: number;
  readonly #pool = new Pool<Server>((message) => new Error(message));
  readonly #servers = new Set<Server>();
  #restarts: Promise<void>[] = [];
  #started = 0;

  /** `stopAfter` 0 never ends a server. */
  constructor(folder: string, stopAfter: number) {
    this.#folder = folder;
    this.#stopAfter = stopAfter;
  }

  async start(count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, () => this.#startOne(join(this.#folder, `profile-${this.#started++}`))),
    );
  }

  async #startOne(profile: string): Promise<void> {
    const child = spawn(PYTHON, [SCRIPT, SOFFICE, profile, String(this.#stopAfter)]);
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    const ended = once(child, 'close');
    const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    if (done === true) throw new Error(`the UNO server ended: ${errors}`);
    const stop = async () => {
      child.kill('SIGINT');
      await ended;
    };
    const left = this.#stopAfter === 0 ? Number.POSITIVE_INFINITY : this.#stopAfter;
    const server = { port: Number(String(value).split(' ')[1]), profile, left, stop, ended };
    this.#servers.add(server);
    this.#pool.put(server);
  }

  async #restart(server: Server): Promise<void> {
    await server.ended;
    this.#servers.delete(server);
    await this.#startOne(server.profile);
  }

  async convert(docx: Buffer): Promise<Buffer> {
    const server = await this.#pool.take(new AbortController().signal);
    try {
      return await call(server.port, docx);
    } finally {
      server.left -= 1;
      if (server.left > 0) this.#pool.put(server);
      else this.#restarts.push(this.#restart(server));
    }
  }

  /** Waits until no restart is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#restarts);
    this.#restarts = [];
  }

  async close(): Promise<void> {
    await this.settled();
    await Promise.all([...this.#servers].map((server) => server.stop()));
  }
}
