import { type Logger, pino } from 'pino';

export type { Logger };

const REDACTED_PATHS = [
  'authorization',
  'headers.authorization',
  'headers.cookie',
  'req.headers.authorization',
  'apiKey',
  'code',
  'email',
  'password',
  '*.password',
  '*.apiKey',
];

/**
 * Writes JSON lines to standard output. Log ids and numbers, but never document content, keys, codes or addresses. `fields`
 * returns additional fields for each line.
 */
export function createLogger(service: string, level: string, fields?: () => object): Logger {
  return pino({
    level,
    ...(fields && { mixin: fields }),
    base: { service, pid: process.pid },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    serializers: { err: (error: unknown) => describeError(error) },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}

interface ErrorDescription {
  type: string;
  message: string;
  stack: string | undefined;
  code: unknown;
  cause: ErrorDescription | undefined;
}

const CAUSES_MAX = 4;

/** Copies known properties only: libraries add commands with arguments, addresses and replies to errors. */
function describeError(error: unknown, depth = 0): ErrorDescription | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    stack,
    code: (error as { code?: unknown }).code,
    cause: depth < CAUSES_MAX ? describeError(cause, depth + 1) : undefined,
  };
}
