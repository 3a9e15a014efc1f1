import { z } from 'zod';
import type { FieldPicture } from '../drawing/image-cache.ts';
import { type Block, inlinesOf, isOneLine } from '../html/blocks.ts';
import { Properties } from '../html/properties.ts';
import { HtmlRefusal, readHtml } from '../html/read-html.ts';
import { type BlockPlace, writeBlocks } from '../html/write-blocks.ts';
import { writeLines } from '../html/write-runs.ts';
import { roomAt } from '../template/container.ts';
import { EMU_PER_TWIP } from '../template/measures.ts';
import { valueText } from '../xml-text.ts';
import {
  canDivide,
  invalidValue,
  type RenderContext,
  type Replacement,
  type ValueSpot,
  valueKind,
} from './value-kind.ts';

/** Approximate characters of a run or paragraph without its style and text. */
const PIECE_CHARS = 200;
/** Paragraph properties of the mark that cells of new tables have too. */
const IN_CELLS = ['pStyle', 'bidi', 'spacing'];

/** `{"$html": "…"}`. */
export const htmlKind = valueKind({
  key: '$html',
  requested: z.string('must be a text').pipe(valueText),
  render: (html, spot, context, path) => renderHtml(html, spot, context, path),
});

/** Writes HTML: in the line if it is one line or blocks cannot stand there, else as paragraphs and tables. */
export function renderHtml(
  html: string,
  spot: ValueSpot,
  context: RenderContext,
  path: string,
): Replacement | undefined {
  try {
    const blocks = readHtml(html);
    const pictures = picturesOf(blocks, context, path);
    if (pictures === undefined) return undefined;
    const { editor } = context;
    const pieces = inlinesOf(blocks).length + blocks.length;
    editor.reserve(2 * html.length + pieces * (spot.style.length + spot.paragraph.length + PIECE_CHARS));
    const place = placeOf(spot, context, pictures, path);
    if (isOneLine(blocks) || !canDivide(spot)) return { runs: writeLines(blocks, place) };
    return { blocks: writeBlocks(blocks, place) };
  } catch (error) {
    if (error instanceof HtmlRefusal) throw invalidValue(path, error.message);
    throw error;
  }
}

/** Undefined if a picture is not read yet. Asks for all of them. */
function picturesOf(
  blocks: readonly Block[],
  { resources }: RenderContext,
  path: string,
): Map<string, FieldPicture> | undefined {
  const pictures = new Map<string, FieldPicture>();
  let isWhole = true;
  for (const inline of inlinesOf(blocks)) {
    if (inline.type !== 'picture') continue;
    const picture = resources.imageOf(inline.uri, path);
    if (picture === undefined) isWhole = false;
    else pictures.set(inline.uri, picture);
  }
  return isWhole ? pictures : undefined;
}

function placeOf(
  spot: ValueSpot,
  { editor }: RenderContext,
  pictures: ReadonlyMap<string, FieldPicture>,
  path: string,
): BlockPlace {
  const { story, text, style, paragraph, isInLink } = spot;
  const { dialect } = story;
  const room = roomAt(text, story, editor.template);
  return {
    story,
    editor,
    style,
    isInLink,
    pictures,
    widthTwips: Math.floor(room.widthEmu / EMU_PER_TWIP),
    heightEmu: room.heightEmu,
    path,
    cellProperties: new Properties('pPr', paragraph, dialect).with({}, IN_CELLS),
    paragraph: (runs, change) => dialect.element('p', {}, change(paragraph) + runs),
  };
}
