/**
 * CPU time in milliseconds that this process has used since `startedAt` (of `process.cpuUsage()`). A limit on it
 * fails where work is not linear. A limit on elapsed time would also count the tests that run at the same time.
 */
export function cpuMsSince(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}
