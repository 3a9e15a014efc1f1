import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess, waitUntilReady } from './server-process.ts';

// The path holds from src/testing and from dist/testing.
const MAILDEV = fileURLToPath(new URL('../../../node_modules/maildev/dist/bin/maildev.js', import.meta.url));
const MAILS_MAX = 1_000;

export interface MailCatcherOptions {
  /** Absolute path; maildev keeps the mails' sources in a folder there, and empties it at the start. */
  folder: string;
  smtpPort?: number;
  webPort?: number;
  logFile?: string;
}

/** An SMTP server on 127.0.0.1 that delivers no mail and shows what it received. */
export interface MailCatcher {
  readonly smtpUrl: string;
  /** The mailbox as a web page; its API is below `/api`. */
  readonly webUrl: string;
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Starts maildev; by default on free ports. */
export async function startMailCatcher(options: MailCatcherOptions): Promise<MailCatcher> {
  const smtpPort = options.smtpPort ?? (await freePort());
  const webPort = options.webPort ?? (await freePort());
  const listen = [
    '--ip',
    '127.0.0.1',
    '-s',
    String(smtpPort),
    '--web-ip',
    '127.0.0.1',
    '-w',
    String(webPort),
  ];
  rmSync(join(options.folder, 'maildev'), { recursive: true, force: true });
  // The folder in which maildev starts, and its parents, may contain a maildev configuration of the user.
  const server = startProcess(process.execPath, [MAILDEV, ...listen, '--max-emails', String(MAILS_MAX)], {
    cwd: '/',
    env: { ...process.env, TMPDIR: options.folder },
    stopMsMax: 3_000,
    ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
  });
  const webUrl = `http://127.0.0.1:${webPort}`;
  await waitUntilReady('The mail catcher', server, async () => {
    const answer = await fetch(`${webUrl}/api/healthz`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`healthz answered ${answer.status}`);
  });
  return { smtpUrl: `smtp://127.0.0.1:${smtpPort}`, webUrl, ended: server.ended, stop: () => server.stop() };
}
