import { setTimeout as sleep } from 'node:timers/promises';

export interface CaughtMail {
  id: string;
  /** From the SMTP envelope, like the recipients: what the mail server was really sent. */
  from: string;
  to: string[];
  subject: string;
  text: string;
  headers: Record<string, string | string[]>;
}

interface MaildevEmail {
  id: string;
  subject: string;
  text?: string;
  headers: Record<string, string | string[]>;
  envelope: { from: { address: string }; to: { address: string }[] };
}

function defaultUrl(): string {
  const url = process.env.MAILDEV_URL;
  if (url === undefined) throw new Error('MAILDEV_URL is not set: is the test stack running?');
  return url;
}

/** The mails to `address` by their envelope, newest first. */
export async function mailsTo(address: string, maildevUrl = defaultUrl()): Promise<CaughtMail[]> {
  const answer = await fetch(`${maildevUrl}/api/email?sort=desc`, { signal: AbortSignal.timeout(30_000) });
  const all = (await answer.json()) as MaildevEmail[];
  const wanted = address.toLowerCase();
  return all
    .filter((mail) => mail.envelope.to.some((to) => to.address.toLowerCase() === wanted))
    .map((mail) => ({
      id: mail.id,
      from: mail.envelope.from.address,
      to: mail.envelope.to.map((to) => to.address),
      subject: mail.subject,
      text: mail.text ?? '',
      headers: mail.headers,
    }));
}

/** Waits for a mail to `address` and returns the newest; throws after `timeoutMs`. */
export async function readMail(
  address: string,
  options: { maildevUrl?: string; timeoutMs?: number } = {},
): Promise<CaughtMail> {
  const { maildevUrl = defaultUrl(), timeoutMs = 60_000 } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const [mail] = await mailsTo(address, maildevUrl);
    if (mail !== undefined) return mail;
    if (Date.now() > deadline) throw new Error(`No mail to ${address} arrived within ${timeoutMs} ms.`);
    await sleep(50);
  }
}

/** Removes the mails to `address`, so that the next `readMail` waits for a new one. */
export async function forgetMails(address: string, maildevUrl = defaultUrl()): Promise<void> {
  for (const mail of await mailsTo(address, maildevUrl)) {
    const answer = await fetch(`${maildevUrl}/api/email/${mail.id}`, {
      method: 'DELETE',
      signal: AbortSignal.timeout(30_000),
    });
    await answer.arrayBuffer();
  }
}
