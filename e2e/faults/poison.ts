import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { Deployment } from '../service.ts';
import { childrenOf } from '../vitals.ts';

const LOOK_MS = 10;
const LOCAL_HEADER_BYTES = 30;

/** Kills each engine that works on a document with this word in it, as a document that crashes LibreOffice would. */
export function poison(deployment: Deployment, word: string): { kills(): number; stop(): void } {
  const killed = new Set<number>();
  const look = (): void => {
    for (const pid of deployment.converters.flatMap(childrenOf))
      if (!killed.has(pid) && worksOn(pid, word)) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
  };
  const timer = setInterval(look, LOOK_MS);
  return { kills: () => killed.size, stop: () => clearInterval(timer) };
}

/** An engine stands in the folder of its job. */
function worksOn(pid: number, word: string): boolean {
  try {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.docx') && !dirname(name).includes('profile'))
      .some((name) => mainPartOf(readFileSync(join(folder, name))).includes(word));
  } catch {
    // It ended meanwhile, or its document is not there whole yet.
    return false;
  }
}

/** `word/document.xml` of an archive, deflated or stored (APPNOTE 4.3.7). */
function mainPartOf(archive: Buffer): Buffer {
  const name = archive.indexOf('word/document.xml');
  const header = name - LOCAL_HEADER_BYTES;
  const start = name + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const isStored = archive.readUInt16LE(header + 8) === 0;
  return isStored ? archive.subarray(start) : inflateRawSync(archive.subarray(start));
}
