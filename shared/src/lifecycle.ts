import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';

/** Something that was started and must be stopped. */
export interface Closeable {
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 75_000;

/**
 * Closes the parts in the order given when the process is asked to stop (SIGTERM, SIGINT) or when an
 * error escaped every handler, then exits: 0 when asked, 1 after a fault.
 */
export function closeOnSignal(logger: Logger, parts: Closeable[]): void {
  let closing = false;
  const close = async (reason: string, exitCode: number): Promise<void> => {
    if (closing) return;
    closing = true;
    logger.info({ reason }, 'closing');
    setTimeout(() => {
      logger.error('closing took too long');
      process.exit(1);
    }, CLOSE_TIMEOUT_MS).unref();
    let code = exitCode;
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
  process.on('SIGTERM', () => void close('SIGTERM', 0));
  process.on('SIGINT', () => void close('SIGINT', 0));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'an error escaped every handler');
    void close('uncaughtException', 1);
  });
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'a rejection was left unhandled');
    void close('unhandledRejection', 1);
  });
}

/** Runs a service's start; mistakes in the settings and a port that is taken end the process with a plain message on standard error. */
export async function start(main: () => Promise<void>): Promise<void> {
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
