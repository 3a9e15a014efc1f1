import type { PixelSize } from '@scriptorium/images/picture';
import type { Box } from './box.ts';
import type { Proportions } from './size.ts';

/** Decoration around a signature. Colors are `#rrggbb`. */
export interface Decoration {
  arc?: { color: string };
  top?: Label;
  bottom?: Label;
}

interface Label {
  text: string;
  color: string;
}

export interface PlacedLabel extends Label {
  box: Box;
  /** Font size in pixels. */
  fontPixels: number;
}

/** The layout of a framed signature. */
export interface Frame {
  size: PixelSize;
  picture: Box;
  arc?: { box: Box; radius: number; stroke: number; color: string };
  labels: readonly PlacedLabel[];
}

/** Full sizes of the parts, in pixels. */
const ARC = { width: 16, arm: 12, radius: 8, stroke: 1.5 };
const LABEL = { height: 14, font: 10 };
/** Upper bound of the mean width of a letter, as a share of the font size. */
const LETTER_WIDTH = 0.62;
/** Maximum share of each side for the decoration. */
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

/** Proportions of the whole frame around a picture, which keeps its ratio. */
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
 * Lays out a frame of this size. The picture keeps its ratio and is next to the arc. Arc and labels keep their size,
 * unless they would take more than half of a side, or the text is longer than its line.
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
    ...(arc === undefined ? {} : { arc: { ...arcBox(size, insets, scale), color: arc.color } }),
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

/** From the middle of the upper label to the middle of the lower one. Without labels, from edge to edge. */
function arcBox(size: PixelSize, { top, bottom }: Insets, scale: number) {
  const stroke = ARC.stroke * scale;
  const start = Math.max(top / 2, stroke / 2);
  const end = size.height - Math.max(bottom / 2, stroke / 2);
  const box = { left: stroke / 2, top: start, width: ARC.arm * scale, height: end - start };
  return { box, stroke, radius: Math.min(ARC.radius * scale, box.height / 2) };
}
