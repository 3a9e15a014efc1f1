import type { Inspector } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';

const PARITY = new Set(['oddPage', 'evenPage']);

interface Section {
  type: string;
  restarts: boolean;
}

/**
 * Finds whether Word prints blank pages: those before a section that must begin on an odd or even page (ECMA-376-1 §17.6.22).
 * LibreOffice also inserts them where numbers restart, and before the first page. Word does not.
 */
export function blankPages(): Inspector & { readonly arePrinted: boolean } {
  const sections: Section[] = [];
  let former = 0;
  let current: Section | undefined;
  const visitor: XmlVisitor = {
    // The properties that a section had before a tracked change.
    'w:sectPrChange': { open: () => void former++, close: () => void former-- },
    'w:sectPr': {
      open() {
        if (former > 0) return;
        current = { type: 'nextPage', restarts: false };
        sections.push(current);
      },
    },
    'w:type': {
      open(tag) {
        if (former === 0 && current) current.type = tag.attribute('w:val') ?? current.type;
      },
    },
    'w:pgNumType': {
      open(tag) {
        if (former === 0 && current) current.restarts = tag.attribute('w:start') !== undefined;
      },
    },
  };
  return {
    visit: () => visitor,
    get arePrinted() {
      const [first, ...later] = sections;
      const isLike = later.some(({ type }) => PARITY.has(type));
      const isUnlike = later.some(({ type, restarts }) => type === 'nextPage' && restarts);
      return isLike && !isUnlike && first?.type !== 'evenPage';
    },
  };
}
