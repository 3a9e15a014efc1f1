import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';
import { LayoutCount } from '../sources/layout-count.ts';

/** Rejects paragraphs, tables and columns whose layout would take longer than any caller waits. */
export function layoutBounds(): Inspector {
  return { visit: visitPart };
}

function visitPart({ name }: Part): XmlVisitor {
  const count = new LayoutCount(name);
  const span = {
    open: (tag: { attribute(name: string): string | undefined }) => count.span(tag.attribute('w:val')),
  };
  return {
    'w:p': { open: () => count.openParagraph(), close: () => count.closeParagraph() },
    'w:r': { open: () => count.addPiece() },
    'w:t': { text: (text) => count.addText(text.length) },
    'w:cols': { open: (tag) => count.columns(tag.attribute('w:num')) },
    'w:tbl': { open: () => count.openTable(), close: () => count.closeTable() },
    'w:tr': { open: () => count.addRows() },
    'w:tc': { open: () => count.addCells() },
    'w:gridSpan': span,
    'w:gridBefore': span,
    'w:gridAfter': span,
  };
}
