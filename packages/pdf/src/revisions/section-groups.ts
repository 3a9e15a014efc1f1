import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import type { XrefSection } from '../read/xref-entry.ts';

/** The cross-reference sections of one revision. */
export interface SectionGroup {
  /** The section that `startxref` points to; the others follow it in the chain. */
  head: XrefSection;
  sections: XrefSection[];
  /** Index of `head` in the sections of the file. */
  index: number;
  /** Start of the first section in the file, and end of the section before the end of the revision. */
  start: number;
  end: number;
  /** Whether a section points forward although the file is not linearized. */
  isTwisted: boolean;
}

/**
 * Groups the sections of a file by revision, the oldest first. A table and its stream (hybrid files) form one group. So do
 * the two sections of a linearized file, whose first one is at its start and points forward (ISO 32000-2, annex F).
 */
export function sectionGroups(document: PdfDocument): SectionGroup[] {
  const groups = chained(document.xref.sections).reverse();
  const [main, first] = groups;
  if (!main || !first || main.start < first.start) return groups;
  const sections = [...first.sections, ...main.sections];
  const joined = { ...first, sections, end: main.end, isTwisted: !isLinearized(document) };
  return [joined, ...groups.slice(2)];
}

/** Returns the groups in chain order: each table or stream pointed to, with the stream beside it. */
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

/** Checks the first object, which marks a linearized file. */
const isLinearized = ({ bytes, base }: PdfDocument): boolean =>
  bytes.toString('latin1', base, base + BOUNDS.junkBytesMax).includes('/Linearized');
