import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { run } from '../engines/engine.suite.ts';
import type { Outcome } from '../rigs/convert-once.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { descendants, filesUnder, type Process, until } from '../rigs/processes.ts';
import { CANARY, documentShowing, writeCanary } from './canary.ts';
import { buildProbe, REFUSE } from './probe.ts';

/** O_ACCMODE of fcntl.h. */
const ACCESS_MODE = 3;

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
const documentPath = join(folder, 'document.docx');
const convertOnce = fileURLToPath(new URL('../rigs/convert-once.ts', import.meta.url));
const NODE = [process.execPath, '--conditions=source', '--disable-warning=ExperimentalWarning', convertOnce];

/** The third wall, where this host lets a process have it. */
const namespaces =
  spawnSync('unshare', ['--user', '--map-current-user', '--net', 'true']).status === 0 ? ['namespaces'] : [];

buildProbe();
beforeAll(() => {
  chmodSync(folder, 0o755);
  writeFileSync(documentPath, documentShowing(writeCanary(folder)));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Converts the document in a separate process, started with the prefix. */
function convertIn(prefix: string[], sandbox: string, workRoot = folder): Outcome {
  const [command = '', ...args] = [...prefix, ...NODE, sandbox, workRoot, documentPath];
  const env = { PATH: process.env.PATH };
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 })) as Outcome;
}

function converted(outcome: Outcome): { sandbox: string; texts: string[]; walls: unknown[] } {
  if ('error' in outcome) throw new Error(outcome.error);
  const texts = outcome.engines.flatMap(({ pdfs }) => pdfs.map((pdf) => textOf(Buffer.from(pdf, 'base64'))));
  return { sandbox: outcome.sandbox, texts, walls: outcome.engines.map(({ walls }) => walls) };
}

describe('a host whose kernel lacks a wall', () => {
  test.each([
    ['landlock', /does not support Landlock \(Function not implemented\).*SANDBOX=degraded/],
    ['seccomp', /does not support seccomp filters \(Function not implemented\).*SANDBOX=degraded/],
  ])('does not start an engine without %s, and names the missing wall', (wall, message) => {
    const outcome = convertIn([REFUSE, wall], 'required');
    expect(outcome).toEqual({
      error: expect.stringMatching(message),
      unavailable: [expect.stringMatching(message), expect.stringMatching(message)],
    });
  });

  testInWhole('converts with the available walls if SANDBOX is degraded', () => {
    expect(converted(convertIn([REFUSE, 'landlock'], 'degraded'))).toMatchObject({
      sandbox: 'degraded',
      walls: [
        ['seccomp', ...namespaces],
        ['seccomp', ...namespaces],
      ],
    });
  });

  testInWhole(
    'exposes files of the host to documents without any wall, which proves the need for walls',
    () => {
      const { sandbox, texts, walls } = converted(convertIn([REFUSE, 'both'], 'degraded'));
      expect([sandbox, walls]).toEqual(['degraded', [[], []]]);
      for (const text of texts) expect(text).toBe(`The document itself ${CANARY}`);
    },
  );
});

describe('a host with every wall', () => {
  test.each(few(['required', 'degraded'], 1))('exposes no file to a document with SANDBOX=%s', (demand) => {
    const { sandbox, texts, walls } = converted(convertIn([], demand));
    expect(sandbox).toBe('enforced');
    expect(texts).toEqual(['The document itself', 'The document itself']);
    for (const names of walls)
      expect(names).toEqual([expect.stringMatching(/^landlock-\d+$/), 'seccomp', ...namespaces]);
  });

  const unprivileged = [
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    '--bounding-set=-all',
    '--no-new-privs',
  ];
  const isRoot = process.getuid?.() === 0;
  (isRoot ? test : test.skip)(
    'converts for an unprivileged service, with fonts that nobody has listed',
    () => {
      const workRoot = mkdtempSync(join(tmpdir(), 'unprivileged-'));
      chownSync(workRoot, 65534, 65534);
      mkdirSync(join(workRoot, 'fonts'));
      const file = execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Sans'], { encoding: 'utf8' });
      copyFileSync(file, join(workRoot, 'fonts', 'new.ttf'));
      const { sandbox, texts } = converted(convertIn(['setpriv', ...unprivileged], 'required', workRoot));
      expect([sandbox, texts]).toEqual(['enforced', ['The document itself', 'The document itself']]);
      rmSync(workRoot, { recursive: true });
    },
  );

  (isRoot ? test : test.skip)('converts in a user namespace', () => {
    const outcome = convertIn(['unshare', '--user', '--map-root-user'], 'required');
    expect(converted(outcome)).toMatchObject({
      sandbox: 'enforced',
      texts: ['The document itself', 'The document itself'],
    });
  });
});

describe('a waiting child', () => {
  const workRoot = mkdtempSync(join(tmpdir(), 'spare-test-'));
  const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot });
  let spare: Process;
  beforeAll(async () => {
    await engine.start();
    const [host] = descendants().filter(({ parent }) => parent === process.pid);
    spare = await until('a child waits', () =>
      descendants().find(({ parent, name }) => parent === host?.pid && name === 'engine-host'),
    );
  });
  afterAll(async () => {
    await engine.close();
    rmSync(workRoot, { recursive: true });
  });

  const read = (name: string) => readFileSync(`/proc/${spare.pid}/${name}`, 'utf8');

  test('is already confined: a filter, no new privileges, no capability', () => {
    const status = Object.fromEntries(
      read('status')
        .split('\n')
        .map((line) => line.split(/:\s+/)),
    );
    expect(status).toMatchObject({
      Seccomp: '2',
      NoNewPrivs: '1',
      CapEff: '0000000000000000',
      CapPrm: '0000000000000000',
    });
  });

  test.each([
    ['address space', 'Max address space', 3 * 2 ** 30],
    ['size of a file', 'Max file size', 100 * 2 ** 20],
    ['CPU seconds', 'Max cpu time', 50],
    ['open files', 'Max open files', 256],
    ['memory dump', 'Max core file size', 0],
  ])('has its limit on %s', (_what, name, limit) => {
    expect(Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(read('limits'))?.[1])).toBe(limit);
  });

  test('does not see the environment of the service', () => {
    const names = read('environ')
      .split('\0')
      .map((line) => line.split('=')[0])
      .filter(Boolean);
    expect(names.sort()).toEqual([
      'FONTCONFIG_FILE',
      'GLIBC_TUNABLES',
      'HOME',
      'LANG',
      'LOK_HOST_ALLOWLIST',
      'METRIC_FONTS_DIR',
      'PATH',
      'SAL_LOK_OPTIONS',
      'TMPDIR',
    ]);
  });

  test('shares no descriptor with its host except the two pipes', () => {
    const fds = `/proc/${spare.pid}/fd`;
    const targets = readdirSync(fds).map((fd) => readlinkSync(join(fds, fd)));
    expect(targets.filter((target) => target.startsWith('pipe:'))).toHaveLength(2);
    for (const target of targets)
      expect(target).toMatch(
        /^(pipe:|anon_inode:\[eventfd\]|\/dev\/(null|urandom)$|\/usr\/|\/etc\/|.*\/zygote-1\/)/,
      );
    const written = readdirSync(fds).filter((fd) => {
      const flags = Number.parseInt(/flags:\s+(\d+)/.exec(read(`fdinfo/${fd}`))?.[1] ?? '', 8);
      return (flags & ACCESS_MODE) !== constants.O_RDONLY && readlinkSync(join(fds, fd)).includes('/zygote-');
    });
    expect(written).toEqual([]);
  });

  test('shares no writable memory with its host', () => {
    const mappings = read('smaps').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/);
    // proc_pid_smaps(5): shared, and writable or possibly writable.
    const shared = mappings.filter((text) => /^VmFlags:.* ms\b/m.test(text));
    expect(shared.length).toBeGreaterThan(0);
    expect(shared.filter((text) => /^VmFlags:.* mw\b/m.test(text))).toEqual([]);
  });

  test('works in a directory that no other user can enter', () => {
    expect(spare.cwd).toMatch(/\/job-\d+$/);
    for (const dir of [spare.cwd, join(spare.cwd, '..'), join(spare.cwd, '../../..')])
      expect(statSync(dir).mode & 0o777).toBe(0o700);
  });
});

test('a conversion leaves no part of its document in the jobs’ common directory', async () => {
  const workRoot = mkdtempSync(join(tmpdir(), 'left-test-'));
  const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot });
  await engine.start();
  const common = () => filesUnder(workRoot).filter((path) => !/\/job-\d+\//.test(path));
  const before = common();
  for (let i = 0; i < 3; i++) await run(engine, docxWith([`letter ${i}`]));
  expect(common()).toEqual(before);
  await engine.close();
  rmSync(workRoot, { recursive: true });
});
