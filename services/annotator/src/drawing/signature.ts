import type { Picture } from '../images/picture.ts';
import type { PixelSize } from '../images/refusal.ts';
import { GROUP, groupTransform, lockedCanvas, wordOr } from './canvas.ts';
import { type Decoration, type Frame, layOut } from './frame.ts';
import { blip, pictureElement } from './image.ts';
import { inlineDrawing } from './inline.ts';
import type { DrawingPlace } from './place.ts';
import { canvasShapes, type Shapes, wordShapes } from './shapes.ts';

const NAME = 'Signature';

/**
 * A signature in its frame; what a run holds. The labels are text.
 *
 * It is written twice, as a group of Word and as a locked canvas. LibreOffice gets the latter: of a group in a line with
 * something taller, it puts the text at the top of the line. In text boxes and notes Word has no text boxes, so there is
 * the canvas alone.
 */
export function framedSignature(
  picture: Picture,
  size: PixelSize,
  decoration: Decoration,
  to: DrawingPlace & { isWithoutTextBoxes: boolean },
): string {
  const frame = layOut(size, picture.size, decoration);
  const canvas = lockedCanvas(NAME, size, members(frame, picture, 'a', canvasShapes, to), to);
  return to.isWithoutTextBoxes ? canvas : wordOr(group(frame, picture, to), canvas);
}

function group(frame: Frame, picture: Picture, to: DrawingPlace): string {
  const { story, draft, description } = to;
  const id = draft.nextDrawingId();
  const graphic =
    `<wpg:wgp><wpg:cNvGrpSpPr/><wpg:grpSpPr>${groupTransform(frame.size)}</wpg:grpSpPr>` +
    `${members(frame, picture, 'pic', wordShapes(story.dialect), to)}</wpg:wgp>`;
  return inlineDrawing({ id, name: NAME, description, size: frame.size, uri: GROUP, graphic }, story.dialect);
}

function members(
  { arc, labels, picture: box }: Frame,
  picture: Picture,
  prefix: 'pic' | 'a',
  shapes: Shapes,
  { story, draft }: DrawingPlace,
): string {
  const image = blip(picture, story, draft);
  const shown = pictureElement(prefix, image, box, picture.orientation, draft.nextDrawingId());
  const drawn = arc === undefined ? '' : shapes.arc(arc, draft.nextDrawingId());
  return drawn + shown + labels.map((label) => shapes.label(label, draft.nextDrawingId())).join('');
}
