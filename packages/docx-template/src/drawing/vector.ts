import type { Picture } from '@scriptorium/images/picture';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { type Box, beforeTurning } from './box.ts';
import type { Frame, PlacedLabel } from './frame.ts';
import { labelText, POINTS_A_PIXEL } from './label-text.ts';
import type { DrawingPlace } from './place.ts';

const VML = 'urn:schemas-microsoft-com:vml';
const UNITS_A_PIXEL = 100;
/** LibreOffice takes the distance beside a group from its members. */
const NO_DISTANCE = 'mso-wrap-distance-left:0pt;mso-wrap-distance-right:0pt';
/** Distance of the control points of a quarter circle, as a share of the radius. */
const CONTROL = 0.5523;

/** A framed signature in VML (ECMA-376-4 §19.1), as run content. */
export function vectorSignature(frame: Frame, picture: Picture, to: DrawingPlace): string {
  const { story, description } = to;
  const { width, height } = frame.size;
  const altText = description === undefined ? '' : ` alt="${escapeXml(description)}"`;
  const arc = frame.arc === undefined ? '' : arcShape(frame.arc);
  const labels = frame.labels.map((label) => labelShape(label, to)).join('');
  const group =
    `<v:group xmlns:v="${VML}" style="width:${points(width)};height:${points(height)};` +
    'mso-position-horizontal-relative:char;mso-position-vertical-relative:line" ' +
    `coordorigin="0,0" coordsize="${units(width)},${units(height)}"${altText}>` +
    `${arc}${pictureShape(picture, frame.picture, to)}${labels}</v:group>`;
  return story.dialect.element('pict', {}, group);
}

function points(pixels: number): string {
  return `${Math.round(pixels * POINTS_A_PIXEL * 100) / 100}pt`;
}

function units(pixels: number): number {
  return Math.round(pixels * UNITS_A_PIXEL);
}

function position({ left, top, width, height }: Box, more = ''): string {
  const sides = `left:${units(left)};top:${units(top)};width:${units(width)};height:${units(height)}`;
  return `style="position:absolute;${sides};${NO_DISTANCE}${more}"`;
}

function arcShape({ box, radius, stroke, color }: NonNullable<Frame['arc']>): string {
  const [width, height, r] = [units(box.width), units(box.height), units(radius)];
  const near = Math.round(r * (1 - CONTROL));
  const path =
    `m${width},0l${r},0c${near},0,0,${near},0,${r}l0,${height - r}` +
    `c0,${height - near},${near},${height},${r},${height}l${width},${height}e`;
  return (
    `<v:shape ${position(box)} coordorigin="0,0" coordsize="${width},${height}" path="${path}" filled="f" ` +
    `strokecolor="${color}" strokeweight="${points(stroke)}"/>`
  );
}

function pictureShape(picture: Picture, seen: Box, { story, editor }: DrawingPlace): string {
  const { orientation } = picture;
  const mirror = orientation.isMirrored ? ';flip:x' : '';
  const turn = orientation.degrees === 0 ? '' : `;rotation:${orientation.degrees}`;
  const { r } = story.dialect.namespaces;
  return (
    `<v:shape ${position(beforeTurning(seen, orientation), mirror + turn)} filled="f" stroked="f">` +
    `<v:imagedata xmlns:r="${r}" r:id="${editor.addImage(story, picture.file)}"/></v:shape>`
  );
}

function labelShape(label: PlacedLabel, { story: { dialect } }: DrawingPlace): string {
  return (
    `<v:shape ${position(label.box, ';v-text-anchor:middle;mso-wrap-style:none')} filled="f" stroked="f">` +
    `<v:textbox inset="0,0,0,0">${labelText(label, dialect)}</v:textbox></v:shape>`
  );
}
