import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMailCatcher } from '@scriptorium/testing/mail-catcher';
import { startPostgres } from '@scriptorium/testing/postgres-server';
import { startRedis } from '@scriptorium/testing/redis-server';
import pg from 'pg';
import type { Image } from './build.ts';
import { bytesOf, readCompose, TRIAL } from './compose.ts';
import { type Container, startContainer } from './container.ts';

const UID_MIN = 100_000;
const MIB = 2 ** 20;
const [MAIL_PORT, REDIS_PORT, DATABASE_PORT] = [1025, 6379, 5432];

/** Generates the trial's secrets with its own script and gives them to the containers' user. */
function makeSecrets(checkout: string, folder: string, uid: number): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of [
    'gateway-secrets',
    'signer-secrets',
    'verifier-secrets',
    'telemetry-secrets',
    'database-secrets',
    'signing-key',
  ])
    mkdirSync(join(folder, name), { recursive: true });
  const links = join(folder, 'secrets');
  mkdirSync(links);
  for (const name of ['gateway', 'signer', 'verifier', 'telemetry', 'database'])
    execFileSync('ln', ['-s', `../${name}-secrets`, join(links, name)]);
  execFileSync(join(checkout, 'deploy/docker/make-secrets.sh'), [links, join(folder, 'signing-key')]);
  chownSync(join(folder, 'signing-key'), uid, uid);
  for (const name of ['gateway', 'signer', 'verifier', 'telemetry'])
    for (const file of readdirSync(join(folder, `${name}-secrets`)))
      chownSync(join(folder, `${name}-secrets`, file), uid, uid);
}

/** Starts Redis, PostgreSQL and the mail catcher at the compose file's addresses; one Redis has both roles. */
async function startServers(folder: string) {
  const redis = await startRedis({ port: REDIS_PORT });
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), port: DATABASE_PORT });
  const mail = await startMailCatcher({ folder, smtpPort: MAIL_PORT });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const password = readFileSync(join(folder, 'trial/database-secrets/password'), 'utf8').trim();
  await client.query(`CREATE ROLE scriptorium LOGIN PASSWORD ${client.escapeLiteral(password)}`);
  await client.query('ALTER DATABASE scriptorium OWNER TO scriptorium');
  await client.end();
  const stop = () => Promise.all([redis.stop(), postgres.stop(), mail.stop()]);
  return { maildevUrl: mail.webUrl, stop };
}

/** The services of docker-compose.yml in their images, started as it defines, with this machine's servers. */
export interface Trial {
  containers: Record<string, Container>;
  uid: number;
  maildevUrl: string;
  start(name: string): Container;
  close(): Promise<void>;
}

export async function startTrial(
  checkout: string,
  folder: string,
  images: Record<string, Image>,
): Promise<Trial> {
  const uid = UID_MIN + Math.floor(Math.random() * UID_MIN);
  const volumes = join(folder, 'trial');
  rmSync(join(folder, 'postgres'), { recursive: true, force: true });
  makeSecrets(checkout, volumes, uid);
  const hosts = join(volumes, 'hosts');
  const names = ['localhost', 'queue', 'blobs', 'database', 'mail'];
  writeFileSync(hosts, names.map((name) => `127.0.0.1 ${name}\n`).join(''));
  const nameServers = join(volumes, 'resolv.conf');
  writeFileSync(nameServers, 'nameserver 127.0.0.1\n');
  const servers = await startServers(folder);
  const compose = readCompose(checkout, TRIAL).services;
  const start = (name: string): Container => {
    const image = images[name];
    const service = compose[name];
    if (image === undefined || service === undefined) throw new Error(`no service ${name}`);
    const mounted = (service.volumes ?? []).map((text) => text.split(':'));
    const bound = (readOnly: boolean) =>
      Object.fromEntries(
        mounted
          .filter(([, , mode]) => (mode === 'ro') === readOnly)
          .map(([volume = '', target = '']) => [target, join(volumes, volume)]),
      );
    const settings = Object.entries(service.environment ?? {}).map(([key, value]) => [key, String(value)]);
    return startContainer(image, {
      uid,
      env: Object.fromEntries(settings),
      mounts: { ...bound(true), '/etc/hosts': hosts, '/etc/resolv.conf': nameServers },
      writable: bound(false),
      logFile: join(volumes, `${name}.log`),
      ...(service.shm_size === undefined ? {} : { sharedMemoryMb: bytesOf(service.shm_size) / MIB }),
    });
  };
  const containers = Object.fromEntries(Object.keys(images).map((name) => [name, start(name)]));
  return {
    containers,
    uid,
    maildevUrl: servers.maildevUrl,
    start,
    close: async () => void (await servers.stop()),
  };
}
