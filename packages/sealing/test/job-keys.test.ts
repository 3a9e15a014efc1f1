import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openBlob, sealBlob } from '../src/blob.ts';
import { BoxError, openBytes, sealBytes } from '../src/box.ts';
import { GatewayKeys, type Step, WorkerKeys } from '../src/job-keys.ts';
import type { Secrets } from '../src/secret-bytes.ts';

const ROLES = ['converter', 'annotator', 'signer', 'verifier'];
const secretOf = (role: string, version = ''): Buffer =>
  createHash('sha256').update(`${role}${version}`).digest();
const secretsOf = (of: (role: string) => Secrets) =>
  Object.fromEntries(ROLES.map((role) => [role, of(role)]));
const gateway = new GatewayKeys(secretsOf((role) => [secretOf(role)]));
const CHAIN: Step[] = [
  { name: 'generate', role: 'annotator' },
  { name: 'convert', role: 'converter' },
  { name: 'sign', role: 'signer' },
];
/** Queues of each role, among them two of one role. */
const QUEUES: Step[] = [
  ...CHAIN,
  { name: 'verify', role: 'verifier' },
  { name: 'convert-rows', role: 'converter' },
];
const keysOf = ({ role, name }: Step): WorkerKeys => new WorkerKeys([secretOf(role)], name);
const isRefused = (open: () => unknown) => expect(open).toThrow(BoxError);

describe('a box', () => {
  test('of any size opens with its key and context, and not with any bit changed', () => {
    const key = secretOf('signer');
    for (const size of [0, 1, 16, 1_000, 100_000]) {
      const bytes = Buffer.alloc(size, 'abc');
      const box = sealBytes(key, bytes, 'context');
      expect(openBytes(key, box, 'context').equals(bytes)).toBe(true);
      isRefused(() => openBytes(key, box, 'other'));
      for (const at of [0, 5, 12, box.length >> 1, box.length - 1]) {
        const changed = Buffer.from(box);
        changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
        isRefused(() => openBytes(key, changed, 'context'));
      }
      for (const length of [0, 11, 27, box.length - 1])
        isRefused(() => openBytes(key, box.subarray(0, Math.min(length, box.length - 1)), 'context'));
    }
  });

  test('of a blob shows nothing, and opens with its own key only', () => {
    const text = Buffer.from('a canary in a cage '.repeat(50));
    const [one, other] = [sealBlob(text), sealBlob(text)];
    expect(one.box.includes('canary')).toBe(false);
    expect(one.box.equals(other.box)).toBe(false);
    expect(openBlob(one.box, one.seal).equals(text)).toBe(true);
    for (const seal of [other.seal, '', 'AAAA', one.seal.slice(4)]) isRefused(() => openBlob(one.box, seal));
  });
});

describe('the keys of a job', () => {
  test('open an input at its own queue, from its own sender and for its own request only', () => {
    for (const step of QUEUES) {
      const box = gateway.sealInput(step, 'req_1', { step });
      for (const reader of QUEUES) {
        const open = () => keysOf(reader).openInput('req_1', undefined, box);
        if (reader === step) expect(open()).toEqual({ step });
        else isRefused(open);
      }
      isRefused(() => keysOf(step).openInput('req_2', undefined, box));
      isRefused(() => keysOf(step).openInput('req_1', 'generate', box));
      for (const bad of [undefined, null, 7, '', {}, 'x'.repeat(200)])
        isRefused(() => keysOf(step).openInput('req_1', undefined, bad));
    }
  });

  test('let a step seal for the next one only', () => {
    const onward = gateway.onward(CHAIN, 'req_1');
    expect(Object.keys(onward)).toEqual(['generate', 'convert']);
    const [generate, convert, sign] = CHAIN as [Step, Step, Step];
    const box = keysOf(generate).sealNext('req_1', onward.generate, { page: 1 });
    expect(keysOf(convert).openInput('req_1', 'generate', box)).toEqual({ page: 1 });
    for (const reader of QUEUES.filter((step) => step !== convert))
      isRefused(() => keysOf(reader).openInput('req_1', 'generate', box));
    // What the gateway or another step made for the next step does not open with what the step has.
    isRefused(() => keysOf(sign).openInput('req_1', 'convert', box));
    isRefused(() => keysOf(generate).sealNext('req_1', onward.convert, {}));
    isRefused(() => keysOf(generate).sealNext('req_2', onward.generate, {}));
    isRefused(() => keysOf(generate).sealNext('req_1', undefined, {}));
  });

  test('prove which queue made an output or a reply', () => {
    for (const step of QUEUES) {
      const output = keysOf(step).sealOutput('req_1', { pages: 3 });
      const reply = keysOf(step).sealReply('req_1', { ok: true });
      for (const claimed of QUEUES) {
        const opened = [
          () => gateway.openOutput(claimed, 'req_1', output),
          () => gateway.openReply(claimed, 'req_1', reply),
        ] as const;
        if (claimed === step) expect(opened.map((open) => open())).toEqual([{ pages: 3 }, { ok: true }]);
        else for (const open of opened) isRefused(open);
      }
      isRefused(() => gateway.openReply(step, 'req_1', output));
      isRefused(() => gateway.openReply(step, 'req_2', reply));
    }
  });

  test('open the key of a blob for one role and one request', () => {
    const box = gateway.sealBlobKey('signer', 'req_1', 'a key');
    expect(new WorkerKeys([secretOf('signer')], 'sign-rows').openBlobKey('req_1', box)).toBe('a key');
    for (const step of QUEUES.filter(({ role }) => role !== 'signer'))
      isRefused(() => keysOf(step).openBlobKey('req_1', box));
    isRefused(() => new WorkerKeys([secretOf('signer')], 'sign').openBlobKey('req_2', box));
  });
});

describe('while a secret replaces another one', () => {
  /** What a process has in each step of the rotation. */
  const STEPS: ((role: string) => Secrets)[] = [
    (role) => [secretOf(role)],
    (role) => [secretOf(role), secretOf(role, ' 2')],
    (role) => [secretOf(role, ' 2'), secretOf(role)],
    (role) => [secretOf(role, ' 2')],
  ];
  const [first, convert] = CHAIN as [Step, Step];
  const travels = (ofGateway: (role: string) => Secrets, ofWorker: (role: string) => Secrets): void => {
    const [keys, worker] = [
      new GatewayKeys(secretsOf(ofGateway)),
      new WorkerKeys(ofWorker(first.role), first.name),
    ];
    const next = new WorkerKeys(ofWorker(convert.role), convert.name);
    expect(worker.openInput('req_1', undefined, keys.sealInput(first, 'req_1', 'a template'))).toBe(
      'a template',
    );
    const onward = keys.onward([first, convert], 'req_1')[first.name];
    expect(next.openInput('req_1', first.name, worker.sealNext('req_1', onward, 'a text'))).toBe('a text');
    expect(keys.openOutput(first, 'req_1', worker.sealOutput('req_1', 'made'))).toBe('made');
    expect(keys.openReply(first, 'req_1', worker.sealReply('req_1', 'done'))).toBe('done');
    expect(worker.openBlobKey('req_1', keys.sealBlobKey(first.role, 'req_1', 'a key'))).toBe('a key');
  };

  test('gateways and workers of the same step or the next one understand each other', () => {
    for (const [at, step] of STEPS.entries())
      for (const other of STEPS.slice(Math.max(0, at - 1), at + 2)) travels(step, other);
  });

  test('those that skip a step do not', () => {
    isRefused(() => travels(STEPS[0] as never, STEPS[2] as never));
    isRefused(() => travels(STEPS[3] as never, STEPS[1] as never));
    isRefused(() => travels(STEPS[0] as never, STEPS[3] as never));
  });
});
