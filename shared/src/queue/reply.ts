import { type AppError, ERRORS, type ErrorCode } from '@scriptorium/contracts/errors';
import { DOCUMENT_LOADERS } from '@scriptorium/contracts/jobs/conversion-report';
import { z } from 'zod';
import { KEY_PREFIX } from './connection.ts';
import { type JobEnvelope, trail } from './envelope.ts';

const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

/**
 * The reply of a worker to the gateway. Expected failures are replies, not thrown errors. Like all messages between processes
 * it may have unknown properties, since the other side may be newer.
 */
export const reply = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    requestId: z.string(),
    output: z.unknown(),
    trail: trail.default([]),
    /** Blobs of the result. The gateway removes them if the caller has disconnected. */
    blobs: z.array(z.string()),
    startedAt: z.number(),
    runMs: z.number(),
    spentMs: z.number().optional(),
  }),
  z.object({
    ok: z.literal(false),
    requestId: z.string(),
    code: errorCode,
    message: z.string(),
    details: z.array(z.object({ field: z.string(), issue: z.string() })).optional(),
    /** The failed step of the request, starting at 0. Workers of earlier versions do not report it. */
    step: z.number().int().nonnegative().optional(),
    retryAfterSeconds: z.number().positive().optional().catch(undefined),
    spentMs: z.number().optional(),
  }),
]);
export type Reply = z.infer<typeof reply>;

export function failure(
  { requestId, trail }: Pick<JobEnvelope, 'requestId' | 'trail'>,
  error: AppError,
): Reply {
  const { code, message, details, retryAfterSeconds } = error;
  return { ok: false, requestId, code, message, details, retryAfterSeconds, step: trail.length };
}

export const replyList = (gatewayId: string): string => `${KEY_PREFIX}:reply:${gatewayId}`;
/** Replies that were taken from the list and not yet delivered, kept in case the connection breaks. */
export const takenReplies = (gatewayId: string): string => `${KEY_PREFIX}:reply:${gatewayId}:taken`;
export const gatewayLease = (gatewayId: string): string => `${KEY_PREFIX}:gateway:${gatewayId}`;
export const CANCEL_CHANNEL = `${KEY_PREFIX}:cancel`;
/** The engine time that an owner has used in a minute, ms. */
export const engineTimeOf = (owner: string): string => `${KEY_PREFIX}:engine:${owner}`;
export const workersOf = (queue: string): string => `${KEY_PREFIX}:workers:${queue}`;

/** The notice of a worker, for load shedding and health. Times are in milliseconds. */
export const workerNotice = z.object({
  capacity: z.number().int().nonnegative(),
  /** It has taken no job for as long as a notice lasts, and does not know when it will. */
  isAway: z.boolean().optional().catch(undefined),
  runMsMean: z.number(),
  expiresAt: z.number(),
  /** The isolation of the processes that read documents, if the worker has such processes. */
  sandbox: z.enum(['enforced', 'degraded']).optional().catch(undefined),
  /** How the worker loads documents, if there are several ways. */
  loader: z.enum(DOCUMENT_LOADERS).optional().catch(undefined),
});
export type WorkerNotice = z.infer<typeof workerNotice>;

export const LEASE_MS = 10_000;
export const LEASE_RENEWAL_MS = 2_000;
