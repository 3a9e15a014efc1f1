import type { Inspector } from '@scriptorium/ooxml/package';
import { prefixAt } from '@scriptorium/ooxml/xml';

/** What a plain text does not have, by the element that stands for it in the body. */
const LEFT_OUT = {
  'w:footnoteReference': 'note',
  'w:endnoteReference': 'note',
  'w:txbxContent': 'text box',
} as const;

/** Prepares a document for plain text. */
export const plainText = (): Inspector[] => [lastParagraph(), leftOut()];

/** Reports the notes and text boxes, which LibreOffice does not write. */
function leftOut(): Inspector {
  return {
    visit({ name }, dropped) {
      const handlers = Object.entries(LEFT_OUT).map(([element, what]) => {
        const open = () => void dropped.push({ what, part: name });
        return [element, { open }];
      });
      return Object.fromEntries(handlers);
    },
  };
}

/**
 * Ends the body in a paragraph. Word has one behind a last table, and other writers forget it. LibreOffice then writes a
 * plain text that never ends.
 */
function lastParagraph(): Inspector {
  return {
    visit(part) {
      const last = { paragraph: -1, table: -1, section: -1 };
      return {
        'w:p': {
          close({ end }) {
            last.paragraph = end;
          },
        },
        'w:tbl': {
          close({ end }) {
            last.table = end;
          },
        },
        'w:sectPr': {
          open({ start }) {
            last.section = start;
          },
        },
        'w:body': {
          close({ start, openEnd, closeStart }) {
            if (last.table <= last.paragraph) return;
            const at = last.section >= last.table ? last.section : closeStart;
            const prefix = prefixAt(part.xml ?? '', { start, end: openEnd });
            part.edits.push({ start: at, end: at, text: `<${prefix}p/>` });
          },
        },
      };
    },
  };
}
