/** What an operator asks for: every wall, or those that the kernel happens to give. */
export const SANDBOX_DEMANDS = ['required', 'degraded'] as const;
export type SandboxDemand = (typeof SANDBOX_DEMANDS)[number];

/** What is around a process that reads a document. Walls by their name, such as `landlock-7` and `seccomp`. */
export interface Sandbox {
  state: 'enforced' | 'degraded';
  walls: readonly string[];
}

export const NO_SANDBOX: Sandbox = { state: 'degraded', walls: [] };

/** Reads what `sandbox_describe` of `engine-host/sandbox.h` writes; undefined where it is something else. */
export function parseSandbox(text: string): Sandbox | undefined {
  const [state, walls = ''] = text.trim().split(' ');
  if (state !== 'enforced' && state !== 'degraded') return undefined;
  return { state, walls: walls === '-' ? [] : walls.split(',') };
}
