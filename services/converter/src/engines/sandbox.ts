/** What an operator requires: every wall, or those that the kernel supports. */
export const SANDBOX_DEMANDS = ['required', 'degraded'] as const;
export type SandboxDemand = (typeof SANDBOX_DEMANDS)[number];

/**
 * The sandbox around a process that reads a document. Walls have names such as `landlock-7`, `seccomp` and
 * `namespaces`. The last one is never required.
 */
export interface Sandbox {
  state: 'enforced' | 'degraded';
  walls: readonly string[];
}

export const NO_SANDBOX: Sandbox = { state: 'degraded', walls: [] };

/** Parses the output of `sandbox_describe` in `engine-host/sandbox.h`; undefined if it is anything else. */
export function parseSandbox(text: string): Sandbox | undefined {
  const [state, walls = ''] = text.trim().split(' ');
  if (state !== 'enforced' && state !== 'degraded') return undefined;
  return { state, walls: walls === '-' ? [] : walls.split(',') };
}

/** The exit code of a program that lacks a required wall: EX_CONFIG of sysexits.h (`engine-host/sandbox.c`). */
export const UNFIT_HOST = 78;
