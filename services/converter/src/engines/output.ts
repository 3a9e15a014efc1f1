import { closeSync, constants, fstatSync, openSync, readFile, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  TARGET_FORMATS,
  type TargetFormat,
  type TargetFormatEntry,
} from '@scriptorium/contracts/jobs/target-formats';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { EngineError } from './engine.ts';
import { countPages } from './pdf.ts';
import { SYNC_BYTES_MAX } from './work-dir.ts';

export const OUTPUT_BYTES_MAX = 100 * 2 ** 20;

/** Reads a file that an engine wrote. The engine is not trusted: links and devices are refused. */
export async function readOutput(path: string): Promise<Buffer> {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new EngineError('crashed', 'the engine left no output', { cause: error });
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new EngineError('crashed', 'the output is not a file');
    requireSize(stat.size);
    return stat.size <= SYNC_BYTES_MAX ? readFileSync(file) : await promisify(readFile)(file);
  } finally {
    closeSync(file);
  }
}

/** Throws `exhausted` if a result exceeds the size limit. */
export function requireSize(bytes: number): void {
  if (bytes > OUTPUT_BYTES_MAX) throw new EngineError('exhausted', `the output has ${bytes} bytes`);
}

export interface Output {
  bytes: Buffer;
  /** Page count of a PDF. */
  pages?: number;
}

/** Checks that an engine's output is a complete file of its format. Throws `crashed` if it is not. */
export async function checkOutput(target: TargetFormat, bytes: Buffer): Promise<Output> {
  const { sound }: TargetFormatEntry = TARGET_FORMATS[target];
  switch (sound.kind) {
    case 'PDF':
      return { bytes, pages: countPages(bytes) };
    case 'ZIP archive':
      await requirePart(bytes, sound.part, sound.content);
      return { bytes };
    case 'UTF-8 text':
      return { bytes: requireText(bytes) };
    case 'file':
      requireEnds(bytes, sound.start, sound.end);
      return { bytes };
  }
}

async function requirePart(bytes: Buffer, name: string, content?: string): Promise<void> {
  let part: string | undefined;
  try {
    const budget = new Budget();
    const entry = (await readArchive(bytes, budget)).get(name);
    if (entry !== undefined) part = content === undefined ? '' : unpackEntry(entry, budget).toString();
  } catch (cause) {
    throw new EngineError('crashed', 'the output is not a valid archive', { cause });
  }
  if (part !== (content ?? '')) throw new EngineError('crashed', `the output lacks the right ${name}`);
}

/** The text without the byte order mark, which LibreOffice writes and most UTF-8 readers mishandle. */
function requireText(bytes: Buffer): Buffer {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new EngineError('crashed', 'the output is not UTF-8', { cause: error });
  }
  return bytes.subarray(bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0);
}

function requireEnds(bytes: Buffer, start: string, end: string): void {
  const isWhole =
    bytes.toString('latin1', 0, start.length) === start &&
    bytes.toString('latin1', Math.max(0, bytes.length - end.length)) === end;
  if (!isWhole) throw new EngineError('crashed', 'the output does not begin and end as its format does');
}
