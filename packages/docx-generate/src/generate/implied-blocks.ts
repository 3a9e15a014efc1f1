import type { Story } from '@scriptorium/docx-template/template';
import type { Expression } from '@scriptorium/expressions/expression';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { Block } from './blocks.ts';
import type { ArrayStep, FoundMark, Instruction, MarkIssue } from './instruction.ts';
import { childTowards, commonAncestor, type Range } from './ranges.ts';
import { around, cutAt, plainCut, spanOf } from './span.ts';

type Value = Extract<Instruction, { type: 'value' }>;

/** Loops without marks of their own, and the marks of a story that remain values. */
export interface Implied {
  ranges: Range[];
  marks: readonly FoundMark[];
}

/**
 * The loops that values imply: Carbone's, from the first `[i]` to `[i+1]`, and poi-tl's rows with `[name]`. Their example
 * of the next item goes. Adds mistakes to `issues`.
 */
export function impliedBlocks(story: Story, marks: readonly FoundMark[], issues: MarkIssue[]): Implied {
  if (!marks.some(({ instruction }) => isImplying(instruction))) return { ranges: [], marks };
  const silent = new Set<FoundMark>();
  const ranges = [...arrayRanges(story, marks, silent, issues), ...rowRanges(story, marks, silent, issues)];
  const left = marks.map(
    (mark): FoundMark => (silent.has(mark) ? { ...mark, instruction: { type: 'comment' } } : mark),
  );
  return { ranges, marks: left };
}

function isImplying(instruction: Instruction): boolean {
  return instruction.type === 'value' && (instruction.arrays !== undefined || instruction.isOfRow === true);
}

/** The marks of one array, while they follow each other. */
interface ArrayRun {
  step: ArrayStep;
  depth: number;
  first: FoundMark;
  next: FoundMark[];
}

function arrayRanges(
  story: Story,
  marks: readonly FoundMark[],
  silent: Set<FoundMark>,
  issues: MarkIssue[],
): Range[] {
  const ranges: { at: number; range: Range }[] = [];
  const open: ArrayRun[] = [];
  const close = (run: ArrayRun) => {
    const range = rangeOf(story, run);
    if (range !== undefined) ranges.push({ at: spanOf(run.first).start, range });
    else {
      const issue =
        'Its list needs a second mark with [i+1], in the same paragraph, table or text, that ends what is repeated';
      issues.push({ story, node: spanOf(run.first).first, written: run.first.written, issue });
    }
  };
  for (const mark of marks) {
    const arrays = mark.instruction.type === 'value' ? (mark.instruction.arrays ?? []) : [];
    // An item after the example of the next one begins anew, such as the columns of another row.
    const same = arrays.findIndex(
      ({ name, isNext }, depth) =>
        open[depth]?.step.name !== name || (!isNext && open[depth].next.length > 0),
    );
    // Values without an array stand inside what is repeated.
    if (arrays.length > 0)
      for (const run of open.splice(same === -1 ? arrays.length : same).reverse()) close(run);
    for (const [depth, step] of arrays.entries()) {
      open[depth] ??= { step, depth, first: mark, next: [] };
      const run = open[depth];
      // The mark of the next item alone may have them.
      if (run.step.changes === '')
        run.step = { ...run.step, expression: step.expression, changes: step.changes };
      else if (step.changes !== '' && step.changes !== run.step.changes) {
        const issue = 'Its filter or order differs from that of the first mark of its list';
        issues.push({ story, node: spanOf(mark).first, written: mark.written, issue });
      }
      if (!step.isNext) continue;
      open[depth].next.push(mark);
      silent.add(mark);
      for (const run of open.splice(depth + 1).reverse()) close(run);
      break;
    }
  }
  for (const run of open.reverse()) close(run);
  return ranges.sort((a, b) => a.at - b.at).map(({ range }) => range);
}

function rangeOf(story: Story, { step, first, next }: ArrayRun): Range | undefined {
  const [second] = next;
  const last = next.at(-1);
  if (second === undefined || last === undefined || second === first) return undefined;
  const block = blockOf('for', step.expression, first, second, step.name);
  const [from, to, end] = [spanOf(first), spanOf(second), spanOf(last)];
  const common = commonAncestor([from.first, to.first]);
  if (around(common, 'w:p') !== undefined) {
    const [start, stop] = [
      cutAt(story, from.first, from.start, common),
      cutAt(story, to.first, to.start, common),
    ];
    if (start === undefined || stop === undefined) return undefined;
    return { block, level: 'text', container: common, bodies: [{ from: start, to: stop }], removed: [] };
  }
  const children = [from.first, to.first, end.first].map((node) => childTowards(common, node));
  const [a, b, c] = children as [XmlNode, XmlNode, XmlNode];
  const level = a.name === 'w:tr' ? 'rows' : a.name === 'w:tc' ? 'cells' : 'paragraphs';
  const removed = common.children.filter(
    ({ start, end: stop }) => start >= b.start && stop <= Math.max(b.end, c.end),
  );
  const body = { from: plainCut(a.start), to: plainCut(b.start) };
  return { block, level, container: common, bodies: [body], removed };
}

function rowRanges(
  story: Story,
  marks: readonly FoundMark[],
  silent: Set<FoundMark>,
  issues: MarkIssue[],
): Range[] {
  const ranges: Range[] = [];
  let table: FoundMark | undefined;
  let last: { row: XmlNode; range: Range } | undefined;
  for (const mark of marks) {
    const { instruction } = mark;
    if (instruction.type !== 'value') continue;
    if (instruction.isOfRow !== true) {
      table = mark;
      continue;
    }
    const row = around(spanOf(mark).first, 'w:tr');
    if (row === undefined || row === last?.row) continue;
    const isNext =
      last !== undefined && last.row.parent === row.parent && table === last.range.block.branches[0].mark;
    const range = isNext && last !== undefined ? last.range : newRow(mark, row, table);
    if (range === undefined) {
      const issue = 'Its row needs the mark of a list before it in the same table';
      issues.push({ story, node: row, written: mark.written, issue });
      continue;
    }
    if (isNext)
      range.bodies = [{ from: range.bodies[0]?.from ?? plainCut(row.start), to: plainCut(row.end) }];
    else ranges.push(range);
    if (table !== undefined) silent.add(table);
    last = { row, range };
  }
  return ranges;
}

function newRow(mark: FoundMark, row: XmlNode, table: FoundMark | undefined): Range | undefined {
  const before = table && around(spanOf(table).first, 'w:tbl');
  const container = row.parent;
  if (table === undefined || container === undefined || before === undefined) return undefined;
  if (before !== around(row, 'w:tbl')) return undefined;
  const { expression } = table.instruction as Value;
  const block = blockOf('section', expression, table, mark, undefined);
  const body = { from: plainCut(row.start), to: plainCut(row.end) };
  return { block, level: 'rows', container, bodies: [body], removed: [] };
}

function blockOf(
  kind: Block['kind'],
  expression: Expression,
  mark: FoundMark,
  close: FoundMark,
  variable: string | undefined,
): Block {
  const branches: Block['branches'] = [{ mark, expression }];
  return { kind, variable, key: undefined, unit: undefined, branches, close, hasOtherwise: false };
}
