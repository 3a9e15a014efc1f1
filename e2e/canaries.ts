import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processTree } from '@scriptorium/testing/processes';

/** Bytes of a file that show that it is there although its text is compressed. */
const PIECE_BYTES = 40;
const CHUNK_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 4096;
/** What the kernel writes of each page: 8 bytes, whose highest two bits say that it is in memory, or swapped out. */
const ENTRY_BYTES = 8;

/** A text that no other place has, in the forms in which memory may hold it, and pieces of whole files. */
export class Canaries {
  /** Begins every word. */
  readonly #mark = `canary${randomBytes(6).toString('hex')}`;
  readonly #forms = new Map<string, Buffer>();

  constructor() {
    this.#forms.set('plain', Buffer.from(this.#mark));
    this.#forms.set('UTF-16', Buffer.from(this.#mark, 'utf16le'));
    this.#forms.set('UTF-16, big-endian', Buffer.from(this.#mark, 'utf16le').swap16());
  }

  /** Returns a word for one place of a document. */
  word(place: string): string {
    return `${this.#mark}${place}`;
  }

  /** Remembers a file that is compressed or encoded, as it is and in base64. */
  file(name: string, bytes: Buffer): Buffer {
    const middle = middleOf(bytes);
    this.#forms.set(`${name}, compressed`, bytes.subarray(middle, middle + PIECE_BYTES));
    // From a multiple of three, so that the text is that of the whole.
    const start = middle - (middle % 3);
    const piece = bytes.subarray(start, start + 30).toString('base64');
    this.#forms.set(`${name}, in base64`, Buffer.from(piece));
    return bytes;
  }

  /** The forms whose names match. */
  only(names: RegExp): Canaries {
    const some = new Canaries();
    some.#forms.clear();
    for (const [name, needle] of this.#forms) if (names.test(name)) some.#forms.set(name, needle);
    return some;
  }

  /** Returns what is found in some bytes: the form, with the place of a word. */
  in(bytes: Buffer): string[] {
    const found = new Set<string>();
    for (const [form, needle] of this.#forms)
      for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
        const after = bytes.subarray(at + needle.length, at + needle.length + 40);
        const text = after.toString('latin1').replaceAll('\0', '');
        found.add(form === 'plain' || form.startsWith('UTF') ? `${form}: ${/^\w*/.exec(text)?.[0]}` : form);
      }
    return [...found];
  }
}

/**
 * The middle of a file; of a PDF, the middle of its first stream, which is the content of a page. Fonts and metadata are in other
 * files, too.
 */
function middleOf(bytes: Buffer): number {
  const start = bytes.indexOf('stream\n');
  const end = bytes.indexOf('endstream', start);
  const isPdf = bytes.toString('latin1', 0, 5) === '%PDF-' && start >= 0 && end > start;
  return Math.floor(isPdf ? (start + end) / 2 : bytes.length / 2);
}

/** Reads a file or a region in overlapping chunks, so that no needle lies between two. */
function* chunksOf(
  file: number,
  start: number,
  end: number,
  isUsed: (at: number, end: number) => boolean = () => true,
): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = start; at < end; at += CHUNK_BYTES - 1024) {
    if (!isUsed(at, Math.min(at + CHUNK_BYTES, end))) continue;
    let length = 0;
    try {
      length = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, end - at), at);
    } catch {
      // The region was unmapped, or is not memory.
    }
    if (length === 0) return;
    yield chunk.subarray(0, length);
  }
}

/** Says which pages of a range a process has used. Most mapped pages are never used. */
function usedPages(pagemap: number): (at: number, end: number) => boolean {
  const entries = Buffer.alloc((CHUNK_BYTES / PAGE_BYTES + 1) * ENTRY_BYTES);
  return (at, end) => {
    const [first, last] = [Math.floor(at / PAGE_BYTES), Math.ceil(end / PAGE_BYTES)];
    const length = readSync(pagemap, entries, 0, (last - first) * ENTRY_BYTES, first * ENTRY_BYTES);
    for (let entry = ENTRY_BYTES - 1; entry < length; entry += ENTRY_BYTES)
      if ((entries[entry] ?? 0) >= 0x40) return true;
    return false;
  };
}

/** A region that can be written, and the kilobytes of it that are in memory. */
const REGION = /^(\w+)-(\w+) rw\S* [\s\S]*?^Rss:\s+(\d+)/gm;

/** What the memory of a process and its children holds. Throws if it cannot be read. */
export function foundInMemory(canaries: Canaries, root: number): Map<string, number> {
  const found = new Map<string, number>();
  for (const { pid } of processTree(root)) {
    // A child may have ended meanwhile.
    if (pid !== root && !existsSync(`/proc/${pid}/mem`)) continue;
    const memory = openSync(`/proc/${pid}/mem`, 'r');
    const pagemap = openSync(`/proc/${pid}/pagemap`, 'r');
    const isUsed = usedPages(pagemap);
    try {
      const maps = readFileSync(`/proc/${pid}/smaps`, 'utf8');
      for (const [, from = '', to = '', resident = ''] of maps.matchAll(REGION)) {
        if (resident === '0') continue;
        for (const chunk of chunksOf(memory, Number.parseInt(from, 16), Number.parseInt(to, 16), isUsed))
          for (const what of canaries.in(chunk)) found.set(what, (found.get(what) ?? 0) + 1);
      }
    } finally {
      closeSync(memory);
      closeSync(pagemap);
    }
  }
  return found;
}

/** The files below a folder that hold a canary, with what they hold. Files that were last changed before `since` are left out. */
export function foundInFiles(canaries: Canaries, folder: string, since = 0): string[] {
  if (!existsSync(folder)) return [];
  const paths = statSync(folder).isDirectory()
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    : [folder];
  return paths.flatMap((path) => {
    try {
      const info = statSync(path);
      if (!info.isFile() || info.mtimeMs < since) return [];
      const file = openSync(path, 'r');
      const found = new Set<string>();
      for (const chunk of chunksOf(file, 0, info.size))
        for (const what of canaries.in(chunk)) found.add(what);
      closeSync(file);
      return [...found].map((what) => `${path}: ${what}`);
    } catch {
      // Removed meanwhile.
      return [];
    }
  });
}
