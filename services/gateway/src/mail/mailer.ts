import type { Secret } from '@scriptorium/shared/config';
import nodemailer from 'nodemailer';
import type { Message } from './messages.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;

/** Sends a message to exactly one address. */
export type SendMail = (address: string, message: Message) => Promise<void>;

export function createMailer(url: Secret, from: string): { send: SendMail; close(): Promise<void> } {
  const transport = nodemailer.createTransport({
    url: url.reveal(),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(address, { subject, text }) {
      const mail = {
        from,
        // A string would be parsed again and could then name two recipients.
        to: { name: '', address },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      };
      await transport.sendMail(mail).catch(hideAddress);
    },
    async close() {
      transport.close();
    },
  };
}

/** Removes the address, which mail servers repeat in their answers: the error reaches the log and the queue. */
function hideAddress(error: { code?: string; responseCode?: number; command?: string }): never {
  const { code = 'error', responseCode = 'none', command = 'none' } = error;
  throw new Error(`the mail was rejected: ${code}, command ${command}, response code ${responseCode}`);
}
