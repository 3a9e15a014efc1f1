import type { Story } from '@scriptorium/docx-template/template';
import { attachedRanges } from './attached-ranges.ts';
import { blockItems, containerItems, endOf, repeats, startOf } from './block-item.ts';
import { pairBlocks } from './blocks.ts';
import { cellItems, changedCells } from './cells.ts';
import { type ChartPlace, chartItems } from './chart-items.ts';
import { type ControlPlace, controlItem } from './control-items.ts';
import { ControlParagraphs } from './control-paragraphs.ts';
import type { LoopNotes } from './copied-notes.ts';
import { copyItems } from './copy-items.ts';
import { impliedBlocks } from './implied-blocks.ts';
import type { FoundMark, MarkIssue } from './instruction.ts';
import { type Item, RANKS, staticItem, Writer } from './items.ts';
import { markItems, remainsOf } from './mark-items.ts';
import type { StoryProgram } from './program.ts';
import { type Range, rangesOf } from './ranges.ts';
import { spanOf } from './span.ts';

/** What a story has to fill. */
export interface StoryMarks {
  marks: readonly FoundMark[];
  /** Items of texts outside of runs. */
  texts: readonly Item[];
  controls: readonly ControlPlace[];
  charts: readonly ChartPlace[];
}

/**
 * Compiles the marks of one story into steps. Adds mistakes to `issues`; the result is usable only if there are none.
 * Throws OoxmlError DOCUMENT_TOO_COMPLEX if blocks are nested too deeply.
 */
export function compileStory(
  story: Story,
  { marks: found, texts, controls, charts }: StoryMarks,
  { issues, notes }: { issues: MarkIssue[]; notes: LoopNotes },
): StoryProgram & { ranges: readonly Range[] } {
  const implied = impliedBlocks(story, found, issues);
  const { marks } = implied;
  const blocks = pairBlocks(marks, issues);
  const paragraphs = new ControlParagraphs(story, marks, blocks);
  const ranges = [
    ...implied.ranges,
    ...attachedRanges(story, marks, implied.ranges, issues),
    ...rangesOf(blocks, story, paragraphs, issues),
  ];
  const cells = changedCells(story, marks, issues);
  refuseCrossing(story, ranges, issues);
  if (issues.length > 0) return { story, fragments: [], ranges };
  const removed = [...paragraphs.all];
  const lists = controls.map(({ item }) => item).filter((item) => item !== undefined);
  const loops = [...ranges.filter(repeats).map(extentOf), ...lists];
  const items: Item[] = [
    ...markItems(story, marks),
    ...removed.map((node) => staticItem(node.start, node.end, remainsOf(story, node), RANKS.removed)),
    ...ranges.flatMap((range, order) => blockItems(story, range, order)),
    ...containerItems(story, ranges, removed, cells.keys()),
    ...cellItems(story, cells),
    ...copyItems(story, loops, notes),
    ...chartItems(charts, loops),
    ...notes.itemsOf(story),
    ...controls.map((place) => controlItem(story, place)),
    ...texts,
  ];
  return { story, fragments: new Writer(story.xml, items).fragments(), ranges };
}

function extentOf(range: Range): { start: number; end: number } {
  return { start: startOf(range), end: endOf(range) };
}

/** Blocks that were widened to rows or siblings may cross each other. */
function refuseCrossing(story: Story, ranges: readonly Range[], issues: MarkIssue[]): void {
  const sorted = ranges.toSorted((a, b) => startOf(a) - startOf(b) || endOf(b) - endOf(a));
  const open: Range[] = [];
  for (const range of sorted) {
    while (open.length > 0 && endOf(open.at(-1) as Range) <= startOf(range)) open.pop();
    const outer = open.at(-1);
    if (outer !== undefined && crosses(outer, range)) {
      const { mark } = range.block.branches[0];
      const issue = `It crosses ${outer.block.branches[0].mark.written}: one of them must contain the other`;
      issues.push({ story, node: spanOf(mark).first, written: mark.written, issue });
    }
    open.push(range);
  }
}

/** Whether a range is not in one branch of the range around it. */
function crosses(outer: Range, inner: Range): boolean {
  return !outer.bodies.some(({ from, to }) => from.at <= startOf(inner) && endOf(inner) <= to.at);
}
