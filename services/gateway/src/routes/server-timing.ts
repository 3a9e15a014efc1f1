/** Stages of an answer and their milliseconds as the value of `Server-Timing` (W3C). */
export function serverTiming(stages: [name: string, ms: number][]): string {
  return stages.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', ');
}
