import { unlessMalformed } from '../pdf-error.ts';
import { BOUNDS, Costs } from '../read/bounds.ts';
import { isRegular, skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { ObjectParser } from '../read/object-parser.ts';
import { Dict } from '../read/values.ts';
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

/** Its number and generation, as lenient readers read them. */
const OBJECT_HEAD = [/^[-+.\d]+$/, /^[-+.\d]+$/, /^obj$/];

/**
 * The length of the file for which its first object says that it is linearized; the present one if that is unclear. In a file of
 * this length, pdf.js reads the first page and the cross-reference data that follow this object, whatever `startxref` says.
 */
export function linearizedLength({ bytes, base }: PdfDocument): number | undefined {
  let at = skipSpace(bytes, base);
  for (const word of OBJECT_HEAD) {
    const start = at;
    while (isRegular(bytes[at])) at++;
    if (!word.test(bytes.toString('latin1', start, at))) return undefined;
    at = skipSpace(bytes, at);
  }
  const value = unlessMalformed(() => new ObjectParser(bytes, at, new Costs()).value());
  if (value === undefined || (value instanceof Dict && value.repeatedKeys.includes('L'))) return bytes.length;
  const length = value instanceof Dict ? value.get('L') : null;
  return typeof length === 'number' ? length : undefined;
}
