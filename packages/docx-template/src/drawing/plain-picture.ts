import { isOnItsSide } from '@scriptorium/images/orientation';
import type { Picture, PixelSize } from '@scriptorium/images/picture';
import { beforeTurning } from './box.ts';
import { wordGroup, wordOr } from './group.ts';
import { blip, pictureElement } from './image.ts';
import { inlineDrawing } from './inline.ts';
import type { DrawingPlace } from './place.ts';

const NAME = 'Picture';

/** An inline picture of this size, as run content. */
export function plainPicture(picture: Picture, size: PixelSize, to: DrawingPlace): string {
  const { orientation } = picture;
  const drawing = wordPicture(picture, size, to);
  if (!isOnItsSide(orientation)) return drawing;
  // LibreOffice reserves the unturned size for a turned picture, unless it is in a group.
  const image = blip(picture, to.story, to.editor);
  const box = { left: 0, top: 0, ...size };
  const member = pictureElement('pic', image, box, orientation, to.editor.nextDrawingId());
  return wordOr(drawing, wordGroup(NAME, size, member, to));
}

function wordPicture(
  picture: Picture,
  size: PixelSize,
  { story, editor, description }: DrawingPlace,
): string {
  const id = editor.nextDrawingId();
  // As in Word: the extent is the unturned size, and the overhang is an effect.
  const stored = beforeTurning({ left: 0, top: 0, ...size }, picture.orientation);
  const seen = { left: -stored.left, top: -stored.top, ...size };
  const drawing = {
    id,
    name: NAME,
    description,
    size: stored,
    overhang: { across: stored.left, down: stored.top },
    uri: story.dialect.namespaces.pic,
    graphic: pictureElement('pic', blip(picture, story, editor), seen, picture.orientation, id),
  };
  return inlineDrawing(drawing, story.dialect);
}
