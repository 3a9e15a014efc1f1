import { BOUNDS, type Bound, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Inspector } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';
import { LayoutCount } from '../sources/layout-count.ts';

const SHAPES = ['sp', 'pic', 'cxnSp', 'graphicFrame', 'contentPart'].flatMap((name) => [
  `p:${name}`,
  `xdr:${name}`,
]);

/** Counts these elements over all parts; throws OoxmlError DOCUMENT_TOO_COMPLEX for a bound that is passed. */
export function countedElements(bounds: Readonly<Record<string, Bound>>): Inspector {
  const counts = new Map<Bound, number>();
  return {
    visit({ name: part }) {
      const open = (bound: Bound) => () => {
        const count = (counts.get(bound) ?? 0) + 1;
        if (count > BOUNDS[bound]) throw boundPassed(bound, part);
        counts.set(bound, count);
      };
      return Object.fromEntries(Object.entries(bounds).map(([name, bound]) => [name, { open: open(bound) }]));
    },
  };
}

/** Rejects more shapes, or larger texts and tables in them, than an engine lays out in the time of a request. */
export function shapeBounds(): Inspector[] {
  return [
    countedElements(Object.fromEntries(SHAPES.map((name) => [name, 'shapesMax' as const]))),
    { visit: ({ name }) => visitTexts(name) },
  ];
}

function visitTexts(part: string): XmlVisitor {
  const count = new LayoutCount(part);
  return {
    'a:p': { open: () => count.openParagraph(), close: () => count.closeParagraph() },
    'a:r': { open: () => count.addPiece() },
    'a:t': { text: (text) => count.addText(text.length) },
    'a:tbl': { open: () => count.openTable(), close: () => count.closeTable() },
    'a:tr': { open: () => count.addRows() },
    'a:tc': { open: () => count.addCells() },
  };
}
