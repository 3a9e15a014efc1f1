import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { startRig } from './rigs/rig.ts';
import { signer, submit } from './rigs/sign-requests.ts';

const CALLERS = 3;
const DOCUMENT_BYTES = 6_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/**
 * Callers in a separate process, to separate their memory from that of the gateway. They send a form if `rest` is null, and
 * print what they are answered.
 */
function sendLarge(url: string, key: string, rest: object | null) {
  const script = `
    const [url, authorization, rest] = process.argv.slice(1);
    const bytes = Buffer.alloc(${DOCUMENT_BYTES}, 'x');
    const source = { base64: bytes.toString('base64') };
    const documents = url.endsWith('/merge') ? { documents: [source] } : { document: source };
    const json = JSON.stringify({ ...documents, ...JSON.parse(rest) });
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'letter.docx');
    const isForm = rest === 'null';
    const body = isForm ? form : json;
    const headers = { authorization, ...(!isForm && { 'content-type': 'application/json' }) };
    for (let i = 0; i < ${CALLERS}; i++) fetch(url, { method: 'POST', headers, body })
      .then(async (answer) => answer.status + ' ' + (await answer.text()), (error) => String(error.cause ?? error))
      .then((line) => console.log(line));`;
  return spawn(process.execPath, ['-e', script, '--', url, `Bearer ${key}`, JSON.stringify(rest)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test.each([
  ['annotate', '/v1/annotate', { fields: [] }],
  ['generate', '/v1/generate', { data: {} }],
  ['sign', '/v1/sign', { signer, auditTrail: [submit] }],
  ['inspect', '/v1/templates/inspect', {}],
  ['merge', '/v1/merge', {}],
  ['merge', '/v1/merge', null],
  ['verify', '/v1/verify', {}],
  ['verify', '/v1/verify', null],
  ['convert', '/v1/convert?from=docx', null],
])(
  'a gateway holds no document while it waits for the answer of a worker (%s, %s, %j)',
  async (job, path, rest) => {
    // No caller gets an answer before all of them wait.
    const rig = await startRig({ DEADLINE_MS: '600000', QUEUE_WAIT_MS_MAX: '600000' });
    const { key } = await rig.newKey();
    const before = heldBytes();
    const callers = sendLarge(rig.url + path, key, rest);
    let answers = '';
    callers.stdout.on('data', (chunk: Buffer) => {
      answers += chunk.toString();
    });
    for (let i = 0; i < 2_400 && (await rig.waiting(job)) < CALLERS; i++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    expect({ answers, waiting: await rig.waiting(job) }).toEqual({ answers: '', waiting: CALLERS });
    // The buffers of the last request are released shortly after its job appears.
    for (let i = 0; i < 1_000 && heldBytes() - before >= DOCUMENT_BYTES / 2; i++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    expect(heldBytes() - before).toBeLessThan(DOCUMENT_BYTES / 2);
    callers.kill('SIGKILL');
    await once(callers, 'exit');
    await rig.close();
  },
);
