import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { startMailCatcher } from '@scriptorium/testing/mail-catcher';
import { startPostgres } from '@scriptorium/testing/postgres-server';
import { startRedis } from '@scriptorium/testing/redis-server';
import pg from 'pg';
import type { Image } from './build.ts';
import { bytesOf, readCompose, TRIAL } from './compose.ts';
import { type Container, type ContainerOptions, startContainer } from './container.ts';

const UID_MIN = 100_000;
const MIB = 2 ** 20;
const [MAIL_PORT, REDIS_PORT, DATABASE_PORT] = [1025, 6379, 5432];

/** Generates the trial's secrets with its own script and gives them to the containers' user. */
function makeSecrets(checkout: string, folder: string, uid: number): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of [
    ...[...SERVICE_NAMES, 'redis', 'database'].map((owner) => `${owner}-secrets`),
    'signing-key',
  ])
    mkdirSync(join(folder, name), { recursive: true });
  const links = join(folder, 'secrets');
  mkdirSync(links);
  for (const name of [...SERVICE_NAMES, 'redis', 'database'])
    execFileSync('ln', ['-s', `../${name}-secrets`, join(links, name)]);
  execFileSync(join(checkout, 'deploy/docker/make-secrets.sh'), [links, join(folder, 'signing-key')]);
  chownSync(join(folder, 'signing-key'), uid, uid);
  for (const name of SERVICE_NAMES)
    for (const file of readdirSync(join(folder, `${name}-secrets`)))
      chownSync(join(folder, `${name}-secrets`, file), uid, uid);
}

/** How a deployment starts the containers of the product, whose servers are on this machine. */
export interface Plan {
  /** The names of the servers. */
  hosts: readonly string[];
  /** The file with the users of Redis. */
  users: string;
  databasePassword: string;
  containerOf(name: string): Omit<ContainerOptions, 'uid' | 'logFile'>;
}

/** Starts Redis, PostgreSQL and the mail catcher at their usual ports; one Redis has both roles. */
async function startServers(folder: string, { users, databasePassword }: Plan) {
  const redis = await startRedis({ port: REDIS_PORT, args: ['--aclfile', users] });
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), port: DATABASE_PORT });
  const mail = await startMailCatcher({ folder, smtpPort: MAIL_PORT });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const password = client.escapeLiteral(databasePassword);
  await client.query(`CREATE ROLE scriptorium LOGIN PASSWORD ${password}`);
  await client.query('ALTER DATABASE scriptorium OWNER TO scriptorium');
  await client.end();
  const stop = () => Promise.all([redis.stop(), postgres.stop(), mail.stop()]);
  return { maildevUrl: mail.webUrl, stop };
}

/** The product in its images, started as a plan says, with this machine's servers. */
export interface Trial {
  containers: Record<string, Container>;
  uid: number;
  maildevUrl: string;
  /** `change` replaces the image, or adds mounts. */
  start(name: string, change?: { image?: Image; mounts?: Record<string, string> }): Container;
  close(): Promise<void>;
}

/** A user without an account. */
export const newUid = (): number => UID_MIN + Math.floor(Math.random() * UID_MIN);

/** The services of docker-compose.yml, as it defines them. */
export function composePlan(checkout: string, volumes: string, uid: number): Plan {
  makeSecrets(checkout, volumes, uid);
  const compose = readCompose(checkout, TRIAL).services;
  return {
    hosts: ['queue', 'blobs', 'database', 'mail'],
    users: join(volumes, 'redis-secrets/users.acl'),
    databasePassword: readFileSync(join(volumes, 'database-secrets/password'), 'utf8').trim(),
    containerOf(name) {
      const service = compose[name];
      if (service === undefined) throw new Error(`no service ${name}`);
      const mounted = (service.volumes ?? []).map((text) => text.split(':'));
      const bound = (readOnly: boolean) =>
        Object.fromEntries(
          mounted
            .filter(([, , mode]) => (mode === 'ro') === readOnly)
            .map(([volume = '', target = '']) => [target, join(volumes, volume)]),
        );
      const settings = Object.entries(service.environment ?? {}).map(([key, value]) => [key, String(value)]);
      return {
        env: Object.fromEntries(settings),
        mounts: bound(true),
        writable: bound(false),
        ...(service.shm_size === undefined ? {} : { sharedMemoryMb: bytesOf(service.shm_size) / MIB }),
      };
    },
  };
}

/** `folder` gets the data of the servers, and `volumes` the logs. */
export async function startTrial(
  { folder, volumes, uid }: { folder: string; volumes: string; uid: number },
  images: Record<string, Image>,
  plan: Plan,
): Promise<Trial> {
  rmSync(join(folder, 'postgres'), { recursive: true, force: true });
  const hosts = join(volumes, 'hosts');
  writeFileSync(hosts, ['localhost', ...plan.hosts].map((name) => `127.0.0.1 ${name}\n`).join(''));
  const nameServers = join(volumes, 'resolv.conf');
  writeFileSync(nameServers, 'nameserver 127.0.0.1\n');
  const servers = await startServers(folder, plan);
  const start: Trial['start'] = (name, { image = images[name], mounts = {} } = {}) => {
    if (image === undefined) throw new Error(`no image ${name}`);
    const container = plan.containerOf(name);
    return startContainer(image, {
      ...{ uid, ...container, logFile: join(volumes, `${name}.log`) },
      mounts: { ...container.mounts, ...mounts, '/etc/hosts': hosts, '/etc/resolv.conf': nameServers },
    });
  };
  const containers = Object.fromEntries(Object.keys(images).map((name) => [name, start(name)]));
  return {
    ...{ containers, uid, maildevUrl: servers.maildevUrl, start },
    close: async () => void (await servers.stop()),
  };
}
