import { escapeXml } from '@scriptorium/ooxml/xml';
import type { Dialect } from '../template/dialect.ts';
import { place } from './box.ts';
import type { Frame, PlacedLabel } from './frame.ts';
import { LABEL_FONT, labelText, POINTS_A_PIXEL } from './label-text.ts';
import { emu } from './size.ts';

const RIGHT_ANGLE = 5_400_000;
const NO_PAINT = '<a:noFill/><a:ln><a:noFill/></a:ln>';
const TEXT_BODY =
  'rot="0" vert="horz" wrap="none" lIns="0" tIns="0" rIns="0" bIns="0" anchor="ctr" anchorCtr="0"';

/** The shapes of a group, either in Word's vocabulary or in plain DrawingML. */
export interface Shapes {
  arc(arc: NonNullable<Frame['arc']>, id: number): string;
  label(label: PlacedLabel, id: number): string;
}

/** Shapes of Word (MS-ODRAWXML 2.24). */
export function wordShapes(dialect: Dialect): Shapes {
  const shape = (id: number, name: string, isText: boolean, properties: string, rest: string) =>
    `<wps:wsp><wps:cNvPr id="${id}" name="${name} ${id}"/><wps:cNvSpPr${isText ? ' txBox="1"' : ''}/>` +
    `<wps:spPr>${properties}</wps:spPr>${rest}</wps:wsp>`;
  return {
    arc: (arc, id) => shape(id, 'Arc', false, arcProperties(arc), '<wps:bodyPr/>'),
    label(label, id) {
      const body = `<wps:txbx>${labelText(label, dialect)}</wps:txbx><wps:bodyPr ${TEXT_BODY}><a:noAutofit/></wps:bodyPr>`;
      return shape(id, 'Label', true, labelProperties(label), body);
    },
  };
}

/** Shapes of a locked canvas (ECMA-376-1 §20.1.2.2.33, §20.3). */
export const canvasShapes: Shapes = {
  arc: (arc, id) =>
    `<a:sp><a:nvSpPr><a:cNvPr id="${id}" name="Arc ${id}"/><a:cNvSpPr/></a:nvSpPr>` +
    `<a:spPr>${arcProperties(arc)}</a:spPr></a:sp>`,
  label(label, id) {
    const size = Math.max(Math.round(label.fontPixels * POINTS_A_PIXEL * 100), 100);
    return (
      `<a:sp><a:nvSpPr><a:cNvPr id="${id}" name="Label ${id}"/><a:cNvSpPr txBox="1"/></a:nvSpPr>` +
      `<a:spPr>${labelProperties(label)}</a:spPr>` +
      `<a:txSp><a:txBody><a:bodyPr ${TEXT_BODY}><a:noAutofit/></a:bodyPr><a:lstStyle/>` +
      `<a:p><a:pPr algn="l"/><a:r><a:rPr sz="${size}"><a:solidFill>${color(label.color)}</a:solidFill>` +
      `<a:latin typeface="${LABEL_FONT}"/><a:cs typeface="${LABEL_FONT}"/></a:rPr><a:t>${escapeXml(label.text)}</a:t></a:r></a:p>` +
      '</a:txBody><a:useSpRect/></a:txSp></a:sp>'
    );
  },
};

function color(name: string): string {
  return `<a:srgbClr val="${name.slice(1).toUpperCase()}"/>`;
}

function arcProperties({ box, radius, stroke, color: name }: NonNullable<Frame['arc']>): string {
  const [width, height, r] = [emu(box.width), emu(box.height), emu(radius)];
  const line = (x: number, y: number) => `<a:lnTo><a:pt x="${x}" y="${y}"/></a:lnTo>`;
  const corner = (start: number) => `<a:arcTo wR="${r}" hR="${r}" stAng="${start}" swAng="-${RIGHT_ANGLE}"/>`;
  const path =
    `<a:moveTo><a:pt x="${width}" y="0"/></a:moveTo>${line(r, 0)}${corner(3 * RIGHT_ANGLE)}` +
    `${line(0, height - r)}${corner(2 * RIGHT_ANGLE)}${line(width, height)}`;
  return (
    `<a:xfrm>${place(box)}</a:xfrm><a:custGeom><a:avLst/><a:gdLst/><a:ahLst/><a:cxnLst/>` +
    `<a:rect l="0" t="0" r="r" b="b"/><a:pathLst><a:path w="${width}" h="${height}" fill="none">${path}</a:path>` +
    `</a:pathLst></a:custGeom><a:noFill/><a:ln w="${emu(stroke)}" cap="rnd">` +
    `<a:solidFill>${color(name)}</a:solidFill><a:round/></a:ln>`
  );
}

function labelProperties({ box }: PlacedLabel): string {
  return `<a:xfrm>${place(box)}</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>${NO_PAINT}`;
}
