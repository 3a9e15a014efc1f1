import { childOf, childValue, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from '../../template/story.ts';
import { sourceOf, without } from '../content.ts';
import { runStyleIn } from '../run-style.ts';
import { run } from '../text.ts';
import { cellsIn } from './table-rows.ts';

/** A row as the source text between its values: read once, written often. */
export interface RowTemplate {
  story: Story;
  open: string;
  close: string;
  cells: readonly CellTemplate[];
  /** Grid columns that the row skips before its first cell and after its last one. */
  gridBefore: number;
  gridAfter: number;
  /** Total number of grid columns. */
  columns: number;
  /** Characters of a row without text. */
  chars: number;
}

export interface CellTemplate {
  /** Number of grid columns that it spans. */
  columns: number;
  /** Source up to its first paragraph. */
  open: string;
  /** The same for a cell that continues the cell above. Undefined if the template merges no cell in the column. */
  openContinued: string | undefined;
  /** It is the first of the template's merged cells. */
  startsMerge: boolean;
  close: string;
  /** Source of a paragraph up to its first run, and after its last one. */
  paragraph: readonly [open: string, close: string];
  /** Run properties, as an element or empty. */
  style: string;
  /** Source before and after a text of one line without tabs. */
  text: readonly [before: string, after: string];
}

export interface RowStyle {
  promptStyles: ReadonlySet<string>;
  /** The new text has the run properties of the template text. */
  keepsRunStyle: boolean;
}

/** Marks of tracked changes, and section ends. New rows contain neither. */
const DROPPED = new Set([
  'w:ins',
  'w:del',
  'w:moveFrom',
  'w:moveTo',
  'w:cellIns',
  'w:cellDel',
  'w:cellMerge',
  'w:trPrChange',
  'w:tblPrExChange',
  'w:tcPrChange',
  'w:pPrChange',
  'w:rPrChange',
  'w:numberingChange',
  'w:sectPr',
  'w:tblHeader',
]);
/** Their values must be unique in a document. */
const IDENTITIES = new Set(['w14:paraId', 'w14:textId']);
/** Marks the place of a text. XML does not allow this character. */
const MARK = '\0';

/** Reads a row for cloning. Text, pictures, controls and tables in its cells are not cloned. */
export function readRowTemplate(row: XmlNode, story: Story, style: RowStyle): RowTemplate {
  const { xml } = story;
  const properties = childOf(row, 'w:trPr');
  const count = (name: string) => countOf(properties, name, 0);
  const tags = tagsOf(row, xml);
  const cells = [...cellsIn(row)].map((cell) => readCell(cell, story, style));
  const gridBefore = count('w:gridBefore');
  const gridAfter = count('w:gridAfter');
  const open = tags.open + kept(childOf(row, 'w:tblPrEx'), xml) + kept(properties, xml);
  return {
    story,
    open,
    close: tags.close,
    cells,
    gridBefore,
    gridAfter,
    columns: cells.reduce((sum, { columns }) => sum + columns, gridBefore + gridAfter),
    chars: cells.reduce((sum, cell) => sum + charsOf(cell), open.length + tags.close.length),
  };
}

function readCell(cell: XmlNode, story: Story, { promptStyles, keepsRunStyle }: RowStyle): CellTemplate {
  const { xml, dialect } = story;
  const tags = tagsOf(cell, xml);
  const properties = childOf(cell, 'w:tcPr');
  const style = keepsRunStyle ? runStyleIn(cell, story, promptStyles) : '';
  const [before = '', after = ''] = run([MARK], style, dialect).split(MARK);
  const merge = properties && childOf(properties, 'w:vMerge');
  const merged = (attributes: Record<string, string>) =>
    tags.open + kept(properties, xml, dialect.element('vMerge', attributes));
  return {
    columns: countOf(properties, 'w:gridSpan', 1),
    open: merge === undefined ? tags.open + kept(properties, xml) : merged({ val: 'restart' }),
    openContinued: merge && merged({}),
    startsMerge: properties !== undefined && childValue(properties, 'w:vMerge') === 'restart',
    close: tags.close,
    paragraph: readParagraph(cell, story),
    style,
    text: [before, after],
  };
}

function readParagraph(cell: XmlNode, { xml, dialect }: Story): [open: string, close: string] {
  const isOpaque = ({ name }: XmlNode) => name === 'w:tbl' || name === 'w:p';
  for (const node of descendantsOf(cell, isOpaque)) {
    if (node.name !== 'w:p') continue;
    const { open, close } = tagsOf(node, xml);
    return [open + kept(childOf(node, 'w:pPr'), xml), close];
  }
  const [open = '', close = ''] = dialect.element('p', {}, MARK).split(MARK);
  return [open, close];
}

/** The tags of an element that is cloned. */
function tagsOf(node: XmlNode, xml: string): { open: string; close: string } {
  let open = xml.slice(node.start, node.openEnd);
  for (const { name, start, end } of node.attributes.toReversed())
    if (IDENTITIES.has(name)) open = open.slice(0, start).trimEnd() + open.slice(end);
  if (open.endsWith('/>')) open = `${open.slice(0, -2).trimEnd()}>`;
  return { open, close: `</${/^<([^\s>]+)/.exec(open)?.[1] ?? ''}>` };
}

/** Properties of a clone, with `merge` instead of their vertical merge. */
function kept(properties: XmlNode | undefined, xml: string, merge?: string): string {
  if (properties === undefined) return '';
  const old = merge === undefined ? undefined : childOf(properties, 'w:vMerge');
  if (old === undefined || merge === undefined) return without(properties, xml, DROPPED);
  // The exact source of the element, so that it can be found in the kept text.
  const source = sourceOf(old, xml);
  const text = without(properties, xml, DROPPED);
  const at = text.indexOf(source);
  return text.slice(0, at) + merge + text.slice(at + source.length);
}

function countOf(properties: XmlNode | undefined, name: string, otherwise: number): number {
  const count = Number((properties && childValue(properties, name)) ?? otherwise);
  return Number.isSafeInteger(count) && count >= otherwise ? count : otherwise;
}

function charsOf({ open, close, paragraph, text }: CellTemplate): number {
  return [open, close, ...paragraph, ...text].reduce((sum, { length }) => sum + length, 0);
}
