import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { commandsOf, type Target } from '@scriptorium/e2e/readme';
import { postDocument } from '@scriptorium/e2e/service';
import {
  checkout,
  compose,
  containersOf,
  demand,
  docker,
  type Files,
  PROJECT,
  shell,
  TRIAL,
  URL,
} from './docker.ts';

const MAILBOX = 'http://127.0.0.1:8025';
const MAIL_MS_MAX = 30_000;
/** Calls at a time. */
const CALLERS = 4;
/** Below the rate of a key, so that no step takes too long for it. */
const CALLS_PER_MINUTE = 480;

/** What each container may do, seen from inside. */
export function checkWalls(files: Files): void {
  const probe = [
    'grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs):" /proc/self/status',
    'touch /x /app/x /usr/bin/x /etc/x 2>&1 | grep -c Read-only',
    'touch /tmp/x /dev/shm/x && rm /tmp/x /dev/shm/x && echo writable',
    'find / -xdev -perm /6000 -type f 2>/dev/null; command -v npm gcc cc; echo end',
  ].join('; ');
  const wanted = /^Uid:\s+10001\b.*\nCapEff:\s+0+\nCapBnd:\s+0+\nNoNewPrivs:\s+1\n4\nwritable\nend\n$/;
  for (const name of SERVICE_NAMES) {
    const seen = compose(files, 'exec', '-T', name, 'sh', '-c', probe);
    demand(
      `the ${name} has no right, and nothing that gives one`,
      wanted.test(seen),
      wanted.test(seen) ? '' : seen,
    );
  }
}

/** What is in the images beside the services. */
export function checkContents(): void {
  const file = '--env-file=/run/secrets/scriptorium.env';
  const run = (name: string, ...words: string[]) => compose(TRIAL, 'exec', '-T', name, ...words);
  run('telemetry', 'node', file, 'dist/licenses.js', 'list');
  const key = run('gateway', 'node', file, 'dist/keys.js', 'add', '--owner', 'trial');
  demand('a key is issued without a mail', /^key_\S+\nscr_/.test(key));
  run('signer', 'node', '-e', 'require("pkcs11js")');
  for (const name of ['annotator', 'converter'])
    demand(
      `text of images has its font in the ${name}`,
      run(name, 'fc-match', 'sans-serif').includes('Noto Sans'),
    );
}

/** The code that was mailed. Version 2 of the mail catcher, which has an image, lists its mails elsewhere than version 3. */
async function mailedCode(email: string): Promise<string | undefined> {
  type Mail = { text: string; to: { address: string }[] };
  const mails = (await (await fetch(`${MAILBOX}/email`)).json()) as Mail[];
  const mail = mails.find(({ to }) => to.some(({ address }) => address === email));
  return /code: (\d{6})/.exec(mail?.text ?? '')?.[1];
}

/** Gets a key by mail and runs the commands of the README. Resolves with the service and its key. */
export async function checkReadme(): Promise<Target> {
  const email = `trial-${Date.now()}@example.com`;
  await fetch(`${URL}/v1/auth/register?email=${email}`);
  let code: string | undefined;
  for (const until = Date.now() + MAIL_MS_MAX; code === undefined && Date.now() < until; await sleep(200))
    code = await mailedCode(email);
  const key = (await (await fetch(`${URL}/v1/auth/verify?email=${email}&code=${code}`)).json()) as string;
  const target = { url: URL, key };
  await checkConversion('the sample document becomes a PDF', target);
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-try-'));
  for (const section of ['Fill', 'Sign', 'Verify'])
    for (const command of await commandsOf('README.md', section, target)) {
      const output = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
      if (section === 'Verify') demand('the signature is verified', JSON.parse(output).verdict !== 'invalid');
    }
  for (const file of ['filled.pdf', 'signed.pdf'])
    demand(`${file} is a PDF`, readFileSync(join(folder, file)).subarray(0, 5).toString() === '%PDF-');
  rmSync(folder, { recursive: true });
  return target;
}

/** Resolves with the status of an answer that is a PDF, or with what is wrong. */
export async function convertSample({ url, key }: Target, sample: Uint8Array): Promise<string> {
  try {
    const answer = await postDocument(url, key, sample);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isPdf = bytes.subarray(0, 5).toString() === '%PDF-';
    return answer.status === 200 && !isPdf ? 'no PDF' : String(answer.status);
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

export const readSample = async (): Promise<Uint8Array> =>
  new Uint8Array(await readFile(join(checkout, 'services/gateway/assets/sample.docx')));

export async function checkConversion(what: string, target: Target): Promise<void> {
  const begin = Date.now();
  const got = await convertSample(target, await readSample());
  demand(what, got === '200', `${got} after ${Date.now() - begin} ms`);
}

/** Converts documents while something happens: every answer must be one, or have a status that is also right then. */
export async function checkMeanwhile(
  what: string,
  target: Target,
  calls: number,
  happens: () => Promise<unknown>,
  rightToo: readonly string[] = [],
): Promise<void> {
  const sample = await readSample();
  const answers: Record<string, number> = {};
  let [left, isOver] = [calls, false];
  const callers = Array.from({ length: CALLERS }, async () => {
    while (left-- > 0 || !isOver) {
      const got = await convertSample(target, sample);
      answers[got] = (answers[got] ?? 0) + 1;
      await sleep((CALLERS * 60_000) / CALLS_PER_MINUTE);
    }
  });
  try {
    await happens();
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
  const wrong = Object.keys(answers).filter((got) => got !== '200' && !rightToo.includes(got));
  demand(what, wrong.length === 0 && (answers['200'] ?? 0) > 0, JSON.stringify(answers));
}

const WATCHER = 'watcher';

/** Makes the secrets of the trial, with a user of Redis who may list its keys: none of the services may. */
export function addWatcher(): void {
  compose(TRIAL, 'run', '--rm', 'secrets');
  const rule = `user ${WATCHER} on nopass ~* -@all +keys`;
  const mount = ['--volume', `${PROJECT}_redis-secrets:/secrets`, '--entrypoint', 'sh'];
  docker('run', '--rm', ...mount, 'valkey/valkey:8.1-alpine', '-c', `echo '${rule}' >>/secrets/users.acl`);
}

/** Every queue in Redis must be one that KEDA counts: the chart has the list. */
export function checkQueues(): void {
  const words = ['redis-cli', '--no-auth-warning', '--user', WATCHER, '--pass', 'none'];
  const keys = compose(TRIAL, 'exec', '-T', 'queue', ...words, 'keys', '{scriptorium}:*:meta');
  const found = keys
    .split('\n')
    .filter(Boolean)
    .map((key) => key.split(':')[1] ?? '');
  const counted = readFileSync(join(checkout, 'deploy/helm/scriptorium/files/services.yaml'), 'utf8');
  const missing = found.filter((name) => name !== 'mail' && !counted.includes(`    - ${name}\n`));
  demand('KEDA counts every queue', missing.length === 0 && found.length > 5, missing.join() || found.join());
}

/** A key works again after its database was copied, dropped and restored by the commands of the guide. */
export async function checkRestore(target: Target): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-dump-'));
  const guide = 'docs/operations/backup.md';
  const commandsIn = async (section: string): Promise<string> => {
    const [, inCompose = ''] = await commandsOf(guide, section, target);
    return inCompose.replaceAll('scriptorium.dump', join(folder, 'scriptorium.dump'));
  };
  shell(await commandsIn('Back up'));
  shell(await commandsIn('Restore'));
  compose(TRIAL, 'up', '--detach', '--wait');
  await checkConversion('a key works after a backup was restored', target);
  rmSync(folder, { recursive: true });
}

/** Asks every service to stop: each must end by itself. */
export function checkStops(files: Files): void {
  const all = SERVICE_NAMES.flatMap((name) => containersOf(files, name));
  docker('stop', '--time', '150', ...all);
  for (const id of all) {
    const [name, code] = docker('inspect', '--format', '{{.Name}} {{.State.ExitCode}}', id).trim().split(' ');
    demand(`${name?.slice(1)} stops when asked`, code === '0' || code === '143', code);
  }
}
