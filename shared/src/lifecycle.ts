import { writeFileSync } from 'node:fs';
import { giveBackWhenIdle } from '@scriptorium/sealing/idle-memory';
import { ConfigError } from './config.ts';
import { createLogger, type Logger } from './logger.ts';

/** A started part that must be closed. */
export interface Closeable {
  close(): Promise<void>;
}

/** Maximum time for closing, in addition to the work in progress. */
export const CLOSE_MS_MAX = 15_000;

/** Waits for `end`, at most `msMax`. Rejects if it rejects before that. */
export async function waitAtMost(msMax: number, end: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([end, limit]).finally(() => clearTimeout(timer));
}

/** The process has no work yet. The first process of a container has no default signal handlers. */
const endAtOnce = (): void => process.exit(0);

/**
 * Closes the parts in the given order on SIGTERM, SIGINT or an uncaught error. Then it exits: with 0 after a signal, with 1
 * after an error. `workMsMax` is the maximum time for work in progress; 15 s after that the process exits with 1.
 */
export function closeOnSignal(logger: Logger, parts: Closeable[], workMsMax: number): void {
  let isClosing = false;
  let code = 0;
  const close = async (reason: string): Promise<void> => {
    // Further signals are ignored: after Ctrl-C, the terminal and the process manager both send one.
    if (isClosing) return;
    isClosing = true;
    logger.info({ reason }, 'closing');
    setTimeout(() => {
      logger.error('closing took too long');
      process.exit(1);
    }, workMsMax + CLOSE_MS_MAX).unref();
    for (const part of parts) {
      try {
        await part.close();
      } catch (error) {
        logger.error({ err: error }, 'a part failed to close');
        code = 1;
      }
    }
    logger.info('closed');
    process.exit(code);
  };
  const fail = (reason: string, error: unknown, text: string): void => {
    logger.fatal({ err: error }, text);
    code = 1;
    void close(reason);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.off(signal, endAtOnce);
    process.on(signal, () => void close(signal));
  }
  process.on('uncaughtException', (error) => fail('uncaughtException', error, 'uncaught error'));
  process.on('unhandledRejection', (error) => fail('unhandledRejection', error, 'unhandled rejection'));
}

/**
 * Starts a service, which gives the memory of documents back while it is idle. Mistakes in the settings and a port in use end the
 * process with a plain message on standard error. Other errors end it with a line of the log, which has their causes. Until
 * `closeOnSignal`, SIGTERM and SIGINT end the process at once with 0.
 */
export async function start(service: string, main: () => Promise<void>): Promise<void> {
  const fail = (error: unknown): void => {
    if (isOfOperator(error)) process.stderr.write(`${(error as Error).message}\n`);
    else createLogger(service, 'fatal').fatal({ err: error }, 'the service did not start');
    process.exit(1);
  };
  process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce).on('uncaughtException', fail);
  keepMemoryOutOfCores();
  giveBackWhenIdle();
  await main().catch(fail);
  process.off('uncaughtException', fail);
}

/**
 * Memory of this process and its children is left out of core files. This includes those that a handler of the system writes
 * without regard to limits (core(5), /proc/pid/coredump_filter).
 */
function keepMemoryOutOfCores(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/coredump_filter', '0');
}

/** Whether an operator can correct it without knowledge of the code. */
function isOfOperator(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return error instanceof ConfigError || syscall === 'listen' || syscall === 'getaddrinfo';
}
