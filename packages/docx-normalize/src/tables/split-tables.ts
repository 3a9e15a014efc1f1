import type { Budget } from '@scriptorium/ooxml/bounds';
import { applyEdits, type Edit, type OpenTag, scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';
import { LongTable } from './long-table.ts';

const MARK = '_piece_';
/** The main part, its body, and a table in it. */
const TABLE_DEPTH = 2;

/**
 * Splits the tables of `rowsMin` rows and more of the main part of a Word document. LibreOffice lays a table out in a time that
 * grows with the square of its rows. Each piece repeats the heading rows and the last rows of the piece before. The engine host
 * joins them: `services/converter/engine-host/long-tables.cpp`. Tables whose joints could show stay whole. Returns undefined if
 * all do.
 */
export function splitTables(xml: string, rowsMin: number, budget: Budget): string | undefined {
  if (!hasRows(xml, rowsMin) || xml.includes(MARK)) return undefined;
  const edits: Edit[] = [];
  scanXml(xml, [visitorOf(xml, rowsMin, edits)], { budget, part: 'word/document.xml' });
  return edits.length === 0 ? undefined : applyEdits(xml, edits);
}

/** Whether a part has so many rows of tables, by their tags alone. */
export const hasRows = (xml: string, count: number): boolean =>
  (xml.match(/:tr[\s>]/g)?.length ?? 0) >= count;

function visitorOf(xml: string, rowsMin: number, edits: Edit[]): XmlVisitor {
  let table: LongTable | undefined;
  let count = 0;
  return {
    '*': {
      open(tag: OpenTag) {
        if (table === undefined && tag.name === 'w:tbl' && tag.depth === TABLE_DEPTH)
          table = new LongTable(xml, tag);
        else table?.open(tag);
      },
      close(span) {
        if (table === undefined) return;
        if (span.start !== table.start) {
          table.close(span);
          return;
        }
        if (table.rows >= rowsMin) {
          const inserted = table.pieces(
            ({ piece, overlap, pieces, looksEven }) =>
              `${MARK}${count}_${piece}_${overlap}_${pieces}_${looksEven ? 'even' : 'uneven'}`,
          );
          edits.push(...inserted);
          if (inserted.length > 0) count++;
        }
        table = undefined;
      },
    },
  };
}
