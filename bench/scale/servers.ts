import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailCatcher } from '@scriptorium/testing/mail-catcher';
import { startPostgres } from '@scriptorium/testing/postgres-server';

/** PostgreSQL and a mail catcher for stands, which find them in the environment of this process. */
export interface Servers {
  databaseUrl: string;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-scale-'));
  const closing: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closing) await close();
  };
  try {
    const database = await startPostgres({});
    closing.unshift(() => database.stop());
    const mail = await startMailCatcher({ folder });
    closing.unshift(() => mail.stop());
    process.env.DATABASE_URL = database.url;
    process.env.SMTP_URL = mail.smtpUrl;
    process.env.MAILDEV_URL = mail.webUrl;
    return { databaseUrl: database.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
