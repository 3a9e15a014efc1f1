import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ALL,
  attempt,
  buildProbe,
  landlockVersion,
  NONE,
  OLDEST,
  ONLY_LANDLOCK,
  ONLY_SECCOMP,
  type Walls,
} from './probe.ts';

buildProbe();

const outside = mkdtempSync(join(tmpdir(), 'walls-outside-'));
const canary = join(outside, 'canary');
const others = join(outside, 'job-2');
const jobDir = join(outside, 'job-1');
const socketPath = join(outside, 'server.sock');
const abstractName = `walls-${process.pid}`;

let port = 0;
let sibling: ChildProcess;
const servers: Server[] = [];
const visits: string[] = [];

async function listen(name: string, at: object): Promise<Server> {
  const server = createServer((socket) => {
    visits.push(name);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(at, resolve));
  servers.push(server);
  return server;
}

/** Each server accepts what came before these visits first. */
async function visitAll(): Promise<void> {
  for (const at of [{ port, host: '127.0.0.1' }, { path: socketPath }, { path: `\0${abstractName}` }]) {
    const socket = connect(at).resume();
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
  }
}

beforeAll(async () => {
  const tcp = await listen('tcp', { port: 0, host: '127.0.0.1' });
  port = (tcp.address() as { port: number }).port;
  await listen('unix', { path: socketPath });
  await listen('abstract', { path: `\0${abstractName}` });
  // A process of the same user, unrelated to the confined one.
  sibling = spawn('sleep', ['600'], { stdio: 'ignore' });
});

afterAll(async () => {
  sibling.kill('SIGKILL');
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  rmSync(outside, { recursive: true });
});

beforeEach(() => {
  for (const dir of [others, jobDir]) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { mode: 0o700 });
  }
  writeFileSync(canary, 'the canary sings');
  writeFileSync(join(others, 'input.docx'), 'another job’s document');
  visits.length = 0;
});

const one = (walls: Walls, text: string) => attempt(jobDir, walls, text).outcomes[0];
/** The attempt, its error, and the sets of walls that each stop it on their own. Without any it succeeds. */
type Row = readonly [what: string, attempt: () => string, error: string, by: readonly Walls[]];

const FILES: readonly Row[] = [
  ['reads a file outside', () => `read=${canary}`, 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['reads the accounts of the host', () => 'read=/etc/passwd', 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  [
    'reads the document of another job',
    () => `read=${join(others, 'input.docx')}`,
    'EACCES',
    [OLDEST, ONLY_LANDLOCK],
  ],
  ['lists where the jobs are', () => `list=${outside}`, 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['lists the processes of the host', () => 'list=/proc', 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['overwrites a file outside', () => `write=${canary}`, 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['creates a file outside', () => `write=${join(outside, 'new')}`, 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['creates a file in /tmp', () => `write=${outside}-new`, 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['creates a folder outside', () => `mkdir=${join(outside, 'folder')}`, 'EACCES', [OLDEST, ONLY_LANDLOCK]],
  ['links to a file outside', () => `link=${canary}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['moves a file out of another job', () => `rename=${join(others, 'input.docx')}`, 'EACCES', [OLDEST]],
  ['truncates a file outside by opening it', () => `open-truncate=${canary}`, 'EACCES', [OLDEST]],
  ['truncates a file outside', () => `truncate=${canary}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  [
    'leaves a symbolic link for the owner to follow',
    () => 'symlink=/etc/passwd',
    'EPERM',
    [OLDEST, ONLY_SECCOMP],
  ],
  ['leaves a pipe that would block the owner', () => 'mkfifo=pipe', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['changes the mode of a file outside', () => `chmod=${canary}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['changes the time of a file outside', () => `utime=${canary}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['watches another job', () => `inotify=${others}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['opens files by handle', () => `handle=${canary}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
];

const SOCKETS: readonly Row[] = [
  ['connects to a port of the host', () => `tcp=${port}`, 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['opens a port', () => 'tcp-listen=0', 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['sends a datagram', () => `udp=${port}`, 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['queries the kernel about the network', () => 'netlink', 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['connects to a path-based socket', () => `unix=${socketPath}`, 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['lists the addresses of the host', () => 'interfaces', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['sends a byte out of band', () => 'out-of-band', 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['attaches a filter to a socket', () => 'attach-filter', 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  ['passes an open file on', () => 'pass-descriptor', 'EAFNOSUPPORT', [OLDEST, ONLY_SECCOMP]],
  [
    'serves under an abstract name',
    () => `abstract-server=${abstractName}-other`,
    'EAFNOSUPPORT',
    [OLDEST, ONLY_SECCOMP],
  ],
  [
    'connects to an abstract socket',
    () => `abstract=${abstractName}`,
    'EAFNOSUPPORT',
    [OLDEST, ONLY_SECCOMP],
  ],
];

const PROCESSES: readonly Row[] = [
  ['signals another process', () => `kill=${sibling.pid}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['signals the service', () => `tgkill=${process.pid}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['signals any thread', () => `tkill=${process.pid}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['has a signal sent to another process', () => `setown=${sibling.pid}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['opens another process by pidfd', () => `pidfd=${sibling.pid}`, 'ENOSYS', [OLDEST, ONLY_SECCOMP]],
  ['forks', () => 'fork', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['forks with clone3', () => 'clone3', 'ENOSYS', [OLDEST, ONLY_SECCOMP]],
  ['starts a thread with its own open files', () => 'thread-apart', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['gives a thread its own open files', () => 'close-range', 'ENOSYS', [OLDEST, ONLY_SECCOMP]],
  ['outlives its parent', () => 'pdeathsig', 'EPERM', [OLDEST, ONLY_SECCOMP]],
];

const KERNEL: readonly Row[] = [
  ['a key ring', () => 'keyctl', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['io_uring', () => 'io_uring', 'ENOSYS', [OLDEST, ONLY_SECCOMP]],
  ['userfaultfd', () => 'userfaultfd', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['memory that counts for no process', () => 'memfd', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['memory that is shared by name', () => 'shm', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['a timer of the kernel', () => 'timer', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ['writing the disks of the host', () => 'sync', 'EPERM', [OLDEST, ONLY_SECCOMP]],
  // PR_SET_SECCOMP, PR_SCHED_CORE, PR_SET_VMA of linux/prctl.h, and one that no kernel knows
  ...[22, 62, 0x53564d41, 12345].map(
    (option): Row => [`the option ${option}`, () => `prctl=${option}`, 'EPERM', [OLDEST, ONLY_SECCOMP]],
  ),
  ['a user namespace', () => 'unshare', 'EPERM', [OLDEST, ONLY_SECCOMP]],
];

function describeRows(subject: string, rows: readonly Row[]): void {
  describe(subject, () => {
    test.each(rows)('%s', (_what, make, error, by) => {
      expect(one(ALL, make())).toBe(error);
      for (const walls of by) expect(one(walls, make())).toMatch(/^E/);
      // If it were impossible anyway, the walls would prove nothing.
      expect(one(NONE, make())).toBe('done');
    });
  });
}

describeRows('the walls stop a hijacked process that', FILES);
describeRows('the walls stop a hijacked process that', SOCKETS);
describeRows('the walls stop a hijacked process that', PROCESSES);
describeRows('the walls deny a hijacked process', KERNEL);

test('no other call of the kernel passes', () => {
  const refused = attempt(jobDir, ALL, 'each-call').lines.slice(0, -1);
  expect(refused.length).toBeGreaterThan(200);
  expect(refused.filter((line) => !/ (EPERM|ENOSYS|EAFNOSUPPORT)$/.test(line))).toEqual([]);
  // Numbers that this version was never checked with, up to those that no kernel has yet.
  expect(attempt(jobDir, ALL, 'newer-calls').lines).toEqual(['newer-calls done']);
  expect(attempt(jobDir, NONE, 'newer-calls').lines.length).toBeGreaterThan(1);
});

test('operations pass that do not leave the process', () => {
  const { lines } = attempt(jobDir, ALL, 'operations');
  const passing = (what: string) =>
    lines.flatMap((line) => line.match(new RegExp(`^${what}-(\\d+) passes$`))?.[1] ?? []).map(Number);
  // PR_SET_NAME and PR_GET_NAME
  expect(passing('prctl')).toEqual([15, 16]);
  // F_DUPFD to F_SETLKW, and F_DUPFD_CLOEXEC
  expect(passing('fcntl')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 1030]);
  // TCGETS, FIONREAD, FIONBIO, FIONCLEX and FIOCLEX
  expect(passing('ioctl')).toEqual([0x5401, 0x541b, 0x5421, 0x5450, 0x5451]);
});

test('a confined process changes nothing outside, and reaches no server', async () => {
  // Connections of the earlier attempts without walls may still be in progress.
  await visitAll();
  visits.length = 0;
  const all = [...FILES, ...SOCKETS].map(([, make]) => make());
  expect(attempt(jobDir, ALL, ...all).outcomes).not.toContain('done');
  expect(readFileSync(canary, 'utf8')).toBe('the canary sings');
  expect(readFileSync(join(others, 'input.docx'), 'utf8')).toBe('another job’s document');
  await visitAll();
  expect(visits).toEqual(['tcp', 'unix', 'abstract']);
});

const withScopes = landlockVersion() >= 6 ? test : test.skip;
withScopes('Landlock alone also blocks signals and abstract sockets, from Linux 6.12 on', () => {
  const attempts = [
    `kill=${sibling.pid}`,
    `tgkill=${process.pid}`,
    `abstract=${abstractName}`,
    `tcp=${port}`,
  ];
  expect(attempt(jobDir, ONLY_LANDLOCK, ...attempts).outcomes).toEqual(['EPERM', 'EPERM', 'EPERM', 'EACCES']);
});
