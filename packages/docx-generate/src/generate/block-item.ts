import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { addTo, endsSection } from './control-paragraphs.ts';
import { type Item, RANKS, staticItem, type Writer } from './items.ts';
import { remainsOf } from './mark-items.ts';
import type { BlockOp, Op, PartsOp } from './program.ts';
import type { Range } from './ranges.ts';
import { spanOf } from './span.ts';

/** Orders the blocks that cover the same text. There are at most as many as placeholders. */
const ORDER_STEP = 1e-6;

/** Whether a block repeats its content. */
export function repeats({ block }: Range): boolean {
  return block.kind === 'section' || block.kind === 'for';
}

export function startOf({ bodies }: Range): number {
  return bodies[0]?.from.at ?? 0;
}

export function endOf({ bodies }: Range): number {
  return bodies.at(-1)?.to.at ?? 0;
}

/** The items of a block: its range, and the rows and cells of its marks. `order` counts the blocks of the story. */
export function blockItems(story: Story, range: Range, order: number): Item[] {
  return [
    {
      start: startOf(range),
      end: endOf(range),
      rank: RANKS.block + order * ORDER_STEP,
      make: (writer) => blockOp(story, range, writer),
    },
    ...range.removed.map(({ start, end }) => staticItem(start, end, '', RANKS.removed)),
  ];
}

function blockOp(story: Story, range: Range, writer: Writer): Op {
  const { block, bodies, level } = range;
  const isLoop = repeats(range);
  if (isLoop) writer.loopDepth++;
  const branches = block.branches.map(({ expression }, index): BlockOp['branches'][number] => {
    const { from, to } = bodies[index] ?? { from: { at: 0, open: '' }, to: { at: 0, close: '' } };
    return { expression, before: from.open, ops: writer.write(from.at, to.at), after: to.close };
  });
  if (isLoop) writer.loopDepth--;
  return {
    kind: 'block',
    type: block.kind,
    branches,
    variable: block.variable,
    itemKey: block.key,
    written: block.branches[0].mark.written,
    spot: { story, node: spanOf(block.branches[0].mark).first },
    hasOtherwise: block.hasOtherwise,
    isList: block.isList === true,
    remains: level === 'paragraphs' || level === 'elements' ? sectionEnd(story, range) : '',
    start: bodies[0]?.from.close ?? '',
    end: bodies.at(-1)?.to.open ?? '',
  };
}

/** The first paragraph of a range that ends a section, if the section has content before the range. */
function sectionEnd(story: Story, range: Range): string {
  const { children, name } = range.container;
  if (name !== 'w:body') return '';
  const [start, end] = [startOf(range), endOf(range)];
  const at = indexFrom(children, start);
  for (let index = at; index < children.length; index++) {
    const child = children[index] as XmlNode;
    if (child.start >= end) break;
    if (child.name !== 'w:p' || !endsSection(child)) continue;
    return isFirstOfSection(children, at, range.removed) ? '' : remainsOf(story, child);
  }
  return '';
}

/** The index of the first child that starts at an offset or after it. */
function indexFrom(children: readonly XmlNode[], offset: number): number {
  let [low, high] = [0, children.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((children[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether nothing stands between the start of a section and the child at this index but marks of blocks. */
function isFirstOfSection(children: readonly XmlNode[], at: number, removed: readonly XmlNode[]): boolean {
  const before = children.slice(0, at).findLast((child) => !removed.includes(child));
  return before === undefined || (before.name === 'w:p' && endsSection(before));
}

/** Items that keep a cell, a text box or a part from ending without a paragraph, and a table from having no row or cell. */
export function containerItems(
  story: Story,
  ranges: readonly Range[],
  removed: Iterable<XmlNode>,
  changed: Iterable<XmlNode>,
): Item[] {
  const containers = new Set<XmlNode>();
  const tables = new Map<XmlNode, Range[]>();
  const withColumns = new Set<XmlNode>();
  const rows = new Set<XmlNode>();
  for (const range of ranges) {
    const { level, container } = range;
    if (level === 'paragraphs' || level === 'elements') containers.add(container);
    if (level === 'rows') addTo(tables, tableOf(container), range);
    if (level === 'cells') withColumns.add(tableOf(container));
    if (level === 'cells' && container.name === 'w:tr') rows.add(container);
  }
  for (const cell of changed) withColumns.add(tableOf(cell));
  for (const { parent } of removed) if (parent !== undefined) containers.add(parent);
  return [
    ...[...containers].filter(({ name }) => NEEDS_PARAGRAPH.has(name)).map((node) => filledItem(story, node)),
    ...[...tables].flatMap(([table, own]) => {
      if (table.name !== 'w:tbl' || withColumns.has(table)) return [];
      const mends = hasMerges(story, table) ? mendsOf(story, table, false) : undefined;
      return mends || isAllRepeated(table, own) ? [partsItem(story, table, 'tr', mends)] : [];
    }),
    ...[...withColumns].map((table) => partsItem(story, table, 'tr', mendsOf(story, table, true))),
    ...[...rows].map((row) => partsItem(story, row, 'tc')),
  ];
}

const NEEDS_PARAGRAPH = new Set([
  'w:tc',
  'w:txbxContent',
  'w:hdr',
  'w:ftr',
  'w:footnote',
  'w:endnote',
  'w:sdtContent',
]);

function tableOf(node: XmlNode): XmlNode {
  let table = node;
  while (table.name !== 'w:tbl' && table.parent !== undefined) table = table.parent;
  return table;
}

/** Whether each row is in one of these ranges, or holds only their marks. */
function isAllRepeated(table: XmlNode, ranges: readonly Range[]): boolean {
  const removed = new Set(ranges.flatMap((range) => range.removed));
  const sorted = ranges.toSorted((a, b) => startOf(a) - startOf(b));
  let [next, covered] = [0, table.start];
  for (const row of descendantsOf(table, ({ name }) => name === 'w:tr')) {
    if (row.name !== 'w:tr') continue;
    for (let range = sorted[next]; range !== undefined && startOf(range) <= row.start; range = sorted[++next])
      covered = Math.max(covered, endOf(range));
    if (row.end > covered && !removed.has(row)) return false;
  }
  return true;
}

function filledItem({ xml, dialect }: Story, { openEnd, closeStart, children }: XmlNode): Item {
  const first = children.find(({ name }) => name === 'w:p');
  const properties = first && !endsSection(first) ? childOf(first, 'w:pPr') : undefined;
  const kept = properties === undefined ? '' : xml.slice(properties.start, properties.end);
  const nameOf = (element: string) => /^<([^\s/>]+)/.exec(dialect.element(element))?.[1] ?? '';
  const paragraphName = first === undefined ? nameOf('p') : writtenName(xml, first);
  const make = (writer: Writer): Op => ({
    kind: 'filled',
    ops: writer.write(openEnd, closeStart),
    paragraph: dialect.element('p', {}, kept),
    paragraphName,
    tableName: paragraphName.replace(/p$/, 'tbl'),
  });
  return { start: openEnd, end: closeStart, rank: RANKS.filled, make };
}

/** A table or a row, which goes if it has no row or no cell. */
function partsItem({ xml }: Story, node: XmlNode, part: 'tr' | 'tc', mends?: PartsOp['mends']): Item {
  const partTag = `<${writtenName(xml, node).replace(/(?:tbl|tr)$/, part)}`;
  const { start, end } = node;
  return {
    start,
    end,
    rank: RANKS.parts,
    make: (writer) => ({ kind: 'parts', ops: writer.write(start, end), partTag, ...(mends && { mends }) }),
  };
}

function hasMerges({ xml }: Story, { start, end }: XmlNode): boolean {
  return xml.slice(start, end).includes(':vMerge');
}

function mendsOf({ xml }: Story, table: XmlNode, hasColumns: boolean): PartsOp['mends'] {
  const outer = [...ancestorsOf(table)];
  const open = outer.toReversed().map(({ start, openEnd }) => xml.slice(start, openEnd));
  const close = outer.map(({ closeStart, end }) => xml.slice(closeStart, end));
  return { open: open.join(''), close: close.join(''), hasColumns };
}

function writtenName(xml: string, { start, openEnd }: XmlNode): string {
  return /^<([^\s/>]+)/.exec(xml.slice(start, openEnd))?.[1] ?? '';
}
