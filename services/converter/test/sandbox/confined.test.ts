import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { descendants, until } from '../rigs/processes.ts';
import {
  ALL,
  attempt as attemptIn,
  buildProbe,
  ESCAPE,
  NONE,
  OLDEST,
  ONLY_LANDLOCK,
  ONLY_SECCOMP,
  PROGRAM_DIR,
  type Walls,
} from './probe.ts';

buildProbe();

const root = mkdtempSync(join(tmpdir(), 'confined-'));
const jobDir = join(root, 'job-1');

const attempt = (walls: Walls, ...attempts: string[]) => attemptIn(jobDir, walls, ...attempts);
const one = (walls: Walls, text: string) => attempt(walls, text).outcomes[0];

afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  rmSync(jobDir, { recursive: true, force: true });
  mkdirSync(jobDir, { mode: 0o700 });
});

describe('a confined process', () => {
  test('cannot access files, memory or limits of another process', () => {
    for (const path of ['environ', 'mem', 'maps', 'root/etc/passwd', 'cwd/package.json', 'fd'])
      expect(one(ALL, `read=/proc/${process.pid}/${path}`)).toBe('EACCES');
    expect(one(ALL, 'read=/proc/1/environ')).toBe('EACCES');
    for (const text of ['vm-read', 'ptrace', 'prlimit', 'setpriority'])
      expect(one(ALL, `${text}=${process.pid}`)).toBe('EPERM');
  });

  test.each(['exec=/bin/true', 'execveat=/bin/true'])('cannot start a program: %s', (text) => {
    expect(one(ALL, text)).toBe('EPERM');
    expect(one(ONLY_SECCOMP, text)).toBe('EPERM');
    expect(one(ONLY_LANDLOCK, text)).toBe('EACCES');
  });

  test.each([
    'packet',
    'mount=/mnt',
    `setns=/proc/self/ns/net`,
    'chroot=/',
    'bpf',
    'perf',
    'reboot',
    'setsid',
  ])('gets EPERM from the filter, whatever the kernel would return: %s', (text) =>
    expect(['EPERM', 'EAFNOSUPPORT']).toContain(one(ALL, text)),
  );

  test('cannot change or block a file that it may only read', () => {
    for (const text of ['flags', 'lease']) expect(one(ALL, `${text}=/etc/ld.so.cache`)).toBe('EPERM');
  });

  test('stays in the group that is killed at the deadline', () => {
    expect(one(ALL, `setpgid=${process.pid}`)).toBe('EPERM');
  });

  test('cannot send datagrams to a path-based socket', () => {
    expect(one(ALL, 'unix-datagram=/dev/log')).toBe('EAFNOSUPPORT');
  });

  test.each([[ALL], [OLDEST]])('can do what a conversion needs within the walls %j', (walls) => {
    const needs = ['write=output', 'read=output', 'mkdir=folder', 'thread', 'raise'];
    const readable = ['list=.', 'read=/dev/urandom', 'write=/dev/null', 'list=/usr/share/fonts'];
    expect(attempt(walls, ...needs, ...readable).outcomes).toEqual(
      Array.from({ length: needs.length + readable.length }, () => 'done'),
    );
  });

  test('moves files between folders of its directory', () => {
    expect(one(ALL, 'rename-within=inner')).toBe('done');
  });

  test('has no capability, even if the service runs as root', () => {
    expect(one(ALL, 'capability')).toBe('EPERM');
    expect(one(NONE, 'capability')).toBe('EPERM');
  });

  test('has no descriptor that can change its parent’s files', () => {
    expect(one(NONE, 'descriptor')).toBe('EBADF');
  });

  const x86 = process.arch === 'x64' ? test : test.skip;
  x86('dies at once if it calls the kernel by the numbers of another architecture', () => {
    // A kernel without the calls of i386 ends the process by SIGSEGV before the filter sees the call.
    expect(attempt(ALL, 'i386').end).toMatch(/^ended signal (31|11)$/);
    expect(attempt(ALL, 'x32').end).toBe('ended signal 31');
  });

  test('gets 3 GiB of address space and cannot raise the limit', () => {
    const twoGiB = 2 * 2 ** 30;
    expect(attempt(ALL, `memory=${twoGiB}`, `memory=${2 * twoGiB}`, 'raise-limit').outcomes).toEqual([
      'done',
      'ENOMEM',
      'EPERM',
    ]);
  });

  test('can write files of at most 100 MiB', () => {
    expect(attempt(ALL, `file-size=${100 * 2 ** 20 - 1}`)).toMatchObject({
      outcomes: ['done'],
      end: 'ended exit 0',
    });
    expect(attempt(ALL, `file-size=${100 * 2 ** 20}`).end).toBe('ended signal 25');
  });

  test('ends when its CPU time is exhausted', () => {
    expect(attempt(ALL, 'cpu').end).toBe('ended signal 24');
  });

  test('can open at most 256 files', () => {
    expect(attempt(ALL, 'descriptors=200').outcomes).toEqual(['done']);
    expect(attempt(ALL, 'descriptors=256').outcomes).toEqual(['EMFILE']);
  });

  test.each([
    ['uses more than 256 threads', 'threads=300', 'signal 25'],
    ['creates more than 20,000 files', 'files=21000', 'signal 25'],
    ['writes more than 1 GiB in all files', 'fill=11', 'signal 25'],
    ['writes too many bytes in unlinked files', 'fill-unlinked=11', 'signal 25'],
    ['creates folders that hide their content', 'nest=20', 'signal 25'],
    ['writes too much and ignores the first signal', 'fill-stubbornly=11', 'signal 9'],
  ])('is killed if it %s', (_what, text, end) => {
    expect(attempt(ALL, text, 'stay').end).toBe(`ended ${end}`);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot.each([
    ['writes more than half of it', 'fill=2'],
    ['hides files that are mapped only', 'fill-mapped=3'],
  ])('is killed if it fills its file system: %s', (_what, text) => {
    // 380 MiB, of which one child may have 190.
    const script = `mount -t tmpfs -o size=380m tmpfs ${jobDir} && exec ${ESCAPE} ${jobDir} ${PROGRAM_DIR} 99 1 ${text} stay`;
    const output = execFileSync('unshare', ['--mount', 'sh', '-c', script], { encoding: 'utf8' });
    expect(output.trim().split('\n').at(-1)).toBe('ended signal 25');
  });

  test('can use as much as a large document needs', () => {
    const much = ['threads=200', 'files=15000', 'fill=5', 'fill-unlinked=4', 'nest=5', 'linger'];
    expect(attempt(ALL, ...much)).toMatchObject({ outcomes: much.map(() => 'done'), end: 'ended exit 0' });
  });

  test('leaves no memory dump', () => {
    expect(attempt(ALL, 'core').end).toBe('ended signal 6');
    expect(existsSync(join(jobDir, 'core'))).toBe(false);
  });

  test('dies with its parent', async () => {
    const parent = spawn(ESCAPE, [jobDir, PROGRAM_DIR, '99', '1', 'stay'], { stdio: 'ignore' });
    const child = await until('the child lives', () =>
      descendants().find((process) => process.parent === parent.pid && process.cwd === jobDir),
    );
    parent.kill('SIGKILL');
    await until('the child is gone', () => !existsSync(`/proc/${child.pid}/exe`));
  });
});

/** Starts the probe as an unprivileged user: no root, no capability, no way to gain any. */
const UNPRIVILEGED = [
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--bounding-set=-all',
  '--no-new-privs',
];

describe('a service without privileges', () => {
  const isRoot = process.getuid?.() === 0;
  (isRoot ? test : test.skip).each([
    ['an ordinary user', ['setpriv', ...UNPRIVILEGED]],
    ['root of a user namespace', ['unshare', '--user', '--map-root-user']],
  ])('confines its children as %s', (_who, [command = '', ...prefix]) => {
    chmodSync(root, 0o777);
    chmodSync(jobDir, 0o777);
    const open = join(root, 'open');
    writeFileSync(open, 'for everyone', { mode: 0o666 });
    // A path of its own: a program that still ends cannot be written.
    const program = join(mkdtempSync(join(root, 'program-')), 'escape');
    chmodSync(dirname(program), 0o755);
    writeFileSync(program, readFileSync(ESCAPE), { mode: 0o755 });
    const attempts = [`read=${open}`, `tcp=9`, 'fork', 'write=mine'];
    const output = execFileSync(command, [...prefix, program, jobDir, PROGRAM_DIR, '99', '1', ...attempts], {
      encoding: 'utf8',
    });
    expect(output.trim().split('\n')).toEqual([
      'read EACCES',
      'tcp EAFNOSUPPORT',
      'fork EPERM',
      'write done',
      'ended exit 0',
    ]);
  });
});
