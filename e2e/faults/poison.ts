import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { Deployment } from '../service.ts';
import { childrenOf } from '../vitals.ts';

const LOOK_MS = 10;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

/** Kills each engine that processes a document with this word, as if the document crashed LibreOffice. */
export function poison(deployment: Deployment, word: string): { kills(): number; stop(): void } {
  const killed = new Set<number>();
  const ticksBefore = new Map<number, number>();
  const look = (): void => {
    for (const pid of deployment.converters.flatMap(childrenOf)) {
      if (killed.has(pid) || !hasDocument(pid, word)) continue;
      // An engine without an order is replaced without counting an attempt; only one that has started uses CPU.
      const ticks = cpuTicks(pid);
      if (ticks <= (ticksBefore.get(pid) ?? ticks)) ticksBefore.set(pid, ticks);
      else {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return { kills: () => killed.size, stop: () => clearInterval(timer) };
}

/** Clock ticks that a process has run for (proc_pid_stat(5), fields 14 and 15); 0 if it has ended. */
function cpuTicks(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return Number(user) + Number(system);
  } catch {
    return 0;
  }
}

/** An engine's working directory is the folder of its job. */
function hasDocument(pid: number, word: string): boolean {
  try {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return readdirSync(folder)
      .filter((name) => name.endsWith('.docx'))
      .some((name) => mainPartOf(readFileSync(join(folder, name))).includes(word));
  } catch {
    // It has ended, or its document is not complete yet.
    return false;
  }
}

/** `word/document.xml` of an archive whose local headers contain the sizes (APPNOTE 4.3.7). */
function mainPartOf(archive: Buffer): Buffer {
  for (let at = 0; archive.readUInt32LE(at) === LOCAL_HEADER; ) {
    const nameEnd = at + LOCAL_HEADER_BYTES + archive.readUInt16LE(at + 26);
    const start = nameEnd + archive.readUInt16LE(at + 28);
    const end = start + archive.readUInt32LE(at + 18);
    if (archive.toString('utf8', at + LOCAL_HEADER_BYTES, nameEnd) === 'word/document.xml') {
      const packed = archive.subarray(start, end);
      return archive.readUInt16LE(at + 8) === 0 ? packed : inflateRawSync(packed);
    }
    at = end;
  }
  throw new Error('there is no main part');
}
