import type { Story } from '@scriptorium/docx-template/template';
import type { Bound, Scope } from '@scriptorium/expressions/evaluate';
import type { Expression } from '@scriptorium/expressions/expression';
import { childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { addTo } from './control-paragraphs.ts';
import type { FoundMark, MarkIssue } from './instruction.ts';
import { type Item, RANKS, type Writer } from './items.ts';
import type { CellChange, CellOp, Op } from './program.ts';
import { around, spanOf } from './span.ts';

/** The order of the properties of a cell (ECMA-376-1 §17.4.69). */
const ORDER = [
  'w:cnfStyle',
  'w:tcW',
  'w:gridSpan',
  'w:hMerge',
  'w:vMerge',
  'w:tcBorders',
  'w:shd',
  'w:noWrap',
  'w:tcMar',
  'w:textDirection',
  'w:tcFitText',
  'w:vAlign',
  'w:hideMark',
];
const SPAN_MAX = 63;
const COLOR = /^#?([\da-f]{6})$/i;

/** The cells with marks that change them. Adds marks elsewhere to `issues`. */
export function changedCells(
  story: Story,
  marks: readonly FoundMark[],
  issues: MarkIssue[],
): Map<XmlNode, CellChange[]> {
  const cells = new Map<XmlNode, CellChange[]>();
  for (const mark of marks) {
    const { instruction, written } = mark;
    if (instruction.type !== 'cell') continue;
    const { first } = spanOf(mark);
    const cell = around(first, 'w:tc');
    if (cell === undefined)
      issues.push({ story, node: first, written, issue: 'It is not in a cell of a table' });
    else addTo(cells, cell, { ...instruction, written });
  }
  return cells;
}

/** The items of cells that their marks change. */
export function cellItems(story: Story, cells: ReadonlyMap<XmlNode, CellChange[]>): Item[] {
  return [...cells].map(([cell, changes]) => cellItem(story, cell, changes));
}

function cellItem(story: Story, cell: XmlNode, changes: CellChange[]): Item {
  const { xml, dialect } = story;
  const { start, end, openEnd, closeStart } = cell;
  const own = childOf(cell, 'w:tcPr');
  const properties = new Map(own?.children.map((child) => [child.name, xml.slice(child.start, child.end)]));
  const paragraph = cell.children.find(({ name }) => name === 'w:p');
  const kept = paragraph && childOf(paragraph, 'w:pPr');
  const make = (writer: Writer): CellOp => ({
    kind: 'cell',
    story,
    changes,
    tags: [xml.slice(start, openEnd), xml.slice(closeStart, end)],
    properties,
    ops: writer.write(own?.end ?? openEnd, closeStart),
    empty: dialect.element('p', {}, kept === undefined ? '' : xml.slice(kept.start, kept.end)),
  });
  return { start, end, rank: RANKS.cell, make };
}

/** Evaluates expressions, and notes mistakes in the data. */
interface CellWriter {
  evaluate(expression: Expression, scope: Scope): Bound | undefined;
  report(path: string, issue: string): void;
}

/** The text of a cell. Empty if it is part of the merged cell before it. */
export function writtenCell(
  op: CellOp,
  scope: Scope,
  writer: CellWriter,
  render: (ops: readonly Op[]) => string,
): string {
  const { index, length } = loopAround(scope) ?? { index: 0, length: 1 };
  const { dialect } = op.story;
  const properties = new Map(op.properties);
  const spanOfCell = () => Number(/"(\d+)"/.exec(properties.get('w:gridSpan') ?? '')?.[1] ?? 1);
  const span = (columns: number) =>
    properties.set('w:gridSpan', dialect.element('gridSpan', { val: String(columns) }));
  let isEmpty = false;
  for (const { what, expression, written } of op.changes) {
    const { value, path } = (expression && writer.evaluate(expression, scope)) ?? {
      value: undefined,
      path: '',
    };
    if (what === 'vm') {
      properties.set('w:vMerge', dialect.element('vMerge', { val: index === 0 ? 'restart' : 'continue' }));
      isEmpty ||= index > 0;
    } else if (what === 'hm') {
      if (index > 0) return '';
      span(Math.min(spanOfCell() * length, SPAN_MAX));
    } else if (value === undefined || value === null) continue;
    else if (what === 'span') {
      const columns = Number(value);
      if (Number.isInteger(columns) && columns > 0 && columns <= SPAN_MAX) span(columns);
      else
        writer.report(path, `must be a whole number from 1 to ${SPAN_MAX}, because ${written} joins columns`);
    } else {
      const fill = COLOR.exec(String(value))?.[1];
      if (fill === undefined)
        writer.report(path, `must be a color such as FF0000, because ${written} fills a cell`);
      else properties.set('w:shd', dialect.element('shd', { val: 'clear', color: 'auto', fill }));
    }
  }
  const rank = (name: string) => (ORDER.indexOf(name) + ORDER.length) % ORDER.length;
  const inOrder = [...properties].sort(([a], [b]) => rank(a) - rank(b)).map(([, xml]) => xml);
  const content = isEmpty ? op.empty : render(op.ops);
  return op.tags[0] + dialect.element('tcPr', {}, inOrder.join('')) + content + op.tags[1];
}

function loopAround(scope: Scope): Scope['loop'] {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer)
    if (at.loop !== undefined) return at.loop;
  return undefined;
}
