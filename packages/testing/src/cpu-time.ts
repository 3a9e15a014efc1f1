/**
 * CPU time in milliseconds that this process has used since `startedAt` (of `process.cpuUsage()`). A limit of it
 * tells whether a work is linear; a limit on the clock would also count the tests that run beside this one.
 */
export function cpuMsSince(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}
