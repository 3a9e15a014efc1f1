import { AppError } from '@scriptorium/contracts/errors';
import type { Closeable } from '../lifecycle.ts';
import { WorkerThreads, type WorkerThreadsOptions } from './worker-threads.ts';

/** The functions of a module that its owner can call: all that it exports, except those of the protocol. */
type Calls<Module> = {
  [Name in keyof Module as Module[Name] extends (...input: never) => unknown
    ? Exclude<Name, 'ready' | 'keeps'>
    : never]: Module[Name];
};

/** A patient call waits for a thread until no other call waits. */
type CallOptions = { isPatient?: boolean };

/** A function of a module as its owner calls it. The signal aborts the work. */
type Call<Work> = Work extends (...input: infer Input) => infer Result
  ? (input: Input[0], signal: AbortSignal, options?: CallOptions) => Promise<Awaited<Result>>
  : never;

/** The functions of a module, each call of which runs in one of its threads. */
export type Threads<Module> = Closeable & {
  [Name in keyof Calls<Module>]: Call<Calls<Module>[Name]>;
} & {
  /** Resolves once every thread has loaded the module, and run its `ready`. */
  ready(): Promise<void>;
};

/** What all threads of a module have in common. */
interface Definition<Module>
  extends Pick<WorkerThreadsOptions, 'module' | 'timeoutMs' | 'heapMibMax' | 'keepsState' | 'fail'> {
  calls: { [Name in keyof Calls<Module>]: (why: string) => string };
  affinityOf?: (input: Parameters<Call<Calls<Module>[keyof Calls<Module>]>>[0]) => string;
}

/** `data` is what `threadData` returns in the module. */
type StartOptions<Data> = Pick<WorkerThreadsOptions, 'threads' | 'requestsMax' | 'onNote'> &
  Partial<Pick<WorkerThreadsOptions, 'timeoutMs' | 'heapMibMax'>> &
  ([Data] extends [undefined] ? { data?: undefined } : { data: Data });

/**
 * Defines threads that run the functions of a module. A function takes one value and returns one, which must be data.
 * Buffers in them arrive as Buffers. Only the type of the module is imported, not its code. The module may also export
 * `ready`, which prepares a thread, and `keeps`, which returns the bytes of an input that it reads after its answer.
 */
export function defineThread<Module, Data = undefined>(
  definition: Definition<Module>,
): (options: StartOptions<Data>) => Threads<Module> {
  return (options) => {
    const threads = new WorkerThreads({ ...definition, ...options });
    const functions = Object.keys(definition.calls).map((name) => {
      const call = (input: unknown, signal: AbortSignal, { isPatient }: CallOptions = {}) =>
        threads.ask({ name, input }, signal, isPatient);
      return [name, call];
    });
    return {
      ...Object.fromEntries(functions),
      ready: () => threads.ready(),
      close: () => threads.close(),
    };
  };
}

/** Makes the errors for work that was aborted through no fault of the caller. `what` is the work, such as `signing`. */
export function abortError(what: string, document: 'document' | 'template'): WorkerThreadsOptions['fail'] {
  return (kind, reason) => {
    const cause = new Error(reason);
    return kind === 'aborted'
      ? new AppError('DEADLINE_EXCEEDED', `The ${what} was aborted.`, { cause })
      : new AppError('UNAVAILABLE', `The work on the ${document} was stopped; send it again.`, { cause });
  };
}
