import { ScriptoriumError } from '@scriptorium/client';
import { type Io, say } from './io.ts';
import { REMEDIES } from './remedies.gen.ts';

/** The exit codes of the command. */
export const EXIT = { ok: 0, refused: 1, usage: 2, away: 3, notValid: 4 } as const;

/** Faults that the command itself finds, before it sends anything. */
type LocalCode =
  | 'USAGE'
  | 'FILE_NOT_FOUND'
  | 'FILE_UNREADABLE'
  | 'FILE_NOT_WRITABLE'
  | 'FILE_EXISTS'
  | 'FILE_TOO_LARGE'
  | 'DATA_INVALID'
  | 'OUTSIDE_FOLDER'
  | 'KEY_MISSING'
  | 'KEY_FILE_UNSAFE';

/** Codes of the client, and codes of the service for which a user of the command does something else. */
type Reworded =
  | 'CONNECTION_FAILED'
  | 'TIMEOUT'
  | 'UNEXPECTED_ANSWER'
  | 'ENCODING_UNKNOWN'
  | 'DELIMITER_UNKNOWN'
  | 'AUTHENTICATION_ERROR'
  | `PASSWORD_${string}`;

const LOCAL_REMEDIES: Record<LocalCode | Reworded, string> = {
  USAGE: 'Read `scriptorium help`.',
  FILE_NOT_FOUND: 'Check the path.',
  FILE_UNREADABLE: 'Check the path and the permissions of the file.',
  FILE_NOT_WRITABLE: 'Check the path, the permissions of the folder and the free space.',
  FILE_EXISTS: 'Choose another name.',
  FILE_TOO_LARGE: 'Send a smaller file, or ask the operator to raise the limit.',
  DATA_INVALID: 'Correct the data in the named place.',
  OUTSIDE_FOLDER: 'Use a path within the folder of the server. Links may not lead out of it.',
  ENCODING_UNKNOWN: 'Name the encoding with --encoding, or save the file as UTF-8.',
  DELIMITER_UNKNOWN: 'Name the delimiter with --delimiter.',
  KEY_MISSING: 'Run `scriptorium login EMAIL`, or set SCRIPTORIUM_API_KEY.',
  KEY_FILE_UNSAFE: 'Run `chmod 600` on the file. If others could read it, revoke the key.',
  CONNECTION_FAILED: 'Check SCRIPTORIUM_URL and the network. `scriptorium doctor` tries each step.',
  TIMEOUT: 'Try again later, or send a smaller document.',
  AUTHENTICATION_ERROR: 'Run `scriptorium login EMAIL`, or correct SCRIPTORIUM_API_KEY.',
  PASSWORD_REQUIRED: 'Set SCRIPTORIUM_PDF_PASSWORD.',
  PASSWORD_WRONG: 'Correct SCRIPTORIUM_PDF_PASSWORD.',
  UNEXPECTED_ANSWER: 'Check SCRIPTORIUM_URL: something else than the service answers there.',
};

/** A fault that the command itself found. */
export class CliError extends Error {
  readonly code: LocalCode;

  constructor(code: LocalCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** An error in words and numbers, for people, programs and models. */
export interface Fault {
  code: string;
  message: string;
  whatToDo: string;
  requestId?: string;
  /** Seconds to wait before another attempt. */
  retryAfterSeconds?: number;
  details?: readonly { field: string; issue: string }[];
  exitCode: number;
}

/** No answer of the service came. */
const AWAY: readonly string[] = ['TIMEOUT', 'UNEXPECTED_ANSWER'];

/** Describes an error. */
export function faultOf(error: unknown): Fault {
  if (error instanceof CliError) {
    const exitCode = error.code === 'USAGE' ? EXIT.usage : EXIT.refused;
    return { code: error.code, message: error.message, whatToDo: LOCAL_REMEDIES[error.code], exitCode };
  }
  if (!(error instanceof ScriptoriumError)) {
    const message = error instanceof Error ? error.message : String(error);
    const whatToDo = 'Report it with the command that you ran: it is a fault of the program.';
    return { code: 'UNEXPECTED', message, whatToDo, exitCode: EXIT.refused };
  }
  const { code, message, requestId, retryAfterMs, details, status, isRetryable } = error;
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  return {
    code,
    message,
    whatToDo: ({ ...REMEDIES, ...LOCAL_REMEDIES } as Record<string, string>)[code] ?? 'Read the message.',
    ...(requestId && { requestId }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    ...(details.length > 0 && { details }),
    exitCode: isRetryable || AWAY.includes(code) || status >= 500 ? EXIT.away : EXIT.refused,
  };
}

/** Shows an error: to people in lines, and to programs (`--json`) as one line of JSON. `subject` is the file at fault. */
export function sayFault(
  io: Io,
  fault: Fault,
  { isJson, subject }: { isJson: boolean; subject?: string },
): void {
  if (isJson) {
    io.stderr.write(`${JSON.stringify({ error: { ...fault, ...(subject && { file: subject }) } })}\n`);
    return;
  }
  const { code, message, whatToDo, requestId, retryAfterSeconds, details = [] } = fault;
  for (const line of `${subject ?? 'scriptorium'}: ${code}: ${message}`.split('\n')) say(io.stderr, line);
  for (const { field, issue } of details) say(io.stderr, `  ${field}: ${issue}`);
  say(io.stderr, `  what to do: ${whatToDo}`);
  if (retryAfterSeconds !== undefined) say(io.stderr, `  wait: ${retryAfterSeconds} seconds`);
  if (requestId !== undefined) say(io.stderr, `  request id: ${requestId}`);
}
