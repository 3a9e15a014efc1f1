import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { postDocument } from '@scriptorium/e2e/service';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { mailsTo } from '@scriptorium/testing/mail';
import { type MailCatcher, startMailCatcher } from '@scriptorium/testing/mail-catcher';
import { startPostgres } from '@scriptorium/testing/postgres-server';
import { startRedis } from '@scriptorium/testing/redis-server';
import { freePort, startProcess } from '@scriptorium/testing/server-process';
import pg from 'pg';
import { environmentIn, servicesOf, usersIn } from './deployments.ts';
import { componentOf, type KubernetesObject, ofKind, render } from './helm.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RELEASE = 'docs-scriptorium';
const run = promisify(execFile);

const closing: (() => Promise<unknown>)[] = [];
let folder: string;
let objects: KubernetesObject[];
let mail: MailCatcher;
let url: string;
/** The environment of each service, as its pod has it, with the addresses of this machine. */
let environments: Map<string, Record<string, string>>;

/** Starts what the chart renders for a trial: its servers, and its services with their own environments. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-trial-'));
  objects = await render('trial');
  const secrets = ofKind(objects, 'Secret')[0]?.stringData ?? {};
  const addresses = await startServers(secrets);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  environments = new Map(
    servicesOf(objects).map((deployment) => {
      const service = componentOf(deployment);
      const here = {
        ...{ HOST: '127.0.0.1', INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: '0' },
        PORT: service === 'gateway' ? String(port) : '0',
        DEVELOPMENT_KEY_DIR: folder,
        // No balancer has to notice the end.
        DRAIN_MS: '0',
      };
      return [service, { ...environmentHere(deployment, secrets, addresses), ...here }];
    }),
  );
  const running = [...environments].map(([service, environment]) => {
    // As in the images.
    const env = { PATH: process.env.PATH, HOME: folder, NODE_ENV: 'production', ...environment };
    const main = join(ROOT, `services/${service}/dist/main.js`);
    return startProcess(process.execPath, [main], {
      ...{ env, cwd: ROOT, stopMsMax: 30_000 },
    });
  });
  closing.push(() => Promise.all(running.map((service) => service.stop())));
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await rm(folder, { recursive: true });
});

/** Returns the addresses on this machine for those in the cluster. One Redis has both roles. */
async function startServers(secrets: Record<string, string>): Promise<[string, string][]> {
  await writeFile(join(folder, 'users.acl'), usersIn(objects, secrets));
  const redis = await startRedis({ args: ['--aclfile', join(folder, 'users.acl')] });
  const postgres = await startPostgres({ outlives: 'stop' });
  mail = await startMailCatcher({ folder });
  closing.push(
    () => redis.stop(),
    () => postgres.stop(),
    () => mail.stop(),
  );
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const password = client.escapeLiteral(secrets.TRIAL_DATABASE_PASSWORD ?? '');
  await client.query(`CREATE ROLE scriptorium LOGIN PASSWORD ${password}`);
  await client.query('ALTER DATABASE scriptorium OWNER TO scriptorium');
  await client.end();
  return [
    [`${RELEASE}-redis-queue:6379`, `127.0.0.1:${redis.port}`],
    [`${RELEASE}-redis-blob:6379`, `127.0.0.1:${redis.port}`],
    [`${RELEASE}-trial-database:5432`, new URL(postgres.url).host],
    [`${RELEASE}-trial-mail:1025`, new URL(mail.smtpUrl).host],
  ];
}

function environmentHere(
  deployment: KubernetesObject,
  secrets: Record<string, string>,
  addresses: readonly [string, string][],
): Record<string, string> {
  const values = environmentIn(deployment, secrets);
  for (const [name, value] of Object.entries(values))
    values[name] = addresses.reduce((text, [from, to]) => text.replace(from, to), value);
  return values;
}

test('`helm install` with trial.yaml is a complete product: helm test passes, keys come, documents too', async () => {
  const pod = objects.find(({ kind }) => kind === 'Pod');
  const [container] = pod?.spec.containers ?? [];
  const env = { PATH: process.env.PATH, HEALTH_URL: `${url}/v1/health`, TRIES: '100' };
  const [, ...options] = container.command;
  const { stdout } = await run(process.execPath, [...options, ...container.args], { env });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'healthy', checks: { converters: 1, verifiers: 1 } });

  const keys = join(ROOT, 'services/gateway/src/keys.ts');
  const issue = [process.execPath, '--conditions=source', keys, 'add', '--owner', 'a stranger'] as const;
  const [program, ...args] = issue;
  const issued = await run(program, args, {
    env: { PATH: process.env.PATH, ...environments.get('gateway') },
  });
  const converted = await postDocument(url, issued.stdout.split('\n')[1] ?? '', docxWith(['Hello']));
  expect([converted.status, (await converted.text()).slice(0, 5)]).toEqual([200, '%PDF-']);

  const email = 'stranger@example.com';
  await fetch(`${url}/v1/auth/register?email=${email}`);
  let code: string | undefined;
  while (code === undefined)
    code = /code: (\d{6})/.exec((await mailsTo(email, mail.webUrl))[0]?.text ?? '')?.[1];
  const headers = { accept: 'text/plain' };
  const key = await (await fetch(`${url}/v1/auth/verify?email=${email}&code=${code}`, { headers })).text();
  // The trial signs for everyone.
  const signed = await fetch(`${url}/v1/sign?to=pdf`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/pdf',
    },
    body: JSON.stringify({
      document: { base64: docxWith(['Hello']).toString('base64') },
      signer: { name: 'A Stranger', email },
      auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
    }),
  });
  expect({ status: signed.status, start: (await signed.text()).slice(0, 120) }).toMatchObject({
    status: 200,
  });
});
