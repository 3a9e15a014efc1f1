import { readdirSync, readFileSync } from 'node:fs';
import { processTree } from '@scriptorium/testing/processes';
import { inService, type ServiceProcess } from './service.ts';

/** Open files, sockets and pipes of a process. */
export function descriptorsOf({ child }: ServiceProcess): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

/** Resident memory of a process. */
export function residentMiB({ child }: ServiceProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** The processes below a service: a converter's engines. */
export function childrenOf({ child }: ServiceProcess): number[] {
  return processTree(child.pid)
    .map(({ pid }) => pid)
    .filter((pid) => pid !== child.pid);
}

export interface LogLine {
  /** ISO 8601. */
  time: string;
  msg: string;
  route?: string;
  status?: number;
  /** For a response: the time from the request's head to its end. */
  ms?: number;
  requestId?: string;
  reason?: string;
}

/** A service's log, line by line. */
export function logLines(service: ServiceProcess): LogLine[] {
  return service
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}

/** Kills those that are in service, and waits for their end. */
export async function killAll(processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(inService(processes).map((process) => process.end('SIGKILL')));
}
