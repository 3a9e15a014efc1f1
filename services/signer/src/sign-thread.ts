import { AppError, renamed } from '@scriptorium/contracts/errors';
import { threadData } from '@scriptorium/shared/threads/thread';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { type Augmented, type AugmentRequest, augmentDocument } from '@scriptorium/signatures/augment';
import {
  OneOfSeveralError,
  type Signed,
  type SignTools,
  sign as signDocument,
} from '@scriptorium/signatures/sign';
import type { CallerKey, Signing } from '@scriptorium/signatures/sign-request';
import { openTools, type SignSettings } from './open-tools.ts';
import { warmUp } from './warm-up.ts';

/** The data that a thread starts with. */
export interface SignThreadData extends SignSettings {
  /** Retry interval for keys that could not be opened: the operator may have replaced a file or reconnected a token. */
  reopenMs?: number;
}

export interface SignTask {
  source: Buffer;
  signing: Signing;
  images: Buffer;
  callerKey: CallerKey | undefined;
  /** The same of each of several signatures. */
  callerKeys?: (CallerKey | undefined)[];
  /** The password of an encrypted PDF. */
  password?: string | undefined;
}

const REOPEN_MS = 10_000;

const { reopenMs = REOPEN_MS, ...settings } = threadData<SignThreadData>();
let reopenAt = Number.POSITIVE_INFINITY;
let isIdle = true;

/** Opens the keys and warms up. */
async function open(): Promise<SignTools> {
  const { tools, service } = await openTools(settings);
  await warmUp(tools, service, () => isIdle);
  return tools;
}

function getReady(): Promise<SignTools> {
  const opened = open();
  // The first request reports a failure; until then it must not end the thread.
  opened.catch((error: unknown) => {
    // A wrong PIN is not retried: tokens lock themselves after a few attempts.
    reopenAt = String(error).includes('CKR_PIN_') ? Number.POSITIVE_INFINITY : Date.now() + reopenMs;
  });
  return opened;
}

let opening = getReady();

async function readyTools(): Promise<SignTools> {
  if (Date.now() >= reopenAt) {
    reopenAt = Number.POSITIVE_INFINITY;
    opening = getReady();
  }
  try {
    return await opening;
  } catch (cause) {
    throw new AppError('UNAVAILABLE', 'The keys of the service cannot be opened at the moment.', { cause });
  }
}

/** Resolves once the keys are open. */
export async function ready(): Promise<void> {
  await readyTools();
}

/** Rejects as `augmentDocument` of the package does. */
export async function augment(request: AugmentRequest): Promise<Augmented> {
  const tools = await readyTools();
  isIdle = false;
  return await augmentDocument(request, tools);
}

/** Rejects as `sign` of the package does. The error of one of several signatures names it. */
export async function sign(task: SignTask): Promise<Signed> {
  const tools = await readyTools();
  isIdle = false;
  try {
    return await signDocument(task, tools);
  } catch (error) {
    throw error instanceof OneOfSeveralError ? named(error) : error;
  }
}

function named({ index, cause }: OneOfSeveralError): AppError {
  const part = `signatures[${index}]`;
  const error = toAppError(cause);
  if (error.details !== undefined) return renamed(error, (field) => `${part}.${field}`);
  if (error.status >= 500) return error;
  const { code, message } = error;
  return new AppError(code, message, { cause: error.cause, details: [{ field: part, issue: message }] });
}
