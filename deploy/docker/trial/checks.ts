import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { commandsOf } from '@scriptorium/e2e/readme';
import { postDocument } from '@scriptorium/e2e/service';
import { mailsTo } from '@scriptorium/testing/mail';
import { checkout, compose, containersOf, demand, docker, type Files, TRIAL, URL } from './docker.ts';

const MAIL_MS_MAX = 30_000;
/** Calls at a time. */
const CALLERS = 4;

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

/** Gets a key by mail and runs the commands of the README. Resolves with the key. */
export async function checkReadme(): Promise<string> {
  const email = 'trial@example.com';
  await fetch(`${URL}/v1/auth/register?email=${email}`);
  let code: string | undefined;
  for (const until = Date.now() + MAIL_MS_MAX; code === undefined && Date.now() < until; await sleep(200))
    code = /code: (\d{6})/.exec((await mailsTo(email, 'http://127.0.0.1:8025'))[0]?.text ?? '')?.[1];
  const key = (await (await fetch(`${URL}/v1/auth/verify?email=${email}&code=${code}`)).json()) as string;
  await checkConversion('the sample document becomes a PDF', key);
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-try-'));
  for (const section of ['Fill', 'Sign', 'Verify'])
    for (const command of await commandsOf('README.md', section, { url: URL, key })) {
      const output = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
      if (section === 'Verify') demand('the signature is verified', JSON.parse(output).verdict !== 'invalid');
    }
  for (const file of ['filled.pdf', 'signed.pdf'])
    demand(`${file} is a PDF`, readFileSync(join(folder, file)).subarray(0, 5).toString() === '%PDF-');
  rmSync(folder, { recursive: true });
  return key;
}

async function convertSample(key: string, sample: Uint8Array): Promise<string> {
  try {
    const answer = await postDocument(URL, key, sample);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isPdf = bytes.subarray(0, 5).toString() === '%PDF-';
    return answer.status === 200 && !isPdf ? 'no PDF' : String(answer.status);
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

const readSample = async () => new Uint8Array(await (await fetch(`${URL}/sample.docx`)).arrayBuffer());

export async function checkConversion(what: string, key: string): Promise<void> {
  const begin = Date.now();
  const got = await convertSample(key, await readSample());
  demand(what, got === '200', `${got} after ${Date.now() - begin} ms`);
}

/** Converts documents while something happens: every answer must be one. */
export async function checkMeanwhile(
  what: string,
  key: string,
  calls: number,
  happens: () => Promise<unknown>,
): Promise<void> {
  const sample = await readSample();
  const answers: Record<string, number> = {};
  let [left, isOver] = [calls, false];
  const callers = Array.from({ length: CALLERS }, async () => {
    while (left-- > 0 || !isOver) {
      const got = await convertSample(key, sample);
      answers[got] = (answers[got] ?? 0) + 1;
    }
  });
  await happens();
  isOver = true;
  await Promise.all(callers);
  demand(what, Object.keys(answers).join() === '200', JSON.stringify(answers));
}

/** Every queue in Redis must be one that KEDA counts: the chart has the list. */
export function checkQueues(): void {
  const keys = compose(
    TRIAL,
    'exec',
    '-T',
    'gateway',
    'node',
    '--env-file=/run/secrets/scriptorium.env',
    '-e',
    KEYS,
  );
  const found = JSON.parse(keys) as string[];
  const counted = readFileSync(join(checkout, 'deploy/helm/scriptorium/files/services.yaml'), 'utf8');
  const missing = found.filter((name) => name !== 'mail' && !counted.includes(`    - ${name}\n`));
  demand('KEDA counts every queue', missing.length === 0 && found.length > 5, missing.join() || found.join());
}

const KEYS = `
import { Redis } from 'ioredis';
const redis = new Redis(process.env.REDIS_URL);
const keys = await redis.keys('{scriptorium}:*:meta');
console.log(JSON.stringify(keys.map((key) => key.split(':')[1])));
await redis.quit();`;

/** Asks every service to stop: each must end by itself. */
export function checkStops(files: Files): void {
  const all = SERVICE_NAMES.flatMap((name) => containersOf(files, name));
  docker('stop', '--time', '150', ...all);
  for (const id of all) {
    const [name, code] = docker('inspect', '--format', '{{.Name}} {{.State.ExitCode}}', id).trim().split(' ');
    demand(`${name?.slice(1)} stops when asked`, code === '0' || code === '143', code);
  }
}
