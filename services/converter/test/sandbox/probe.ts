import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const HOST_FOLDER = fileURLToPath(new URL('../../engine-host', import.meta.url));
const PROBES = fileURLToPath(new URL('../../dist/probe', import.meta.url));

export const PROGRAM_DIR = '/usr/lib/libreoffice/program';

/** Confines itself like a child of the engine host, and runs attempts; see `probe/escape.c`. */
export const ESCAPE = `${PROBES}/escape`;
/** Runs a program on a simulated kernel without Landlock or seccomp; see `probe/refuse.c`. */
export const REFUSE = `${PROBES}/refuse`;

/** Compiles both from the sources of the engine host. Takes a second if they are not built yet. */
export function buildProbe(): void {
  execFileSync('make', ['-s', '-C', HOST_FOLDER, 'probe'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The Landlock version of this host. */
export function landlockVersion(): number {
  return Number(execFileSync(ESCAPE, { encoding: 'utf8' }));
}

/** At most the walls of the host: Landlock up to that version, and whether there is a seccomp filter. */
export type Walls = readonly [landlock: number, seccomp: 0 | 1];

export const NONE: Walls = [0, 0];
export const ONLY_SECCOMP: Walls = [0, 1];
export const ONLY_LANDLOCK: Walls = [99, 0];
/** The first version of Landlock, of Linux 5.13. */
export const OLDEST: Walls = [1, 1];
export const ALL: Walls = [99, 1];

/**
 * Makes a confined child run these attempts in turn. Returns what they printed, the outcome of each line, and how the child
 * ended.
 */
export function attempt(
  jobDir: string,
  walls: Walls,
  ...attempts: string[]
): { lines: string[]; outcomes: string[]; end: string } {
  const [landlock, seccomp] = walls.map(String) as [string, string];
  const output = execFileSync(ESCAPE, [jobDir, PROGRAM_DIR, landlock, seccomp, ...attempts], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });
  const lines = output.trim().split('\n');
  const end = lines.pop() ?? '';
  return { lines, outcomes: lines.map((line) => line.split(' ')[1] ?? ''), end };
}
