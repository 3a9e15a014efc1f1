import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { isDigit, isKeywordAt, isSpace, skipSpace } from './characters.ts';
import { ObjectParser } from './object-parser.ts';
import { Dict } from './values.ts';
import type { XrefEntry, XrefSection } from './xref-entry.ts';

export interface Subsection {
  first: number;
  count: number;
  entry(index: number): XrefEntry;
}

/** An entry takes 20 bytes, so that each can be found directly. */
const ENTRY_BYTES = 20;
const ENTRY = /^(\d{10}) (\d{5}) ([nf])/;

function readInteger(source: Buffer, position: number): { value: number; end: number } {
  const start = skipSpace(source, position);
  let end = start;
  while (isDigit(source[end]) && end - start < 12) end++;
  if (end === start) throw malformed(`the cross-reference table ends unexpectedly at byte ${start}`);
  return { value: Number(source.toString('latin1', start, end)), end };
}

const entryOf = (offset: number, gen: number, type: string): XrefEntry =>
  type === 'n' && offset > 0 ? { kind: 'plain', offset, gen } : { kind: 'free' };

function fixedSubsection(source: Buffer, start: number, first: number, count: number): Subsection {
  const entry = (index: number) => {
    const at = start + index * ENTRY_BYTES;
    const match = ENTRY.exec(source.toString('latin1', at, at + 18));
    if (!match) throw malformed(`the cross-reference table has no entry at byte ${at}`);
    return entryOf(Number(match[1]), Number(match[2]), match[3] ?? '');
  };
  return { first, count, entry };
}

/** Whether all entries have 20 bytes: judged by the last one and what follows it. */
function isFixed(source: Buffer, start: number, count: number): boolean {
  const end = start + count * ENTRY_BYTES;
  if (end > source.length || !isSpace(source[end - 1])) return false;
  return (
    ENTRY.test(source.toString('latin1', start, start + 18)) &&
    ENTRY.test(source.toString('latin1', end - 20, end - 2))
  );
}

/** Reads entries of 19 or 21 bytes, which some writers produce. */
function looseSubsection(source: Buffer, start: number, first: number, count: number) {
  const entries: XrefEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    const offset = readInteger(source, at);
    const gen = readInteger(source, offset.end);
    const type = skipSpace(source, gen.end);
    if (!isKeywordAt(source, 'n', type) && !isKeywordAt(source, 'f', type)) {
      throw malformed(`the cross-reference table has no entry at byte ${at}`);
    }
    entries.push(entryOf(offset.value, gen.value, source.toString('latin1', type, type + 1)));
    at = type + 1;
  }
  const subsection: Subsection = { first, count, entry: (index) => entries[index] ?? { kind: 'free' } };
  return { subsection, end: at };
}

function readSubsection(source: Buffer, position: number): { subsection: Subsection; end: number } {
  const head = readInteger(source, position);
  const length = readInteger(source, head.end);
  const first = head.value;
  const count = length.value;
  if (first + count > BOUNDS.objectNumberMax + 1) {
    throw tooComplex(`object numbers above ${BOUNDS.objectNumberMax}`);
  }
  const start = skipSpace(source, length.end);
  if (count === 0 || isFixed(source, start, count)) {
    const end = start + count * ENTRY_BYTES;
    return { subsection: fixedSubsection(source, start, first, count), end };
  }
  return looseSubsection(source, start, first, count);
}

/** Some writers number the objects from 1 although the first entry is object 0. */
function countedFromZero(subsections: Subsection[]): Subsection[] {
  const [head, ...rest] = subsections;
  if (!head || rest.length > 0 || head.first !== 1 || head.count === 0) return subsections;
  return head.entry(0).kind === 'free' ? [{ ...head, first: 0 }] : subsections;
}

/** Reads a table whose keyword `xref` is at `position` in the file; `offset` is the reference to it. */
export function readXrefTable(source: Buffer, position: number, offset: number, costs: Costs): XrefSection {
  const read: Subsection[] = [];
  let at = skipSpace(source, position + 4);
  while (isDigit(source[at])) {
    if (read.length >= BOUNDS.xrefSubsectionsMax) throw tooComplex('too many cross-reference subsections');
    const { subsection, end } = readSubsection(source, at);
    read.push(subsection);
    at = skipSpace(source, end);
  }
  if (!isKeywordAt(source, 'trailer', at)) throw malformed(`a trailer is expected at byte ${at}`);
  const parser = new ObjectParser(source, at + 7, costs);
  const trailer = parser.value();
  if (!(trailer instanceof Dict)) throw malformed(`a trailer is expected at byte ${at}`);
  const subsections = countedFromZero(read);
  return {
    kind: 'table',
    offset,
    start: position,
    end: parser.position,
    trailer,
    ...lookedUpIn(subsections),
  };
}

/** Looks an object up in the subsections of a section. */
export function lookedUpIn(
  subsections: readonly Subsection[],
): Pick<XrefSection, 'find' | 'runs' | 'numMax'> {
  return {
    numMax: subsections.reduce((max, { first, count }) => Math.max(max, first + count - 1), 0),
    runs: subsections,
    find: finder(subsections),
  };
}

/** Subsections may be in any order; if two name the same object, the later one counts. */
function finder(subsections: readonly Subsection[]): XrefSection['find'] {
  const sorted = subsections.filter(({ count }) => count > 0).sort((a, b) => a.first - b.first);
  return (num) => {
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const subsection = sorted[middle];
      if (!subsection) return undefined;
      if (num < subsection.first) high = middle - 1;
      else if (num >= subsection.first + subsection.count) low = middle + 1;
      else return subsection.entry(num - subsection.first);
    }
    return undefined;
  };
}
