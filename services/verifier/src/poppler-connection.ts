import { connect, type Socket } from 'node:net';
import { RenderingError } from '@scriptorium/rendering/reader';

/** By the clock, for a process that waits for ever: its processor time has a limit of its own (`second-reader/confine.c`). */
const TIMEOUT_MS = 30_000;
const HEAD_BYTES_MAX = 200;
const READ_BYTES = 256 * 1024;
const END_OF_LINE = 10;
/** SIGXCPU of signal(7), on x86-64 and arm64. */
const OVER_TIME = '24';

const REPAIRED = 'Poppler repairs the document, and drawing all of its pages takes too long.';

const failed = (what: string): RenderingError => new RenderingError('FAILED', `Poppler ${what}.`);

/** The words of a line, and the bytes that follow it. */
interface Answer {
  words: string[];
  body: Uint8Array;
}

/** An order that waits for its answer. */
interface Asked {
  lengthOf(words: readonly string[]): number;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A process of Poppler's host for one PDF. It answers one order at a time (`second-reader/serve.h`), and ends with the connection. */
export class PopplerConnection {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  #asked: Asked | undefined;
  #head = '';
  #answer: Answer | undefined;
  #filled = 0;
  #cpuMs = 0;
  #why: RenderingError | undefined;

  /** `name` is that of the host. */
  constructor(name: string, timeoutMs = TIMEOUT_MS) {
    // One buffer for all that it reads, in place of one for each chunk of a picture.
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (count: number) => {
      if (!this.#take(buffer.subarray(0, count))) this.#stop(failed('failed on the document'));
      return true;
    };
    this.#socket = connect({ path: `\0${name}`, onread: { buffer, callback } });
    const late = `takes longer than the limit of ${timeoutMs / 1_000} seconds`;
    this.#timer = setTimeout(() => this.#stop(failed(late)), timeoutMs);
    this.#socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      this.#stop(failed(code === 'ECONNREFUSED' ? 'is not running' : 'failed on the document')),
    );
    this.#socket.once('close', () => this.#stop(failed('failed on the document')));
  }

  /** The processor time that it has used, as far as it said. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  /** Writes what it needs before the first order. */
  send(...parts: (string | Uint8Array)[]): void {
    for (const part of parts) this.#socket.write(part);
  }

  /**
   * Returns the answer; `lengthOf` says how many bytes follow its line. Throws RenderingError; UNREADABLE if it answers so, with
   * this message.
   */
  async ask(order: string, unreadable: string, lengthOf: Asked['lengthOf'] = () => 0): Promise<Answer> {
    if (this.#why) throw this.#why;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#asked = { lengthOf, resolve, reject };
    this.send(`${order}\n`);
    const {
      words: [outcome, cpuMs, ...words],
      body,
    } = await promise;
    this.#cpuMs = Number(cpuMs);
    if (outcome === 'repaired') throw new RenderingError('TOO_LARGE', REPAIRED);
    if (outcome !== 'ok') throw new RenderingError('UNREADABLE', unreadable);
    return { words, body };
  }

  close(): void {
    this.#stop(failed('was stopped'));
  }

  /** Returns false for what is not an answer. */
  #take(chunk: Buffer): boolean {
    let rest = chunk;
    if (!this.#answer) {
      const end = rest.indexOf(END_OF_LINE);
      this.#head += rest.toString('latin1', 0, end === -1 ? rest.length : end);
      if (end === -1 || this.#head.length > HEAD_BYTES_MAX) return this.#head.length <= HEAD_BYTES_MAX;
      const words = this.#head.split(' ');
      this.#head = '';
      rest = rest.subarray(end + 1);
      if (words[0] === 'gone') return this.#onEnd(words);
      const length = words[0] === 'ok' ? this.#asked?.lengthOf(words.slice(2)) : 0;
      if (length === undefined || !(length >= 0)) return false;
      this.#answer = { words, body: new Uint8Array(length) };
      this.#filled = 0;
    }
    const { body } = this.#answer;
    if (!this.#asked || rest.length > body.length - this.#filled) return false;
    body.set(rest, this.#filled);
    this.#filled += rest.length;
    if (this.#filled === body.length) {
      this.#asked.resolve(this.#answer);
      this.#asked = undefined;
      this.#answer = undefined;
    }
    return true;
  }

  #onEnd([, signal, cpuMs]: string[]): boolean {
    this.#cpuMs = Number(cpuMs);
    if (signal !== OVER_TIME) return false;
    const limit = Math.round(this.#cpuMs / 1_000);
    this.#stop(failed(`takes longer than the limit of ${limit} seconds of processor time`));
    return true;
  }

  #stop(why: RenderingError): void {
    this.#why ??= why;
    clearTimeout(this.#timer);
    this.#asked?.reject(this.#why);
    this.#asked = undefined;
    this.#socket.destroy();
  }
}
