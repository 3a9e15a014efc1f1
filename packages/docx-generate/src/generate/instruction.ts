import type { Piece, Story } from '@scriptorium/docx-template/template';
import type { Expression } from '@scriptorium/expressions/expression';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { As } from '../values/value-kind.ts';

/** The languages in which templates are marked. */
export const SYNTAXES = [
  'curly',
  'jinja',
  'poi-tl',
  'carbone',
  'command',
  'stamper',
  'handlebars',
  'dotnet',
  'word',
] as const;
export type Syntax = (typeof SYNTAXES)[number];

/** What a range repeats, where the template says it: docxtpl's `{%tr`, `{%tc`, `{%p` and `{%r`, easy-template-x's `loopOver`. */
export type Unit = 'row' | 'cell' | 'table' | 'column' | 'paragraph' | 'run';

/** An array of which a Carbone mark shows an item: `{d.xs[i].a}`, or `{d.xs[i+1].a}` for the item after it. */
export interface ArrayStep {
  /** The path of the array, as written: `xs`. Marks with the same name belong together. */
  name: string;
  expression: Expression;
  isNext: boolean;
  /** The filters and the order of its items, as text. */
  changes: string;
}

/** The meaning of one mark, independent of the language in which it is written. */
export type Instruction =
  | {
      type: 'value';
      expression: Expression;
      as?: As;
      /** Carbone: outermost first. `expression` then names the item of an array by the variable `name`. */
      arrays?: readonly ArrayStep[];
      /** poi-tl's `[name]`: the row around it repeats for the array of the last mark before the row. */
      isOfRow?: true;
    }
  | {
      type: 'open';
      /** `section`: a loop over an array, the scope of an object, or a condition, by the value. */
      kind: 'section' | 'inverted' | 'for' | 'if';
      /** The name that its closing mark repeats. Empty if closing marks have no names. */
      name: string;
      expression: Expression;
      /** The variable of an item in a `for`. */
      variable?: string;
      /** The variable of the key in a `for` over an object. */
      key?: string;
      unit?: Unit;
      /** A section that takes nothing but a list. */
      isList?: true;
      /** It has no end of its own, but ends with the range around it. */
      endsWithOuter?: true;
    }
  /** `{% else %}`; with an expression, `{% elif %}`. */
  | { type: 'else'; expression?: Expression; unit?: Unit }
  /** An empty name closes the innermost range. */
  | { type: 'close'; name: string; kind?: 'for' | 'if'; unit?: Unit }
  /** Stands in what it repeats or hides. A `section` takes nothing but a list. */
  | {
      type: 'attached';
      kind: 'section' | 'inverted' | 'if';
      to: 'words' | 'paragraph' | 'row' | 'table' | 'part';
      expression: Expression;
      /** The variable of a loop that must be around it. */
      variable?: string;
    }
  /** docxtpl: the columns and the color of the cell around it, and the cells of a loop that are merged. */
  | { type: 'cell'; what: 'span' | 'fill' | 'vm' | 'hm'; expression?: Expression }
  /** Gives a value a name. With a unit, the row, cell or paragraph around it goes, too. */
  | { type: 'set'; variable: string; expression: Expression; isGlobal?: true; unit?: Unit }
  /** With a unit, the row, cell or paragraph around it goes, too. */
  | { type: 'comment'; unit?: Unit };

/** Where a mark stands. */
type MarkPlace =
  /** Characters of running text, over any number of runs of one paragraph. */
  | {
      kind: 'text';
      pieces: readonly [Piece, ...Piece[]];
      /** Tabs and line breaks inside the mark, which go with it. */
      breaks?: readonly XmlNode[];
    }
  /** A Word field: adjacent siblings in a paragraph, and the run whose properties its text has. */
  | { kind: 'field'; nodes: readonly [XmlNode, ...XmlNode[]]; run: XmlNode }
  /** A comment: what it is about begins behind `from` and ends before `to`. */
  | {
      kind: 'comment';
      from: XmlNode;
      to: XmlNode;
      anchors: readonly XmlNode[];
      /** The first run between them, if they have the same parent. */
      run: XmlNode | undefined;
    };

/** A mark with its meaning. The marks of a story are in document order. */
export interface FoundMark {
  story: Story;
  place: MarkPlace;
  /** As the template writes it, with delimiters, for messages. At most 200 characters. */
  written: string;
  syntax: Syntax;
  instruction: Instruction;
}

/** A mistake in a template. */
export interface MarkIssue {
  story: Story;
  /** An element at the place of the mistake. */
  node: XmlNode;
  /** The text of the mark. */
  written: string;
  issue: string;
}

/** A piece of a text without runs, such as an alternative text, a chart title or a document property. */
export type TextPart =
  | string
  | { written: string; syntax: Syntax; instruction: Instruction }
  /** A mark that is a mistake. */
  | { written: string; issue: string };
