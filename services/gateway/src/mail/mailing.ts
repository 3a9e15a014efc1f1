import type { Closeable } from '@scriptorium/shared/lifecycle';
import { type BackgroundQueue, openBackgroundQueue } from '@scriptorium/shared/queue/background';
import { hashAddress, peppersOf } from '../auth/address.ts';
import { createCodeBook } from '../auth/codes.ts';
import type { Backends } from '../backends/backends.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import type { GatewayConfig } from '../settings/config.ts';
import type { MailJob } from './mail-job.ts';
import { MAIL_QUEUE, startMailWorker } from './mail-worker.ts';
import { createMailer } from './mailer.ts';

export interface Mailing extends Closeable {
  mails: BackgroundQueue<MailJob>;
}

/** Opens the queue of mails, and sends them if there is a mail server. */
export function startMailing(config: GatewayConfig, backends: Backends, events: GatewayEvents): Mailing {
  const mails = openBackgroundQueue<MailJob>(MAIL_QUEUE, backends.queue);
  const sending = startSending(config, backends, events);
  return { mails, close: async () => void (await Promise.all([sending.close(), mails.close()])) };
}

function startSending(config: GatewayConfig, backends: Backends, events: GatewayEvents): Closeable {
  if (config.SMTP_URL === undefined) return { close: async () => {} };
  const mailer = createMailer(config.SMTP_URL, config.MAIL_FROM);
  const worker = startMailWorker({
    queueRedis: backends.patientQueue,
    codes: createCodeBook(backends.queue, peppersOf(config.CODE_PEPPER)[0]),
    events,
    hashAddress: (address) => hashAddress(address, config.CODE_PEPPER),
    send: mailer.send,
  });
  return {
    async close() {
      await worker.close();
      await mailer.close();
    },
  };
}
