import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { finishBlock, interrupt } from './paragraphs.ts';
import type { Row, Story } from './story.ts';

/** A cell must end in a paragraph (ECMA-376-1 §17.4.65). */
function closeCell(story: Story, row: Row, span: ElementSpan): void {
  if (row.cell?.isGone === true) {
    story.leaveBlock();
    row.cellsGone++;
  } else {
    const { isCut, endsInParagraph } = finishBlock(story);
    const prefix = /^<([^\s/>:]+:)?/.exec(story.text.written(span.start, span.openEnd))?.[1] ?? '';
    if (isCut && !endsInParagraph) story.text.replace(span.closeStart, span.closeStart, `<${prefix}p/>`);
    row.cellsKept++;
  }
  delete row.cell;
}

/** Returns whether the row is removed: as a whole, or because all of its cells are. */
function closeRow(story: Story, row: Row, span: ElementSpan): boolean {
  if (!row.isGone && (row.cellsGone === 0 || row.cellsKept > 0)) {
    story.leaveAnchors();
    return false;
  }
  story.removeWithAnchors(span);
  return true;
}

/** Handles tables. Removes marked rows and cells, and a table without remaining rows. */
export function tableVisitor(story: Story): XmlVisitor {
  return {
    'w:tbl': {
      open: () => {
        story.enterAnchors();
        story.table = { outer: story.table, rowsKept: 0, rowsGone: 0 };
      },
      close: (span) => {
        const { table } = story;
        if (table === undefined) return;
        story.table = table.outer;
        if (table.rowsGone > 0 && table.rowsKept === 0) {
          story.removeWithAnchors(span);
          return;
        }
        story.leaveAnchors();
        interrupt(story);
      },
    },
    'w:tr': {
      open: ({ start }: OpenTag) => {
        story.enterAnchors();
        if (story.table !== undefined) story.table.row = { start, isGone: false, cellsKept: 0, cellsGone: 0 };
      },
      close: (span) => {
        const { table } = story;
        const row = table?.row;
        if (table === undefined || row === undefined) return;
        if (closeRow(story, row, span)) table.rowsGone++;
        else table.rowsKept++;
        delete table.row;
      },
    },
    'w:tc': {
      open: ({ start }: OpenTag) => {
        if (story.table?.row !== undefined) story.table.row.cell = { start, isGone: false };
        story.enterBlock();
      },
      close: (span) => {
        const row = story.table?.row;
        if (row !== undefined) closeCell(story, row, span);
        else finishBlock(story);
      },
    },
  };
}
