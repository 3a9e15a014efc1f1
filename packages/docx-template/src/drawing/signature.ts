import type { Picture, PixelSize } from '@scriptorium/images/picture';
import { type Decoration, type Frame, layOut } from './frame.ts';
import { lockedCanvas, wordGroup, wordOr } from './group.ts';
import { blip, pictureElement } from './image.ts';
import type { DrawingPlace } from './place.ts';
import { canvasShapes, type Shapes, wordShapes } from './shapes.ts';
import { vectorSignature } from './vector.ts';

const NAME = 'Signature';

/**
 * A signature in its frame, as run content. The labels are text.
 *
 * Word gets a group. In text boxes and notes it supports no text boxes, and gets a locked canvas. LibreOffice gets VML.
 * In a line with taller content, it would put the texts of a group at the top. It drops a locked canvas when it saves
 * the document.
 */
export function framedSignature(
  picture: Picture,
  size: PixelSize,
  decoration: Decoration,
  to: DrawingPlace & { isWithoutTextBoxes: boolean },
): string {
  const frame = layOut(size, picture.size, decoration);
  const word = to.isWithoutTextBoxes
    ? lockedCanvas(NAME, size, members(frame, picture, 'a', canvasShapes, to), to)
    : wordGroup(NAME, size, members(frame, picture, 'pic', wordShapes(to.story.dialect), to), to);
  return wordOr(word, vectorSignature(frame, picture, to));
}

function members(
  { arc, labels, picture: box }: Frame,
  picture: Picture,
  prefix: 'pic' | 'a',
  shapes: Shapes,
  { story, editor }: DrawingPlace,
): string {
  const image = blip(picture, story, editor);
  const shown = pictureElement(prefix, image, box, picture.orientation, editor.nextDrawingId());
  const drawn = arc === undefined ? '' : shapes.arc(arc, editor.nextDrawingId());
  return drawn + shown + labels.map((label) => shapes.label(label, editor.nextDrawingId())).join('');
}
