import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Beyond this, the log begins anew beside the one before. */
const LOG_BYTES_MAX = 32 * 1024 * 1024;
/** Time without a log after it could not be written. */
const RETRY_MS = 5_000;

/** A log in a folder that may be full: what cannot be written is lost, and the program goes on. */
export class LogFile {
  readonly #path: string;
  readonly #onFailure: (code: string) => void;
  #file: number | undefined;
  #bytes = 0;
  #retryAt = 0;
  #hasFailed = false;

  /** `onFailure` gets the code of the error (`ENOSPC`) when writing stops, once until it succeeds again. */
  constructor(path: string, onFailure: (code: string) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
  }

  write(chunk: Buffer): void {
    if (Date.now() < this.#retryAt) return;
    try {
      const file = this.#opened();
      this.#bytes += writeSync(file, chunk);
      this.#hasFailed = false;
      if (this.#bytes < LOG_BYTES_MAX) return;
      this.close();
      renameSync(this.#path, `${this.#path}.1`);
    } catch (error) {
      this.close();
      this.#retryAt = Date.now() + RETRY_MS;
      if (!this.#hasFailed) this.#onFailure((error as NodeJS.ErrnoException).code ?? String(error));
      this.#hasFailed = true;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #opened(): number {
    if (this.#file !== undefined) return this.#file;
    mkdirSync(dirname(this.#path), { recursive: true });
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
    return this.#file;
  }
}
