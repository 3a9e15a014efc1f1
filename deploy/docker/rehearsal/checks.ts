import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandsOf } from '@scriptorium/e2e/readme';
import { postDocument } from '@scriptorium/e2e/service';
import { mailsTo } from '@scriptorium/testing/mail';
import type { Image } from './build.ts';
import type { Container } from './container.ts';
import { documentInFont } from './own-fonts.ts';

const URL = 'http://127.0.0.1:8080';
const READY_MS_MAX = 120_000;
const STOP_MS_MAX = 90_000;

function demand(what: string, holds: boolean, detail = ''): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
  if (!holds) process.exitCode = 1;
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const begin = Date.now();
  while (!(await condition().catch(() => false))) {
    if (Date.now() - begin > READY_MS_MAX) throw new Error(`${what} did not happen`);
    await sleep(200);
  }
  demand(what, true, `${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

/** Waits until the image's health check passes. */
export async function untilHealthy(name: string, image: Image, container: Container): Promise<void> {
  const [, check = '[]'] = /CMD (\[.*\])/.exec(image.metadata.HEALTHCHECK ?? '') ?? [];
  const command = JSON.parse(check) as string[];
  await until(`${name} is healthy`, async () => (await container.exec(...command)).code === 0);
}

/** Checks the privileges of the first process, and which folders it can write. */
export async function checkWalls(name: string, uid: number, container: Container): Promise<void> {
  const status = readFileSync(`/proc/${container.pid()}/status`, 'utf8');
  const field = (key: string) => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
  const rights = ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'].map((key) => Number.parseInt(field(key), 16));
  demand(`${name} runs as ${uid}, which has no account`, field('Uid') === String(uid));
  demand(
    `${name} has no capability and cannot gain one`,
    rights.every((right) => right === 0) && field('NoNewPrivs') === '1',
  );
  const write = await container.exec(
    'sh',
    '-c',
    'touch /x /app/x /usr/bin/x /etc/x /dev/x 2>&1; touch /tmp/x /dev/shm/x && rm /tmp/x /dev/shm/x',
  );
  demand(
    `${name} can write only in /tmp and /dev/shm`,
    write.code === 0 && write.output.split('Read-only').length === 6,
  );
  const raised = await container.exec('sh', '-c', 'find / -xdev -perm /6000 -type f 2>/dev/null');
  demand(
    `${name} has no set-uid program, npm or compiler`,
    raised.output === '' && (await container.exec('sh', '-c', 'command -v npm gcc cc')).code !== 0,
  );
}

/** Checks the contents that only some images have. */
export async function checkContents(containers: Record<string, Container>): Promise<void> {
  const file = '--env-file=/run/secrets/scriptorium.env';
  const licenses = await containers.telemetry?.exec('node', file, 'dist/licenses.js', 'list');
  demand('licenses are listed', licenses?.code === 0, licenses?.code === 0 ? '' : licenses?.output);
  const key = await containers.gateway?.exec('node', file, 'dist/keys.js', 'add', '--owner', 'rehearsal');
  demand('a key is issued without a mail', /^key_\S+\nscr_/.test(key?.output ?? ''));
  const module = await containers.signer?.exec('node', '-e', 'require("pkcs11js")');
  demand('the signer loads its compiled PKCS #11 module', module?.code === 0, module?.output);
  for (const container of [containers.annotator, containers.converter]) {
    const font = await container?.exec('fc-match', 'sans-serif');
    demand(
      'text of images has the same font as with npm start',
      font?.output.includes('Noto Sans') === true,
      font?.output.trim(),
    );
  }
}

/** Calls the service as the README describes. Resolves with the API key. */
export async function checkProduct(maildevUrl: string): Promise<string> {
  const email = 'rehearsal@example.com';
  await fetch(`${URL}/v1/auth/register?email=${email}`);
  let code = '';
  await until('the code comes by mail', async () => {
    code = /code: (\d{6})/.exec((await mailsTo(email, maildevUrl))[0]?.text ?? '')?.[1] ?? '';
    return code !== '';
  });
  const key = (await (await fetch(`${URL}/v1/auth/verify?email=${email}&code=${code}`)).json()) as string;
  await checkConversion('the sample document becomes a PDF', key);
  const folder = mkdtempSync('/tmp/scriptorium-rehearsal-');
  for (const section of ['Fill', 'Sign', 'Verify'])
    for (const command of await commandsOf('README.md', section, { url: URL, key })) {
      const output = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
      if (section === 'Verify')
        demand(
          'the signature is verified',
          JSON.parse(output).verdict !== 'invalid',
          JSON.parse(output).verdict,
        );
    }
  for (const file of ['filled.pdf', 'signed.pdf'])
    demand(`${file} is a PDF`, readFileSync(join(folder, file)).subarray(0, 5).toString() === '%PDF-');
  execFileSync('rm', ['-r', folder]);
  return key;
}

export async function checkConversion(what: string, key: string): Promise<void> {
  const sample = new Uint8Array(await (await fetch(`${URL}/sample.docx`)).arrayBuffer());
  const begin = Date.now();
  const answer = await postDocument(URL, key, sample);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const fonts = answer.headers.get('x-conversion-warnings');
  demand(
    what,
    answer.status === 200 && bytes.subarray(0, 5).toString() === '%PDF-',
    `${bytes.length} bytes, ${Date.now() - begin} ms, warnings ${fonts}`,
  );
}

/** Converts a document in a font of the operator. `replaced` is the number of fonts that the report must have. */
export async function checkFonts(what: string, key: string, replaced: number): Promise<void> {
  const answer = await postDocument(URL, key, documentInFont());
  await answer.arrayBuffer();
  const report = answer.headers.get('x-conversion-report') ?? '';
  const [, found] = /fonts-replaced=(\d+)/.exec(report) ?? [];
  demand(
    `${what}, a document has ${replaced === 0 ? 'its own font' : 'another font'}`,
    answer.status === 200 && found === String(replaced),
    `${answer.status} ${report}`,
  );
}

const ORPHAN_TRIES = 10;

/**
 * Kills an engine host, as a machine without free memory does: later documents are converted, and no dead process
 * stays.
 */
export async function checkOrphans(converter: Container, key: string): Promise<void> {
  const processes = async () => {
    const { output } = await converter.exec('sh', '-c', 'cat /proc/[0-9]*/stat');
    const lines = [...output.matchAll(/^(\d+) \((.*?)\) (\w)/gm)];
    return lines.map(([, pid = '', name = '', state = '']) => ({ pid, name, state }));
  };
  const host = (await processes()).find(({ name }) => name === 'engine-host');
  demand('an engine host is killed', (await converter.exec('kill', '-9', host?.pid ?? '')).code === 0);
  await sleep(3_000);
  await checkConversion('a document is converted afterwards', key);
  const zombies = async () => (await processes()).filter(({ state }) => state === 'Z');
  let dead = await zombies();
  // A child that has just converted is dead for a moment, until its parent asks for it.
  for (let tries = 0; dead.length > 0 && tries < ORPHAN_TRIES; tries++) {
    await sleep(500);
    dead = await zombies();
  }
  demand('no dead process is left', dead.length === 0, dead.map(({ name }) => name).join(' '));
}

/** Asks it to stop, whatever its state: it must end by itself. */
export async function checkStop(what: string, container: Container): Promise<void> {
  const begin = Date.now();
  while (!container.hasBegun() && Date.now() - begin < STOP_MS_MAX) await sleep(5);
  container.signal('SIGTERM');
  const code = await Promise.race([container.ended, sleep(STOP_MS_MAX, 'never', { ref: false })]);
  demand(what, code === 0 || code === 143, `${code} after ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}
