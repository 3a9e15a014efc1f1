import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';

const OFF = new Set(['0', 'false', 'off']);

/**
 * Counts the explicit page breaks of a document, and rejects it if no result could have that many pages. Their layout
 * would take longer than any caller waits.
 */
export function pageBreaks(): Inspector {
  let count = 0;
  const visit = ({ name }: Part): XmlVisitor => {
    const add = () => {
      if (++count > BOUNDS.pageBreaksMax) throw boundPassed('pageBreaksMax', name);
    };
    return {
      'w:br': { open: (tag) => void (tag.attribute('w:type') === 'page' && add()) },
      'w:pageBreakBefore': { open: (tag) => void (OFF.has(tag.attribute('w:val') ?? '') || add()) },
    };
  };
  return { visit };
}
