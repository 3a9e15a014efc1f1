import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from './build.ts';

export interface ContainerOptions {
  uid: number;
  env: Record<string, string>;
  /** Files and folders of this machine, by their path in the container; read-only except those in `writable`. */
  mounts?: Record<string, string>;
  writable?: Record<string, string>;
  /** Size of /dev/shm, MiB. */
  sharedMemoryMb?: number;
  logFile: string;
}

export interface Container {
  /** Its output so far. */
  log(): string;
  /** The id of its first process on this machine. */
  pid(): number;
  /** Runs a program in it, as its user; resolves with the exit code and the output. */
  exec(...command: string[]): Promise<{ code: number; output: string }>;
  /** Whether its entry point has been started. */
  hasBegun(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Ends all its processes at once, if they have not ended. */
  kill(): void;
  readonly ended: Promise<number | null>;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];

/** Does what a container engine does before the first process: its own view of files and processes, all read-only. */
function mountScript({ root }: Image, options: ContainerOptions): string[] {
  const { mounts = {}, writable = {}, sharedMemoryMb = 64 } = options;
  const at = (path: string) => quoted(join('/mnt', path));
  const bind = (source: string, target: string) => `mount --bind ${quoted(source)} ${at(target)}`;
  for (const [target, source] of Object.entries({ ...mounts, ...writable }))
    if (statSync(source).isDirectory()) mkdirSync(join(root, target), { recursive: true });
    else if (!existsSync(join(root, target))) writeFileSync(join(root, target), '');
  return [
    `mount --bind ${quoted(root)} /mnt`,
    'mount -o remount,bind,ro,nosuid /mnt',
    `mount -t proc -o nosuid,nodev,noexec proc ${at('proc')}`,
    `mount --rbind /sys ${at('sys')}`,
    `mount -t tmpfs -o mode=755,nosuid tmpfs ${at('dev')}`,
    ...DEVICES.flatMap((name) => [`touch ${at(`dev/${name}`)}`, bind(`/dev/${name}`, `dev/${name}`)]),
    `mkdir ${at('dev/shm')}`,
    `mount -t tmpfs -o mode=1777,nosuid,nodev,noexec,size=${sharedMemoryMb}m tmpfs ${at('dev/shm')}`,
    `mount -o remount,ro ${at('dev')}`,
    `mount -t tmpfs -o mode=1777,nosuid,nodev,noexec,size=64m tmpfs ${at('tmp')}`,
    ...Object.entries(mounts).flatMap(([target, source]) => [
      bind(source, target),
      `mount -o remount,bind,ro ${at(target)}`,
    ]),
    ...Object.entries(writable).map(([target, source]) => bind(source, target)),
  ];
}

/** The command that drops all rights except those of a user without an account. */
function asNobody(uid: number): string {
  const ids = `--reuid=${uid} --regid=${uid} --clear-groups`;
  return `setpriv ${ids} --bounding-set=-all --inh-caps=-all --no-new-privs`;
}

/** Starts an image's entry point as a hardened container does, on this machine's network and with its limits. */
export function startContainer(image: Image, options: ContainerOptions): Container {
  const entry = JSON.parse(image.metadata.ENTRYPOINT ?? '[]') as string[];
  const env = Object.entries({ ...image.env, ...options.env }).map(([name, value]) =>
    quoted(`${name}=${value}`),
  );
  const command = `cd ${image.workdir} && exec env -i ${env.join(' ')} ${asNobody(options.uid)} ${entry.map(quoted).join(' ')}`;
  const script = [
    'set -eu',
    ...mountScript(image, options),
    `exec chroot /mnt sh -c ${quoted(command)}`,
  ].join('\n');
  const unshare = ['--mount', '--pid', '--ipc', '--uts', '--fork', 'sh', '-c', script];
  const child = spawn('unshare', unshare, { stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(options.logFile);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
      file.write(chunk);
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const pid = () => firstProcess(child);
  return {
    log: () => text,
    pid,
    ended,
    hasBegun: () => hasBegun(child, entry[0] ?? ''),
    signal: (name) => process.kill(pid(), name),
    kill: () => {
      // The end of `unshare` is not enough: the link to it breaks when the user changes.
      if (child.exitCode === null && child.signalCode === null) process.kill(pid(), 'SIGKILL');
    },
    exec: (...program) => execIn(pid(), options.uid, program),
  };
}

const childrenOf = (pid: number | undefined): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** The process that `unshare` forked, the container's first; throws if there is none. */
function firstProcess({ pid }: ChildProcess): number {
  const [first] = childrenOf(pid);
  if (first === undefined) throw new Error('the container has no process');
  return first;
}

/** Whether its init has started: it handles signals and has a child, which is Node or becomes it. */
function hasBegun(child: ChildProcess, init: string): boolean {
  try {
    const first = firstProcess(child);
    return readFileSync(`/proc/${first}/comm`, 'utf8').trim() === init && childrenOf(first).length > 0;
  } catch {
    return false;
  }
}

/** Runs as `docker exec` does: in the container's view, with its environment, as its user. */
function execIn(pid: number, uid: number, program: string[]): Promise<{ code: number; output: string }> {
  const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean).map(quoted);
  const command = `exec env -i ${env.join(' ')} ${asNobody(uid)} ${program.map(quoted).join(' ')}`;
  const args = ['--target', String(pid), '--mount', '--pid', '--root', '--wd', 'sh', '-c', command];
  return new Promise((resolve) => {
    execFile('nsenter', args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}
