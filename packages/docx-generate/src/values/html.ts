import { valueText } from '@scriptorium/docx-template/fields';
import type { FieldPicture } from '@scriptorium/docx-template/pictures';
import { HtmlContent, HtmlRefusal } from '@scriptorium/docx-template/text';
import { z } from 'zod';
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
    const content = new HtmlContent(html, { hasPictures: true });
    const pictures = picturesOf(content, context, path);
    if (pictures === undefined) return undefined;
    const { editor } = context;
    for (const loss of content.lost) editor.lost.add(loss);
    const { story, text: node, style, paragraph, isInLink } = spot;
    editor.reserve(2 * html.length + content.pieces * (style.length + paragraph.length + PIECE_CHARS));
    const place = { story, editor, node, style, isInLink, pictures, path };
    if (content.isOneLine || !canDivide(spot)) return { runs: content.runs(place) };
    const write = (runs: string, change: (properties: string) => string) =>
      story.dialect.element('p', {}, change(paragraph) + runs);
    return { blocks: content.blocks(place, write, paragraph) };
  } catch (error) {
    if (error instanceof HtmlRefusal) throw invalidValue(path, error.message);
    throw error;
  }
}

/** Undefined if a picture is not read yet. Asks for all of them. */
function picturesOf(
  content: HtmlContent,
  { resources }: RenderContext,
  path: string,
): Map<string, FieldPicture> | undefined {
  const pictures = new Map<string, FieldPicture>();
  let isWhole = true;
  for (const uri of content.pictures) {
    const picture = resources.imageOf(uri, path);
    if (picture === undefined) isWhole = false;
    else pictures.set(uri, picture);
  }
  return isWhole ? pictures : undefined;
}
