import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { EngineError, type EngineTarget } from '../engine.ts';
import { countPages } from './pdf.ts';

export const OUTPUT_BYTES_MAX = 100 * 2 ** 20;

/** Reads a file that an engine wrote. The engine is not trusted: neither a link nor a device is followed. */
export async function readOutput(path: string): Promise<Buffer> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new EngineError('crashed', 'the engine left no output', { cause: error });
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new EngineError('crashed', 'the output is not a file');
    requireSize(stat.size);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Throws `exhausted` for more bytes than a result may have. */
export function requireSize(bytes: number): void {
  if (bytes > OUTPUT_BYTES_MAX) throw new EngineError('exhausted', `the output has ${bytes} bytes`);
}

export interface Output {
  bytes: Buffer;
  /** Of a PDF. */
  pages?: number;
}

/** Holds what an engine wrote to what its format begins and ends with. Throws `crashed` for anything else. */
export async function checkOutput(target: EngineTarget, bytes: Buffer): Promise<Output> {
  switch (target) {
    case 'pdf':
      return { bytes, pages: countPages(bytes) };
    case 'docx':
      await requirePart(bytes, 'word/document.xml');
      return { bytes };
    case 'odt':
      await requirePart(bytes, 'mimetype', 'application/vnd.oasis.opendocument.text');
      return { bytes };
    case 'html':
    case 'txt':
      return { bytes: requireText(bytes) };
    case 'png':
      requirePng(bytes);
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
    throw new EngineError('crashed', 'the output is no sound archive', { cause });
  }
  if (part !== (content ?? '')) throw new EngineError('crashed', `the output lacks the right ${name}`);
}

/** The text without a byte order mark, which LibreOffice writes and most readers of UTF-8 stumble over. */
function requireText(bytes: Buffer): Buffer {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new EngineError('crashed', 'the output is not UTF-8', { cause: error });
  }
  return bytes.subarray(bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0);
}

/** PNG (third edition) §5.2 and §11.2.5. */
const PNG_HEAD = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const PNG_END = Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1');

function requirePng(bytes: Buffer): void {
  const isWhole =
    bytes.subarray(0, PNG_HEAD.length).equals(PNG_HEAD) && bytes.subarray(-PNG_END.length).equals(PNG_END);
  if (!isWhole) throw new EngineError('crashed', 'the output is no whole PNG');
}
