import type { Control, Story } from '@scriptorium/docx-template/template';
import type { Expression } from '@scriptorium/expressions/expression';
import type { Part } from '@scriptorium/ooxml/package';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { As } from '../values/value-kind.ts';
import type { Block } from './blocks.ts';
import type { Instruction, TextPart } from './instruction.ts';
import type { TableMends } from './mended-table.ts';

/** One step of a compiled template. A string is text of the template. */
export type Op =
  | string
  | ValueOp
  | BlockOp
  | AloneOp
  | FilledOp
  | PartsOp
  | CopyOp
  | TextOp
  | LinkOp
  | NoteOp
  | PictureOp
  | ChartOp
  | ControlOp
  | CellOp
  | SetOp;

export type CellChange = Extract<Instruction, { type: 'cell' }> & { written: string };

/** A cell whose properties its marks change. */
export interface CellOp {
  kind: 'cell';
  story: Story;
  changes: readonly CellChange[];
  /** The tags around its content, and the children of `w:tcPr` by their names. */
  tags: readonly [open: string, close: string];
  properties: ReadonlyMap<string, string>;
  ops: readonly Op[];
  /** The content of a cell that continues a vertical merge. */
  empty: string;
}

/** Gives a value a name for what follows in the same item of a loop. */
export interface SetOp {
  kind: 'set';
  variable: string;
  expression: Expression;
  /** The name stays after the loop. */
  isGlobal?: true | undefined;
}

/** A place in a part. */
export interface Spot {
  story: Story;
  node: XmlNode;
}

/** A value inside a `w:t`. */
export interface ValueOp {
  kind: 'value';
  expression: Expression;
  as: As | undefined;
  written: string;
  story: Story;
  /** The `w:t` in which the mark begins, or the run of a Word field. */
  text: XmlNode;
  /** The tags that begin and end the text element and its run. */
  textTags: readonly [open: string, close: string];
  runTags: readonly [open: string, close: string];
}

export interface BlockOp {
  kind: 'block';
  type: Block['kind'];
  branches: { expression: Expression | undefined; before: string; ops: readonly Op[]; after: string }[];
  variable: string | undefined;
  itemKey: string | undefined;
  /** The mark, for messages, and its place. */
  written: string;
  spot: Spot;
  hasOtherwise: boolean;
  isList: boolean;
  /** Remains if no branch shows anything: the break of a section with other content. */
  remains: string;
  /** Tags around the block, because it begins and ends inside a run. */
  start: string;
  end: string;
}

/** A paragraph with one mark and nothing else. Blocks replace it, other values stand in it. */
export interface AloneOp {
  kind: 'alone';
  before: readonly Op[];
  value: ValueOp;
  after: readonly Op[];
  /** What stays after blocks that replace the paragraph: its section, a range mark, or an empty paragraph. */
  behind: string;
}

/** The content of a cell, a text box or a part, which needs a paragraph at its end. */
export interface FilledOp {
  kind: 'filled';
  ops: readonly Op[];
  /** The paragraph that is added, and the names with which the part writes `w:p` and `w:tbl`. */
  paragraph: string;
  paragraphName: string;
  tableName: string;
}

/** A table or a row that goes if it has no row or no cell. */
export interface PartsOp {
  kind: 'parts';
  ops: readonly Op[];
  /** The start of the tag of a row or a cell, as the part writes it: `<w:tr`. */
  partTag: string;
  /** A table that its loops and conditions may break. */
  mends?: TableMends;
}

/** An identifier that differs in each copy: the value of an attribute, or a name in an instruction. */
export interface CopyOp {
  kind: 'copy';
  what: 'paragraph' | 'drawing' | 'control' | 'range' | 'bookmark' | 'list' | 'first';
  /** The text in the template. `first`: text that only the first copy has. */
  value: string;
  /** Number of loops around the element that the identifier names. */
  depth: number;
}

/** Text without runs, such as an alternative text. */
export interface TextOp {
  kind: 'text';
  parts: readonly TextPart[];
  story: Story;
  node: XmlNode;
  /** A chart shows the data of a value here. The text is then the title in that. */
  isOfChart?: boolean;
  /** It is the code of a field, in which quotation marks and backslashes have a meaning. */
  isCode?: boolean;
}

/** The relationship id of a link whose address has marks. */
export interface LinkOp {
  kind: 'link';
  parts: readonly TextPart[];
  story: Story;
  node: XmlNode;
}

/** A picture whose alternative text or title is one mark. An image of the data takes its frame. */
export interface PictureOp {
  kind: 'picture';
  expression: Expression;
  story: Story;
  /** `w:drawing`, and the `wp:docPr` in it. */
  drawing: XmlNode;
  properties: XmlNode;
  /** The mark asks for a picture: without one, nothing stands there. */
  isImage: boolean;
  /** What stands there if the value is not an image. */
  ops: readonly Op[];
}

/** The relationship id of a chart, of which each copy has its own part. */
export interface ChartOp {
  kind: 'chart';
  story: Story;
  id: string;
  part: Part;
  /** For messages. */
  name: string;
  /** The part as it was read, if the chart has marks. */
  chart: Story | undefined;
  fragments: readonly Fragment[];
  /** The values in its title and its alternative text, of which one may be its data. */
  values: readonly Expression[];
}

/** The id of a footnote, an endnote or a comment, of which each copy has its own. */
export interface NoteOp {
  kind: 'note';
  notes: 'footnote' | 'endnote' | 'comment';
  id: string;
  /** A comment has several references in one copy. */
  depth: number;
}

/** A content control that is filled if the data has a value for one of its names. */
export interface ControlOp {
  kind: 'control';
  control: Control;
  names: readonly Expression[];
  /** Its number, which copies do not share. */
  id: CopyOp | undefined;
  /** What stands there if the data has no value. Nothing if that is `item`. */
  ops: readonly Op[];
  /** What a list repeats, with the text before the items and after them. */
  item: ControlItem | undefined;
}

export interface ControlItem {
  before: readonly Op[];
  ops: readonly Op[];
  after: readonly Op[];
  /** It is the first item of a repeating section, which takes nothing but a list. */
  isSection: boolean;
  /** It is all that the control shows. */
  isWhole: boolean;
}

/** Text of a part and the steps that replace it. */
export interface Fragment {
  start: number;
  end: number;
  ops: readonly Op[];
}

/** A compiled part. */
export interface StoryProgram {
  story: Story;
  fragments: readonly Fragment[];
}
