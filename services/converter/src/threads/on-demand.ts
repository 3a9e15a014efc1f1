import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import { EngineError } from '../engines/engine.ts';

const TIMEOUT_MS = 30_000;

/** A thread for work that few documents need, so it starts with the first one. */
export class OnDemandThread<Request, Answer> {
  readonly #program: string;
  readonly #heapMibMax: number;
  #threads: WorkerThreads<Request, Answer> | undefined;

  /** `program` is the file beside this one, without its suffix. */
  constructor(program: string, heapMibMax: number) {
    this.#program = program;
    this.#heapMibMax = heapMibMax;
  }

  ask(...call: Parameters<WorkerThreads<Request, Answer>['ask']>): Promise<Answer> {
    this.#threads ??= new WorkerThreads({
      program: programBeside(import.meta.url, this.#program),
      threads: 1,
      timeoutMs: TIMEOUT_MS,
      heapMibMax: this.#heapMibMax,
      fail: (kind, message) => new EngineError(kind, message),
    });
    return this.#threads.ask(...call);
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }
}
