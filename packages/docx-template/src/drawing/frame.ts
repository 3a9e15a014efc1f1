import type { PixelSize } from '@scriptorium/images/picture';
import type { Box } from './box.ts';
import type { Proportions } from './size.ts';

/** What is drawn around a signature; colours as `#rrggbb`. */
export interface Decoration {
  arc?: { colour: string };
  top?: Label;
  bottom?: Label;
}

export interface Label {
  text: string;
  colour: string;
}

export interface PlacedLabel extends Label {
  box: Box;
  /** Of the letters, pixels. */
  fontPixels: number;
}

/** Where everything of a framed signature stands. */
export interface Frame {
  size: PixelSize;
  picture: Box;
  arc?: { box: Box; radius: number; stroke: number; colour: string };
  labels: readonly PlacedLabel[];
}

/** What the parts take at their full size, in pixels. */
const ARC = { width: 16, arm: 12, radius: 8, stroke: 1.5 };
const LABEL = { height: 14, font: 10 };
/** Of the size of the letters: what a letter takes of a line at most, in the mean. */
const LETTER_WIDTH = 0.62;
/** What the decoration may take of each side. */
const SHARE_MAX = 0.5;

interface Insets {
  left: number;
  top: number;
  bottom: number;
}

function insetsOf({ arc, top, bottom }: Decoration): Insets {
  return {
    left: arc === undefined ? 0 : ARC.width,
    top: top === undefined ? 0 : LABEL.height,
    bottom: bottom === undefined ? 0 : LABEL.height,
  };
}

/** Of the whole around a picture, which keeps its ratio. */
export function frameProportions(picture: PixelSize, decoration: Decoration): Proportions {
  const { left, top, bottom } = insetsOf(decoration);
  const across = top + bottom;
  const ratio = picture.width / picture.height;
  const letters = Math.max(decoration.top?.text.length ?? 0, decoration.bottom?.text.length ?? 0);
  return {
    natural: {
      width: left + Math.max(picture.width, letters * LETTER_WIDTH * LABEL.font),
      height: across + picture.height,
    },
    heightFor(width) {
      const inner = (width - Math.min(left, width * SHARE_MAX)) / ratio;
      return inner + Math.min(across, inner);
    },
    widthFor(height) {
      const inner = (height - Math.min(across, height * SHARE_MAX)) * ratio;
      return inner + Math.min(left, inner);
    },
  };
}

/**
 * Fills a frame of that size. The picture keeps its ratio and stands at the arc; arc and labels keep their size, and
 * become smaller only where they would take more than half of a side, or where the text is longer than its line.
 */
export function layOut(size: PixelSize, picture: PixelSize, decoration: Decoration): Frame {
  const full = insetsOf(decoration);
  const scale = Math.min(
    1,
    (size.height * SHARE_MAX) / (full.top + full.bottom),
    (size.width * SHARE_MAX) / full.left,
  );
  const insets = { left: full.left * scale, top: full.top * scale, bottom: full.bottom * scale };
  const label = (given: Label, top: number): PlacedLabel => ({
    ...given,
    box: { left: insets.left, top, width: size.width - insets.left, height: LABEL.height * scale },
    fontPixels: Math.min(
      LABEL.font * scale,
      (size.width - insets.left) / (LETTER_WIDTH * Math.max(given.text.length, 1)),
    ),
  });
  const { arc, top, bottom } = decoration;
  return {
    size,
    picture: pictureBox(size, insets, picture),
    ...(arc === undefined ? {} : { arc: { ...arcBox(size, insets, scale), colour: arc.colour } }),
    labels: [
      ...(top === undefined ? [] : [label(top, 0)]),
      ...(bottom === undefined ? [] : [label(bottom, size.height - insets.bottom)]),
    ],
  };
}

function pictureBox(size: PixelSize, { left, top, bottom }: Insets, picture: PixelSize): Box {
  const room = { width: size.width - left, height: size.height - top - bottom };
  const scale = Math.min(room.width / picture.width, room.height / picture.height);
  const height = picture.height * scale;
  return { left, top: top + (room.height - height) / 2, width: picture.width * scale, height };
}

/** From the middle of the upper label to that of the lower; without them, from edge to edge. */
function arcBox(size: PixelSize, { top, bottom }: Insets, scale: number) {
  const stroke = ARC.stroke * scale;
  const start = Math.max(top / 2, stroke / 2);
  const end = size.height - Math.max(bottom / 2, stroke / 2);
  const box = { left: stroke / 2, top: start, width: ARC.arm * scale, height: end - start };
  return { box, stroke, radius: Math.min(ARC.radius * scale, box.height / 2) };
}
