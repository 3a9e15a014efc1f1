import type { AppError } from '@scriptorium/contracts/errors';
import type { Logger } from '@scriptorium/shared/logger';
import type { StoredJob } from '../deferred/job-table.ts';
import type { Course, Happening } from '../deferred/next.ts';
import type { ConnectionRefusal } from '../http/connections.ts';
import type { RequestContext } from '../http/context.ts';
import type { WireBytes } from '../http/wire-bytes.ts';
import type { SendOutcome } from './deferred-metrics.ts';
import type { GatewayMetrics } from './metrics.ts';

/** The events that the gateway logs and counts: one function per event. */
export function gatewayEvents(logger: Logger, metrics: GatewayMetrics) {
  return {
    listening: (address: string, internalAddress: string) =>
      logger.info({ address, internalAddress }, 'listening'),
    received: () => metrics.received(),
    connectionRefused: (reason: ConnectionRefusal) => metrics.connectionRefused(reason),
    answered: (method: string, status: number, context: RequestContext, bytes: WireBytes) => {
      metrics.ended(method, status, context, bytes);
      logger.info(
        {
          requestId: context.requestId,
          callerRequestId: context.callerRequestId,
          keyId: context.owner?.id,
          method,
          route: context.route,
          status,
          ms: Date.now() - context.receivedAt,
        },
        'answered',
      );
    },
    callerLeft: (method: string, context: RequestContext, bytes: WireBytes) => {
      metrics.ended(method, undefined, context, bytes);
      logger.info({ requestId: context.requestId, method, route: context.route }, 'caller disconnected');
    },
    refused: (error: AppError, context: RequestContext) => {
      metrics.refused(error, context);
      const fields = { requestId: context.requestId, errorCode: error.code, err: error };
      if (error.status >= 500) logger.error(fields, 'failed');
      else logger.debug(fields, 'refused');
    },
    brokenOff: (error: unknown, context: RequestContext) =>
      logger.error({ requestId: context.requestId, err: error }, 'failed after the start of the answer'),
    ...batchEvents(logger, metrics),
    jobStepped: (before: StoredJob, happening: Happening, after: Course) => {
      metrics.deferredStep(before, happening, after);
      logger.info({ jobId: before.id, state: after.state }, 'job stepped');
    },
    rowSent: (outcome: SendOutcome) => metrics.rowSent(outcome),
    jobTroubled: (jobId: string | undefined, error: unknown) =>
      logger.warn({ jobId, err: error }, 'a job could not go on; trying again'),
    queueError: (error: unknown) => logger.warn({ err: error }, 'queue error'),
    storeMisconfigured: (role: string, mistakes: string[]) =>
      logger.error({ role, mistakes }, 'Redis is not configured for documents'),
    migrationFailed: (error: unknown) => logger.warn({ err: error }, 'the database is not ready yet'),
    usageDelayed: (error: unknown, held: number) =>
      logger.warn({ held, err: error }, 'API operations could not be written; retrying'),
    usageLost: (count: number) => {
      metrics.usageLost(count);
      logger.error({ count }, 'API operations were not counted');
    },
    mailFailed: (error: unknown, isLast: boolean) => {
      metrics.mail(isLast ? 'given_up' : 'retried');
      if (isLast) logger.error({ err: error }, 'mail failed after the last attempt');
      else logger.warn({ err: error }, 'mail failed; retrying');
    },
    mailSent: (kind: string) => {
      metrics.mail('sent');
      logger.info({ kind }, 'mail sent');
    },
    mailSkipped: (kind: string) => {
      metrics.mail('held_back');
      logger.info({ kind }, 'mail not sent: the address exceeded its rate limit');
    },
    ...keyEvents(logger, metrics),
    mailsStopped: () => {
      metrics.mail('stopped');
      logger.warn('registration refused: all mails have reached MAILS_PER_HOUR_MAX');
    },
  };
}

function keyEvents(logger: Logger, metrics: GatewayMetrics) {
  return {
    keyIssued: (keyId: string, requestId: string) => {
      metrics.apiKey('issued');
      logger.info({ keyId, requestId }, 'key issued');
    },
    trialKeyIssued: (keyId: string, requestId: string) => {
      metrics.apiKey('trial');
      logger.info({ keyId, requestId }, 'trial key issued');
    },
    keyRevoked: (keyId: string, requestId: string) => {
      metrics.apiKey('revoked');
      logger.info({ keyId, requestId }, 'key revoked');
    },
    codeRefused: (requestId: string, asker: { mailbox: string; network: string }) =>
      logger.info({ requestId, ...asker }, 'e-mail code refused'),
    keyRefused: (requestId: string, network: string) =>
      logger.info({ requestId, network }, 'API key refused'),
  };
}

function batchEvents(logger: Logger, metrics: GatewayMetrics) {
  return {
    rowAnswered: (outcome: 'done' | 'failed') => metrics.row(outcome),
    batchEnded: (
      facts: { rows: number; done: number; failed: number; errorCode?: string },
      { requestId, owner }: RequestContext,
    ) => logger.info({ requestId, keyId: owner?.id, ...facts }, 'batch ended'),
    packFailed: (error: AppError, rows: number, { requestId }: RequestContext) =>
      logger.warn({ requestId, rows, err: error }, 'a pack of rows failed'),
    waysDiffer: ({ requestId }: RequestContext) => {
      metrics.waysDiffer();
      logger.error({ requestId }, 'the fast way made another document; the batch goes on in the plain way');
    },
  };
}

export type GatewayEvents = ReturnType<typeof gatewayEvents>;
