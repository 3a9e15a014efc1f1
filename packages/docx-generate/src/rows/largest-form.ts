import { openTemplate, type Template } from '@scriptorium/docx-template/template';
import { applyEdits, type Edit } from '@scriptorium/ooxml/xml';
import { storiesOf } from '../generate/generate.ts';
import { withoutPieceMarks } from '../generate/piece-marks.ts';
import type { Generation } from '../generation.ts';
import { type PlaceText, placesIn } from './form-places.ts';
import { bandsOf, FormRules, type Misfit } from './form-rules.ts';
import { type Element, type Skeleton, skeletonOf, type Unit } from './form-skeleton.ts';
import { hashOf, type Piece, type PieceShape, piecesOf, placesOf, writtenTree } from './row-tree.ts';

/** Above the numbers that editors assign. */
const FIRST_BOOKMARK = 900_000;
/** Has no room for a mark. */
const EMPTY_PARAGRAPH = /<w:p((?:\s[^>]*?)?)\s*\/>/g;
const PROPERTIES = /^\s*<w:pPr(?:\s*\/>|>.*?<\/w:pPr>)/s;

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

type Stories = { skeleton: Skeleton; rules: FormRules }[];

/** A document with all pieces of some rows. */
export class LargestForm {
  readonly bytes: Buffer;
  /** Of each unit, the one around it, or -1. */
  readonly around: number[];
  readonly #pieces: FormPiece[];
  readonly #skeletons: Stories;
  readonly #places: number;

  private constructor(bytes: Buffer, pieces: FormPiece[], skeletons: Stories) {
    this.bytes = bytes;
    this.#pieces = pieces;
    this.#skeletons = skeletons;
    this.#places = pieces.reduce((sum, { places }) => sum + places.length, 0);
    this.around = skeletons.flatMap(({ skeleton }) =>
      skeleton.units.map(({ around }) => around?.number ?? -1),
    );
  }

  /** Undefined if a text in one of its places may have other effects. */
  static async of(
    template: Template,
    options: Generation,
    tree: Piece,
    placeText: PlaceText,
  ): Promise<LargestForm | undefined> {
    const { editor, stories } = storiesOf(template, options, writtenTree(tree, placeText));
    const parts = [...template.document.parts.values()].map(({ xml = '' }) => xml);
    const bands = bandsOf(parts.filter((xml) => xml.includes('tblStylePr')).join(''));
    const skeletons: Stories = [];
    let units = 0;
    for (const { story, xml: written } of stories) {
      const xml = written.replace(EMPTY_PARAGRAPH, '<w:p$1></w:p>');
      const skeleton = skeletonOf(xml, units);
      if (skeleton === undefined) return undefined;
      units += skeleton.units.length;
      skeletons.push({ skeleton, rules: new FormRules(xml, skeleton, bands) });
      const text = withoutPieceMarks(marked(xml, skeleton.units));
      if (text !== story.xml) editor.rewrite(story.part, text);
    }
    const bytes = editor.build();
    if (placesIn(await openTemplate(bytes), placeText) === undefined) return undefined;
    return new LargestForm(bytes, piecesOfForm(tree), skeletons);
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
    for (const { rules } of this.#skeletons) {
      const misfit = rules.misfit(
        (piece) => gone.has(piece),
        (place) => texts[place] ?? '',
      );
      if (misfit !== undefined) return misfit;
    }
    return { gone: this.#unitsOf(gone), texts, traits: this.#traitsOf(gone, texts) };
  }

  #unitsOf(gone: ReadonlySet<number>): number[] {
    const isGone = ({ piece }: Unit) => gone.has(piece.number);
    const isInGone = ({ around }: Unit): boolean =>
      around !== undefined && (isGone(around) || isInGone(around));
    return this.#skeletons.flatMap(({ skeleton: { units } }) =>
      units.filter((unit) => isGone(unit) && !isInGone(unit)).map(({ number }) => number),
    );
  }

  #traitsOf(gone: ReadonlySet<number>, texts: readonly (string | null)[]): string[] {
    const blockOf = (path: string) => path.replace(/\[[^\]]*\]/g, '');
    const there = new Set<string>();
    for (const [number, { path }] of this.#pieces.entries()) if (!gone.has(number)) there.add(blockOf(path));
    const traits = new Set<string>();
    for (const [number, { path, places }] of this.#pieces.entries())
      if (gone.has(number)) traits.add(`${there.has(blockOf(path)) ? 'cut' : 'absent'} ${blockOf(path)}`);
      else if (places.some((place) => texts[place] === '')) traits.add(`empty ${blockOf(path)}`);
    return [...traits];
  }
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
    places: numbers.get(piece) ?? placesOf(piece),
  }));
}

/** The text with two bookmarks for each unit, in its first and its last paragraph: `_rows7a` to `_rows7b`, or `_blocks7a`. A mark in a table that is itself such a block is `_table7a`. */
function marked(xml: string, units: readonly Unit[]): string {
  const edits: Edit[] = [];
  const add = (unit: Unit, paragraph: Element, isFirst: boolean) => {
    const element = unit.elements.at(isFirst ? 0 : -1);
    const isAtTable = unit.kind === 'blocks' && element?.name === 'w:tbl';
    const letter = isFirst ? 'a' : 'b';
    const id = FIRST_BOOKMARK + 2 * unit.number + (isFirst ? 0 : 1);
    const name = `_${isAtTable ? 'table' : unit.kind}${unit.number}${letter}`;
    const mark = `<w:bookmarkStart w:id="${id}" w:name="${name}"/><w:bookmarkEnd w:id="${id}"/>`;
    edits.push(editAt(xml, paragraph, mark, isFirst));
  };
  for (const unit of units) {
    if (unit.first === undefined || unit.last === undefined) continue;
    add(unit, unit.first, true);
    add(unit, unit.last, false);
  }
  return applyEdits(xml, edits);
}

function editAt(xml: string, { openEnd, closeStart }: Element, mark: string, isFirst: boolean): Edit {
  const properties = PROPERTIES.exec(xml.slice(openEnd, closeStart))?.[0].length ?? 0;
  const at = isFirst ? openEnd + properties : closeStart;
  return { start: at, end: at, text: mark };
}
