import { type MailJob, mailJob } from '@scriptorium/shared/jobs/mail';
import { startBackgroundWorker } from '@scriptorium/shared/queue/background';
import { countWithin } from '@scriptorium/shared/queue/quota';
import type { Redis } from 'ioredis';
import type { CodeBook } from '../auth/codes.ts';
import type { GatewayEvents } from '../events.ts';
import type { SendMail } from './mailer.ts';
import { keyIssuedMessage, type Message, verificationMessage } from './messages.ts';

export const MAIL_QUEUE = 'mail';
const CONCURRENCY = 4;
const HOUR_MS = 3_600_000;
const CODES_PER_HOUR_MAX = 3;
const CODES_PER_DAY_MAX = 10;

export interface MailWorkerParts {
  /** For the queue; waits for Redis. */
  queueRedis: Redis;
  /** For counters; fails fast, and the job is tried again. */
  redis: Redis;
  codes: CodeBook;
  hashAddress(address: string): Buffer;
  /** Name of the mailbox that an address belongs to, for the limits. */
  mailboxOf(address: string): string;
  send: SendMail;
  events: GatewayEvents;
}

/** Sends the mails of the queue. Limits are applied here, so that `register` answers alike in every case. */
export function startMailWorker(parts: MailWorkerParts): { close(): Promise<void> } {
  const { codes, events, hashAddress, send } = parts;

  const hasShareLeft = async (address: string): Promise<boolean> => {
    const mailbox = parts.mailboxOf(address);
    const hour = await countWithin(parts.redis, `mails-hour:${mailbox}`, CODES_PER_HOUR_MAX, HOUR_MS);
    const day = await countWithin(parts.redis, `mails-day:${mailbox}`, CODES_PER_DAY_MAX, 24 * HOUR_MS);
    return hour.within && day.within;
  };

  const compose = async (job: MailJob): Promise<Message> =>
    job.kind === 'verification-code'
      ? verificationMessage(await codes.draw(hashAddress(job.address)), new Date())
      : keyIssuedMessage(job.keyId, job.last4, new Date());

  return startBackgroundWorker({
    name: MAIL_QUEUE,
    schema: mailJob,
    redis: parts.queueRedis,
    concurrency: CONCURRENCY,
    async handle(job, attempt) {
      const isFirstTry = attempt === 0;
      if (job.kind === 'verification-code' && isFirstTry && !(await hasShareLeft(job.address))) {
        events.mailSkipped(job.kind);
        return;
      }
      await send(job.address, await compose(job));
      events.mailSent(job.kind);
    },
    onFailure: events.mailFailed,
  });
}
