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

/** JSON lines on standard output. Ids and numbers go in; document content, keys, codes and addresses never. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service, pid: process.pid },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
