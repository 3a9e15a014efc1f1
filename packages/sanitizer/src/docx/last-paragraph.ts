import type { Inspector } from '@scriptorium/ooxml/package';
import { prefixAt } from '@scriptorium/ooxml/xml';

/**
 * Ends the body in a paragraph. Word has one behind a last table, and other writers forget it. LibreOffice then writes a
 * plain text that never ends.
 */
export function lastParagraph(): Inspector {
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
