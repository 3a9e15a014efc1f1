import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, childOf, childValue, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Block } from './blocks.ts';
import type { ControlParagraphs } from './control-paragraphs.ts';
import type { MarkIssue } from './instruction.ts';
import { around, type Cut, cutAt, plainCut, type Span, spanOf, UNITS } from './span.ts';

/** What a block repeats or hides. */
type Level = 'text' | 'paragraphs' | 'rows' | 'cells' | 'elements';

/** A block with the part of the document that it repeats or hides. */
export interface Range {
  block: Block;
  level: Level;
  /** The element whose content is divided. */
  container: XmlNode;
  /** The content of each branch. Text between them goes. */
  bodies: { from: Cut; to: Cut }[];
  /** Rows, cells and paragraphs that hold only marks of the block. They go. */
  removed: readonly XmlNode[];
}

export function levelOf(name: string): Level {
  return name === 'w:tr' ? 'rows' : name === 'w:tc' ? 'cells' : 'paragraphs';
}

/** Elements between whose children a range can begin and end. */
const CONTAINERS = new Set([
  'w:body',
  'w:tc',
  'w:tr',
  'w:tbl',
  'w:txbxContent',
  'w:hdr',
  'w:ftr',
  'w:footnote',
  'w:endnote',
  'w:sdtContent',
  'w:p',
]);
export const BLOCK_CONTAINERS: ReadonlySet<string> = new Set(
  [...CONTAINERS].filter((name) => !['w:tr', 'w:tbl', 'w:p'].includes(name)),
);
const NO_RANGE = 'The marks of one loop or condition must be in one part of the text, or in one table';

/**
 * Finds what each block repeats: the text between marks of one paragraph, rows of a table, or whole paragraphs if each mark has
 * its own. Else finds the text across paragraphs, or else the smallest siblings that contain all of its marks.
 */
export function rangesOf(
  blocks: readonly Block[],
  story: Story,
  paragraphs: ControlParagraphs,
  issues: MarkIssue[],
): Range[] {
  const finder = new RangeFinder(story, paragraphs);
  const ranges: Range[] = [];
  for (const block of blocks) {
    const [{ mark }] = block.branches;
    const name = block.unit === undefined ? undefined : UNITS[block.unit];
    const isOutside = name !== undefined && around(spanOf(mark).first, name) === undefined;
    const found = isOutside ? [] : finder.find(block);
    const issue = isOutside ? `No ${name} is around it to repeat or hide` : NO_RANGE;
    if (found.length > 0) ranges.push(...found);
    else issues.push({ story, node: spanOf(mark).first, written: mark.written, issue });
  }
  return ranges;
}

class RangeFinder {
  readonly #story: Story;
  readonly #paragraphs: ControlParagraphs;

  constructor(story: Story, paragraphs: ControlParagraphs) {
    this.#story = story;
    this.#paragraphs = paragraphs;
  }

  /** One range, or one in each row of a table whose columns repeat. Empty if there is none. */
  find(block: Block): Range[] {
    const columns = columnRanges(block);
    if (columns !== undefined) return columns;
    const range = this.#find(block);
    return range === undefined ? [] : [range];
  }

  #find(block: Block): Range | undefined {
    const spans = [...block.branches.map(({ mark }) => spanOf(mark)), spanOf(block.close)];
    const common = commonAncestor(spans.flatMap(({ first, last }) => [first, last]));
    const byUnit = this.#byUnit(block, spans);
    if (byUnit !== undefined) return byUnit;
    if (around(common, 'w:p') !== undefined) return this.#inText(block, spans, common);
    if (common.name === 'w:tr') {
      const cells = spans.map(({ first }) => childTowards(common, first));
      // docx-templates repeats the cells between cells that hold only its commands.
      const areCommands =
        block.close.syntax === 'command' && cells.every((cell) => this.#paragraphs.holdsOnlyMarks(cell));
      if (areCommands) return this.#divided(block, cells, 'cells');
      const isOneBody = block.branches.length === 1;
      return isOneBody ? this.#siblings(block, [common, common], 'rows') : undefined;
    }
    const children = spans.map(({ first }) => childTowards(common, first));
    const isTable = common.name === 'w:tbl' || children.some(({ name }) => name === 'w:tr');
    if (isTable) return this.#divided(block, children, 'rows');
    if (!BLOCK_CONTAINERS.has(common.name)) return undefined;
    const areParagraphs = children.every(({ name }) => name === 'w:p');
    if (areParagraphs && children.every((child) => this.#paragraphs.has(child)))
      return this.#divided(block, children, 'paragraphs');
    const inText = areParagraphs ? this.#inText(block, spans, common) : undefined;
    if (inText !== undefined) return inText;
    return block.branches.length === 1
      ? this.#siblings(block, [children[0] as XmlNode, children.at(-1) as XmlNode], 'elements')
      : undefined;
  }

  /** The range of a block whose marks name what is repeated. Undefined if its marks are elsewhere. */
  #byUnit(block: Block, spans: readonly Span[]): Range | undefined {
    const name = block.unit === undefined ? undefined : UNITS[block.unit];
    if (name === undefined) return undefined;
    const elements = spans.map(({ first }) => around(first, name));
    const first = elements[0];
    if (first?.parent === undefined || elements.some((element) => element?.parent !== first.parent))
      return undefined;
    return this.#divided(block, elements as XmlNode[], levelOf(name));
  }

  /** A range whose cuts divide runs, and paragraphs if `common` contains several. */
  #inText(block: Block, spans: readonly Span[], common: XmlNode): Range | undefined {
    const isOneParagraph = around(common, 'w:p') !== undefined;
    const cuts = spans.map((span, index) => {
      const [node, at] = index === 0 ? [span.last, span.end] : [span.first, span.start];
      const top = isOneParagraph ? common : around(node, 'w:p');
      return top === undefined ? undefined : cutAt(this.#story, node, at, top);
    });
    if (cuts.every((cut) => cut !== undefined))
      return { block, level: 'text', container: common, bodies: between(cuts), removed: [] };
    if (common.name !== 'w:p' || block.branches.length > 1) return undefined;
    const children = spans.map(({ first }) => childTowards(common, first));
    return this.#siblings(block, [children[0] as XmlNode, children.at(-1) as XmlNode], 'elements');
  }

  /** Whole siblings that contain all marks. */
  #siblings(block: Block, [first, last]: readonly [XmlNode, XmlNode], level: Level): Range | undefined {
    const container = first.parent;
    if (container === undefined || !CONTAINERS.has(container.name)) return undefined;
    const body = { from: plainCut(first.start), to: plainCut(last.end) };
    return { block, level, container, bodies: [body], removed: [] };
  }

  /** Siblings from mark to mark. A sibling that holds only marks of blocks goes. */
  #divided(block: Block, children: readonly XmlNode[], level: Level): Range | undefined {
    const container = children[0]?.parent;
    if (container === undefined) return undefined;
    // docxtemplater keeps rows that hold only its marks.
    const areKept = level === 'rows' && block.close.syntax === 'curly';
    const isOnlyMarks = (child: XmlNode) => !areKept && this.#paragraphs.holdsOnlyMarks(child);
    const cuts = children.map((child, index) => {
      if (isOnlyMarks(child)) return [child.start, child.end] as const;
      // The content beside a mark belongs to the range that the mark begins, or ends.
      const at = index === children.length - 1 ? child.end : child.start;
      return [at, at] as const;
    });
    const isOne = children.every((child) => child === children[0]);
    if (isOne) {
      const [first] = children as [XmlNode];
      return block.branches.length === 1 ? this.#siblings(block, [first, first], level) : undefined;
    }
    const isOrdered = children.every((child, index) => index === 0 || child !== children[index - 1]);
    if (block.branches.length > 1 && !isOrdered) return undefined;
    const bodies = block.branches.map((_, index) => ({
      from: plainCut(cuts[index]?.[1] ?? 0),
      to: plainCut(cuts[index + 1]?.[0] ?? 0),
    }));
    return { block, level, container, bodies, removed: children.filter(isOnlyMarks) };
  }
}

/**
 * The ranges of a block whose marks ask for columns (easy-template-x): the cells of these columns in each row. Undefined
 * for other blocks. Empty if the marks are not in one table.
 */
function columnRanges(block: Block): Range[] | undefined {
  const [{ mark }] = block.branches;
  if (block.unit !== 'column') return undefined;
  const [first, last] = [mark, block.close].map((end) => around(spanOf(end).first, 'w:tc'));
  const table = first && around(first, 'w:tbl');
  if (first === undefined || last === undefined || table === undefined || around(last, 'w:tbl') !== table)
    return [];
  const [from, to] = [columnOf(first), columnOf(last)];
  const rows = table.children.filter(({ name }) => name === 'w:tr');
  return rows.flatMap((container) => {
    const cells = container.children.filter(
      (cell) => cell.name === 'w:tc' && columnOf(cell) >= from && columnOf(cell) <= to,
    );
    const [start, end] = [cells[0], cells.at(-1)];
    if (start === undefined || end === undefined) return [];
    const body = { from: plainCut(start.start), to: plainCut(end.end) };
    return [{ block, level: 'cells', container, bodies: [body], removed: [] }];
  });
}

/** The first grid column of a cell, from 0. */
function columnOf(cell: XmlNode): number {
  let column = 0;
  for (const other of cell.parent?.children ?? []) {
    if (other === cell) break;
    if (other.name !== 'w:tc') continue;
    const properties = childOf(other, 'w:tcPr');
    column += Number((properties && childValue(properties, 'w:gridSpan')) ?? 1) || 1;
  }
  return column;
}

function between(cuts: readonly Cut[]): { from: Cut; to: Cut }[] {
  return cuts.slice(1).map((to, index) => ({ from: cuts[index] as Cut, to }));
}

export function commonAncestor(nodes: readonly XmlNode[]): XmlNode {
  let common = nodes[0] as XmlNode;
  for (const node of nodes)
    while (node.start < common.start || node.end > common.end) {
      if (common.parent === undefined) return common;
      common = common.parent;
    }
  return common;
}

/** The child of `container` that contains the node. */
export function childTowards(container: XmlNode, node: XmlNode): XmlNode {
  let child = node;
  for (const outer of ancestorsOf(node)) {
    if (outer === container) break;
    child = outer;
  }
  return child;
}
