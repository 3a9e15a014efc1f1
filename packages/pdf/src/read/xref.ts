import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { isDigit, isKeywordAt, skipSpace } from './characters.ts';
import { headerAt } from './object-header.ts';
import { ObjectParser } from './object-parser.ts';
import { SectionIndex } from './section-index.ts';
import { type Dict, Stream } from './values.ts';
import type { XrefEntry, XrefSection } from './xref-entry.ts';
import { readXrefStream } from './xref-stream.ts';
import { readXrefTable } from './xref-table.ts';

export interface Xref {
  /** The newest first; a hybrid file's stream directly after its table. */
  sections: XrefSection[];
  /** The newest `startxref`; undefined if the file was searched for its objects. */
  startxref: number | undefined;
  trailer: Dict;
  isHybrid: boolean;
  numMax: number;
  find(num: number): XrefEntry | undefined;
  /** Returns the data as they were when this section, by its index in `sections`, was the newest. */
  since(section: number): Xref;
}

/** Finds the last `startxref` and the number after it. */
export function findStartxref(source: Buffer): { offset: number; position: number } {
  const position = source.lastIndexOf('startxref', source.length, 'latin1');
  if (position === -1) throw malformed('it has no startxref');
  const start = skipSpace(source, position + 9);
  let end = start;
  while (isDigit(source[end]) && end - start < 12) end++;
  if (end === start) throw malformed('its startxref has no offset');
  return { offset: Number(source.toString('latin1', start, end)), position };
}

function readSection(source: Buffer, base: number, offset: number, costs: Costs): XrefSection {
  const position = skipSpace(source, base + offset);
  if (position >= source.length) throw malformed(`no cross-reference section begins at ${offset}`);
  if (isKeywordAt(source, 'xref', position)) return readXrefTable(source, position, offset, costs);
  const header = headerAt(source, position);
  if (!header) throw malformed(`no cross-reference section begins at ${offset}`);
  const parser = new ObjectParser(source, header.end, costs);
  const stream = parser.valueOrStream((value) => (typeof value === 'number' ? value : undefined));
  if (!(stream instanceof Stream)) throw malformed(`no cross-reference section begins at ${offset}`);
  return readXrefStream(stream, { offset, start: position, end: parser.position }, costs);
}

/** Follows the sections from the newest to the first (ISO 32000-2, 7.5.6 and 7.5.8.4). `base` is the header position. */
export function readXref(source: Buffer, base: number, startxref: number, costs: Costs): Xref {
  const sections: XrefSection[] = [];
  const seen = new Set<number>();
  let isHybrid = false;
  let next: number | undefined = startxref;
  while (next !== undefined) {
    if (seen.has(next)) throw malformed('its cross-reference sections are circular');
    if (seen.size >= BOUNDS.revisionsMax) throw tooComplex(`more than ${BOUNDS.revisionsMax} revisions`);
    seen.add(next);
    const section = readSection(source, base, next, costs);
    sections.push(section);
    const beside = section.kind === 'table' ? section.trailer.get('XRefStm') : null;
    if (typeof beside === 'number') {
      isHybrid = true;
      sections.push(readSection(source, base, beside, costs));
    }
    const previous = section.trailer.get('Prev');
    next = typeof previous === 'number' ? previous : undefined;
  }
  return assemble(sections, startxref, isHybrid);
}

/** `sections` must not be empty. */
export function assemble(sections: XrefSection[], startxref: number | undefined, isHybrid: boolean): Xref {
  return xrefFrom(new SectionIndex(sections), 0, startxref, isHybrid);
}

/** Combines the sections from number `from` on. There must be at least one. */
function xrefFrom(index: SectionIndex, from: number, startxref: number | undefined, isHybrid: boolean): Xref {
  const sections = index.sections.slice(from);
  const [newest] = sections;
  if (!newest) throw malformed('it has no cross-reference section');
  return {
    sections,
    startxref,
    trailer: newest.trailer,
    isHybrid,
    numMax: sections.reduce((max, section) => Math.max(max, section.numMax), 0),
    find: (num) => index.find(num, from),
    since: (section) => xrefFrom(index, from + section, sections[section]?.offset, isHybrid),
  };
}
