import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { Deployment } from '../service.ts';
import { childrenOf } from '../vitals.ts';

const LOOK_MS = 10;
const LOCAL_HEADER = 0x04034b50;
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
    return readdirSync(folder)
      .filter((name) => name.endsWith('.docx'))
      .some((name) => mainPartOf(readFileSync(join(folder, name))).includes(word));
  } catch {
    // It ended meanwhile, or its document is not there whole yet.
    return false;
  }
}

/** `word/document.xml` of an archive whose local headers tell the sizes (APPNOTE 4.3.7). */
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
