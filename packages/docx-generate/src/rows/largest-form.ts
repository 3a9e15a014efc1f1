import { openTemplate, type Template } from '@scriptorium/docx-template/template';
import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import {
  applyEdits,
  childOf,
  type Edit,
  type OpenTag,
  scanXml,
  TreeBuilder,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { storiesOf } from '../generate/generate.ts';
import { withoutPieceMarks } from '../generate/piece-marks.ts';
import type { Generation } from '../generation.ts';
import { type PlaceText, placesIn } from './form-places.ts';
import { FormRules, type Misfit } from './form-rules.ts';
import { type Element, type Skeleton, skeletonOf, type Unit } from './form-skeleton.ts';
import { ListRules } from './list-rules.ts';
import { ParagraphStyles } from './paragraph-styles.ts';
import { blockOf, hashOf, type Piece, type PieceShape, piecesOf, writtenTree } from './row-tree.ts';
import { bandsOf } from './table-look.ts';

/** Above the numbers that editors assign. */
const FIRST_BOOKMARK = 900_000;

/** What a row puts into a form. */
export interface FormRow {
  /** The units that the row lacks, without those in other ones. */
  gone: number[];
  /** The text of each place. Null for a place in what the row lacks. */
  texts: (string | null)[];
  /** What this row shows of the removal of pieces: each loop or condition that it cuts or lacks. */
  traits: string[];
}

interface FormPiece {
  path: string;
  hash: string;
  places: number[];
}

interface FormStory {
  xml: string;
  skeleton: Skeleton;
}

interface Rules {
  stories: FormRules[];
  lists: ListRules;
}

/** A document with all pieces of some rows. */
export class LargestForm {
  readonly bytes: Buffer;
  /** For each unit, the one around it, or -1. */
  readonly around: number[];
  readonly #pieces: FormPiece[];
  readonly #units: Unit[];
  readonly #rules: Rules;
  readonly #places: number;

  private constructor(bytes: Buffer, pieces: FormPiece[], units: Unit[], rules: Rules) {
    this.bytes = bytes;
    this.#pieces = pieces;
    this.#units = units;
    this.#rules = rules;
    this.#places = pieces.reduce((sum, { places }) => sum + places.length, 0);
    this.around = units.map(({ around }) => around?.number ?? -1);
  }

  /** Undefined if a text in one of its places may have other effects. */
  static async of(
    template: Template,
    options: Generation,
    tree: Piece,
    placeText: PlaceText,
  ): Promise<LargestForm | undefined> {
    const { editor, stories } = storiesOf(template, options, writtenTree(tree, placeText));
    const own: FormStory[] = [];
    const units: Unit[] = [];
    for (const { story, xml: written } of stories) {
      const xml = withRoom(written, story.part);
      const skeleton = skeletonOf(xml, treeOf(xml, story.part), units.length);
      if (skeleton === undefined) return undefined;
      units.push(...skeleton.units);
      own.push({ xml, skeleton });
      const text = withoutPieceMarks(marked(xml, skeleton.units));
      if (text !== story.xml) editor.rewrite(story.part, text);
    }
    const bytes = editor.build();
    const form = await openTemplate(bytes);
    if (placesIn(form, placeText) === undefined) return undefined;
    return new LargestForm(bytes, piecesOfForm(tree), units, rulesOf(form, own));
  }

  /** What a row puts into the form, or why its document is not the form without some pieces. */
  rowOf(shape: readonly PieceShape[]): FormRow | Misfit {
    const own = new Map(shape.map(([path, hash, texts]) => [path, { hash, texts }]));
    const gone = new Set<number>();
    const texts = Array.from({ length: this.#places }, (): string | null => null);
    let common = 0;
    for (const [number, { path, hash, places }] of this.#pieces.entries()) {
      const piece = own.get(path);
      if (piece === undefined) gone.add(number);
      else if (piece.hash !== hash || piece.texts.length !== places.length) return 'inline';
      else {
        common++;
        for (const [at, place] of places.entries()) texts[place] = piece.texts[at] ?? '';
      }
    }
    if (common < shape.length) return 'long';
    const isGone = (piece: number) => gone.has(piece);
    for (const rules of this.#rules.stories) {
      const misfit = rules.misfit(isGone, (place) => texts[place] ?? '');
      if (misfit !== undefined) return misfit;
    }
    if (gone.size > 0 && this.#rules.lists.isCut(isGone)) return 'break';
    return { gone: this.#unitsOf(gone), texts, traits: this.#traitsOf(gone, texts) };
  }

  #unitsOf(gone: ReadonlySet<number>): number[] {
    const isGone = ({ piece }: Unit) => gone.has(piece.number);
    const isInGone = ({ around }: Unit): boolean =>
      around !== undefined && (isGone(around) || isInGone(around));
    return this.#units.filter((unit) => isGone(unit) && !isInGone(unit)).map(({ number }) => number);
  }

  #traitsOf(gone: ReadonlySet<number>, texts: readonly (string | null)[]): string[] {
    const there = new Set<string>();
    for (const [number, { path }] of this.#pieces.entries()) if (!gone.has(number)) there.add(blockOf(path));
    const traits = new Set<string>();
    for (const [number, { path, places }] of this.#pieces.entries())
      if (gone.has(number)) traits.add(`${there.has(blockOf(path)) ? 'cut' : 'absent'} ${blockOf(path)}`);
      else if (places.some((place) => texts[place] === '')) traits.add(`empty ${blockOf(path)}`);
    return [...traits];
  }
}

function treeOf(xml: string, { name }: Part): XmlNode {
  const tree = new TreeBuilder();
  scanXml(xml, [tree.visitor], { budget: new Budget(), part: name });
  return tree.root;
}

/** Gives empty paragraphs an end tag, so that marks have room in them. */
function withRoom(xml: string, { name }: Part): string {
  const edits: Edit[] = [];
  const open = ({ isEmpty, start, end }: OpenTag) => {
    if (isEmpty && xml.startsWith('<w:p', start)) edits.push({ start: end - 2, end, text: '></w:p>' });
  };
  scanXml(xml, [{ 'w:p': { open } }], { budget: new Budget(), part: name });
  return applyEdits(xml, edits);
}

function rulesOf({ document }: Template, stories: readonly FormStory[]): Rules {
  const rootOf = (wanted: string): XmlNode | undefined => {
    const key = document.main.relationships.list.find(({ kind }) => kind === wanted)?.part;
    const part = key === undefined ? undefined : document.parts.get(key);
    return part?.xml === undefined ? undefined : treeOf(part.xml, part);
  };
  const root = rootOf('styles');
  const [styles, bands] = [new ParagraphStyles(root), bandsOf(root)];
  const paragraphs = stories.flatMap(({ skeleton }) => skeleton.paragraphs);
  return {
    stories: stories.map(({ xml, skeleton }) => new FormRules(xml, skeleton, bands, styles)),
    lists: new ListRules(styles, rootOf('numbering'), paragraphs),
  };
}

/** In the order of `writtenTree`. */
function piecesOfForm(tree: Piece): FormPiece[] {
  let places = 0;
  const numbers = new Map<Piece, number[]>();
  const number = (piece: Piece): void => {
    const own: number[] = [];
    numbers.set(piece, own);
    for (const part of piece.parts) {
      if (typeof part === 'string') continue;
      if ('place' in part) own.push(places++);
      else part.pieces.forEach(number);
    }
  };
  number(tree);
  return [...piecesOf(tree)].map(({ piece, path }) => ({
    path,
    hash: hashOf(piece),
    places: numbers.get(piece) ?? [],
  }));
}

/**
 * The text with two bookmarks for each unit, in its first and its last paragraph: `_rows7a` to `_rows7b`, or `_blocks7a`.
 * A mark in a table that is itself such a block is `_table7a`.
 */
function marked(xml: string, units: readonly Unit[]): string {
  const edits: Edit[] = [];
  const add = (unit: Unit, paragraph: Element, isFirst: boolean) => {
    const element = unit.elements.at(isFirst ? 0 : -1);
    const isAtTable = unit.kind === 'blocks' && element?.name === 'w:tbl';
    const letter = isFirst ? 'a' : 'b';
    const id = FIRST_BOOKMARK + 2 * unit.number + (isFirst ? 0 : 1);
    const name = `_${isAtTable ? 'table' : unit.kind}${unit.number}${letter}`;
    const mark = `<w:bookmarkStart w:id="${id}" w:name="${name}"/><w:bookmarkEnd w:id="${id}"/>`;
    edits.push(editAt(paragraph, mark, isFirst));
  };
  for (const unit of units) {
    if (unit.first === undefined || unit.last === undefined) continue;
    add(unit, unit.first, true);
    add(unit, unit.last, false);
  }
  return applyEdits(xml, edits);
}

function editAt({ node }: Element, mark: string, isFirst: boolean): Edit {
  const at = isFirst ? (childOf(node, 'w:pPr')?.end ?? node.openEnd) : node.closeStart;
  return { start: at, end: at, text: mark };
}
