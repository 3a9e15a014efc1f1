import { isOnItsSide } from '../images/exif.ts';
import type { Picture } from '../images/picture.ts';
import type { PixelSize } from '../images/refusal.ts';
import { lockedCanvas, wordOr } from './canvas.ts';
import { beforeTurning, blip, pictureElement } from './image.ts';
import { inlineDrawing } from './inline.ts';
import type { DrawingPlace } from './place.ts';

const NAME = 'Picture';

/** A picture of that size in the text; what a run holds. */
export function plainPicture(picture: Picture, size: PixelSize, to: DrawingPlace): string {
  const { orientation } = picture;
  const drawing = wordPicture(picture, size, to);
  if (!isOnItsSide(orientation)) return drawing;
  // LibreOffice gives a turned picture the room that it would take before.
  const image = blip(picture, to.story, to.draft);
  const box = { left: 0, top: 0, ...size };
  const member = pictureElement('a', image, box, orientation, to.draft.nextDrawingId());
  return wordOr(drawing, lockedCanvas(NAME, size, member, to));
}

function wordPicture(picture: Picture, size: PixelSize, { story, draft, description }: DrawingPlace): string {
  const id = draft.nextDrawingId();
  // As Word has it: the extent is that before it is turned, and what reaches beyond is an effect.
  const stored = beforeTurning(size, picture.orientation);
  const left = (stored.width - size.width) / 2;
  const top = (stored.height - size.height) / 2;
  const image = blip(picture, story, draft);
  const drawing = {
    id,
    name: NAME,
    description,
    size: stored,
    overhang: { across: -left, down: -top },
    uri: story.dialect.namespaces.pic,
    graphic: pictureElement('pic', image, { left, top, ...size }, picture.orientation, id),
  };
  return inlineDrawing(drawing, story.dialect);
}
