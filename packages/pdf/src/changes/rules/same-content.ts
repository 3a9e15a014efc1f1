import type { PdfDocument } from '../../read/document.ts';
import { inheritedFrom, readBox } from '../../read/pages.ts';
import { Dict, type PdfValue } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { isSameMeaning } from '../same-meaning.ts';
import { type Rule, take } from '../subject.ts';

/** Keys whose values writers copy unchanged to new objects when they rewrite the dictionary. */
const COPIED = ['Resources', 'Group', 'Contents', 'MediaBox', 'CropBox', 'ViewerPreferences', 'OCProperties'];
/** Keys that pages inherit (ISO 32000-2, table 31), with what a page without them has. */
const INHERITED: Readonly<Record<string, PdfValue>> = {
  Resources: null,
  MediaBox: null,
  CropBox: null,
  Rotate: 0,
};

const BOXES = ['MediaBox', 'CropBox'];
/** In points: some writers round the coordinates of a page. */
const ROUNDING_MAX = 0.01;

/** Whether two boxes differ by rounding only. */
function isSameBox(c: Comparison, before: PdfValue, now: PdfValue): boolean {
  const [old, box] = [readBox(before, c.older), readBox(now, c.newer)];
  if (!old || !box || !Array.isArray(c.newer.resolve(now))) return false;
  return old.every((side, index) => Math.abs(side - (box[index] ?? 0)) <= ROUNDING_MAX);
}

/** The value of a page, own or inherited. Writers copy what a page inherits into the page. */
function pageValue(document: PdfDocument, page: Dict, key: string): PdfValue {
  if (page.entries.has(key)) return page.get(key);
  return inheritedFrom(document, page, key) ?? INHERITED[key] ?? null;
}

/** Permits rewritten parts of pages and of the catalog that mean the same. */
export const sameContent: Rule = {
  name: 'the same content, rewritten',
  claim(c, subject) {
    const { kind, before, now, pending } = subject;
    if (kind !== 'page' && kind !== 'catalog') return;
    if (!(before instanceof Dict && now instanceof Dict)) return;
    const isSame = (key: string) => {
      if (kind === 'page' && Object.hasOwn(INHERITED, key)) {
        const [old, value] = [pageValue(c.older, before, key), pageValue(c.newer, now, key)];
        return isSameMeaning(c, old, value) || (BOXES.includes(key) && isSameBox(c, old, value));
      }
      return COPIED.includes(key) && isSameMeaning(c, before.get(key), now.get(key));
    };
    take(subject, [...pending].filter(isSame));
  },
};
