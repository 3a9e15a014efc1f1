import { startBackgroundWorker } from '@scriptorium/shared/queue/background';
import type { Redis } from 'ioredis';
import type { CodeBook } from '../auth/codes.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import { type MailJob, mailJob } from './mail-job.ts';
import type { SendMail } from './mailer.ts';
import { keyIssuedMessage, type Message, verificationMessage } from './messages.ts';

export const MAIL_QUEUE = 'mail';
const CONCURRENCY = 4;

export interface MailWorkerParts {
  /** For the queue; waits for Redis. */
  queueRedis: Redis;
  codes: CodeBook;
  hashAddress(address: string): Buffer;
  send: SendMail;
  events: GatewayEvents;
}

/** Sends the mails of the queue. */
export function startMailWorker(parts: MailWorkerParts): { close(): Promise<void> } {
  const { codes, events, hashAddress, send } = parts;

  const compose = async (job: MailJob): Promise<Message> =>
    job.kind === 'verification-code'
      ? verificationMessage(await codes.draw(hashAddress(job.address), job), new Date())
      : keyIssuedMessage(job.keyId, job.last4, new Date());

  return startBackgroundWorker({
    name: MAIL_QUEUE,
    schema: mailJob,
    redis: parts.queueRedis,
    concurrency: CONCURRENCY,
    async handle(job) {
      if (job.kind === 'verification-code' && job.isOverShare) {
        events.mailSkipped(job.kind);
        return;
      }
      await send(job.address, await compose(job));
      events.mailSent(job.kind);
    },
    onFailure: events.mailFailed,
    onQueueError: events.queueError,
  });
}
