import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import type { XrefSection } from '../read/xref-entry.ts';

/** The cross-reference sections that make one revision. */
export interface SectionGroup {
  /** The section that `startxref` names; the others follow it in the chain. */
  head: XrefSection;
  sections: XrefSection[];
  /** Of `head` in the sections of the file. */
  index: number;
  /** Of the section that lies first, and of the one that the end of the revision lies behind. */
  start: number;
  end: number;
  /** Whether one points forward in the file although the file is not linearised. */
  isTwisted: boolean;
}

/**
 * The sections of a file by revision, the oldest first. A table and the stream beside it are of one (hybrid files); so are the two
 * of a linearised file, whose first one lies at its start and points forward (ISO 32000-2, annex F).
 */
export function sectionGroups(document: PdfDocument): SectionGroup[] {
  const groups = chained(document.xref.sections).reverse();
  const [main, first] = groups;
  if (!main || !first || main.start < first.start) return groups;
  const sections = [...first.sections, ...main.sections];
  const joined = { ...first, sections, end: main.end, isTwisted: !isLinearised(document) };
  return [joined, ...groups.slice(2)];
}

/** In the order of the chain: each table or stream that was pointed to, with the stream beside it. */
function chained(sections: readonly XrefSection[]): SectionGroup[] {
  const groups: SectionGroup[] = [];
  for (const [index, section] of sections.entries()) {
    const before = sections[index - 1];
    const isBeside = before?.kind === 'table' && typeof before.trailer.get('XRefStm') === 'number';
    if (isBeside) groups.at(-1)?.sections.push(section);
    else {
      const { start, end } = section;
      groups.push({ head: section, sections: [section], index, start, end, isTwisted: false });
    }
  }
  return groups;
}

/** Its first object says so. */
const isLinearised = ({ bytes, base }: PdfDocument): boolean =>
  bytes.toString('latin1', base, base + BOUNDS.junkBytesMax).includes('/Linearized');
