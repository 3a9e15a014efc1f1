import type { Reply } from '../context.ts';

/** A part of the work on an answer, and its milliseconds. */
export type Stage = [name: string, ms: number];

/** Tells where the time went, as `Server-Timing` (W3C). */
export function showTiming(response: Reply, stages: Stage[]): void {
  response.setHeader('Server-Timing', stages.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', '));
}
