import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';

/** Something that was started and must be stopped. */
export interface Closeable {
  close(): Promise<void>;
}

/** How long closing may take beside the work that is waited for. */
export const CLOSE_MS_MAX = 15_000;

/** Waits for what is to end, for `msMax` at most. Rejects where it does before. */
export async function waitAtMost(msMax: number, end: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([end, limit]).finally(() => clearTimeout(timer));
}

/** Nothing has been taken yet that could be lost. The first process of a container does not end of itself by a signal. */
const endAtOnce = (): void => process.exit(0);

/**
 * Closes the parts in the order given when the process is asked to stop (SIGTERM, SIGINT) or when an
 * error escaped every handler, then exits: 0 when asked, 1 after a fault. `workMsMax` is the longest that work in progress
 * may take; 15 s after that the process exits, with 1.
 */
export function closeOnSignal(logger: Logger, parts: Closeable[], workMsMax: number): void {
  let isClosing = false;
  let code = 0;
  const close = async (reason: string): Promise<void> => {
    // Asked again, it goes on as it does: a Ctrl-C comes from the terminal and from whoever supervises the process.
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
  process.on('uncaughtException', (error) =>
    fail('uncaughtException', error, 'an error escaped every handler'),
  );
  process.on('unhandledRejection', (error) =>
    fail('unhandledRejection', error, 'a rejection was left unhandled'),
  );
}

/**
 * Runs a service's start; mistakes in the settings and a port that is taken end the process with a plain message on
 * standard error. Until `closeOnSignal`, a signal to stop ends it at once, with 0.
 */
export async function start(main: () => Promise<void>): Promise<void> {
  process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

/** What an operator can mend without knowing the code is told without a stack. */
function describe(error: unknown): string {
  const { syscall, message, stack } = error as NodeJS.ErrnoException;
  return error instanceof ConfigError || syscall === 'listen' ? message : String(stack ?? error);
}
