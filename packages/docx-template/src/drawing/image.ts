import type { Orientation } from '@scriptorium/images/orientation';
import type { Picture } from '@scriptorium/images/picture';
import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';
import { type Box, beforeTurning, place } from './box.ts';

const SVG_EXTENSION = '{96DAC541-7B7A-43D3-8B79-37D633B846F1}';
const SVG_NAMESPACE = 'http://schemas.microsoft.com/office/drawing/2016/SVG/main';
const ANGLES_A_DEGREE = 60_000;

/** `a:blip` of a picture (ECMA-376-1 §20.1.8.13). Adds the image to the part of the story. */
export function blip(picture: Picture, story: Story, editor: PackageEditor): string {
  const id = editor.addImage(story, picture.file);
  if (picture.svg === undefined) return `<a:blip r:embed="${id}"/>`;
  const svg = editor.addImage(story, picture.svg);
  return (
    `<a:blip r:embed="${id}"><a:extLst><a:ext uri="${SVG_EXTENSION}">` +
    `<asvg:svgBlip xmlns:asvg="${SVG_NAMESPACE}" r:embed="${svg}"/></a:ext></a:extLst></a:blip>`
  );
}

/**
 * A picture element with this prefix: `pic:pic`, or `a:pic`. `box` is the visible box. The drawing turns the picture,
 * because LibreOffice and others ignore the orientation in the file.
 */
export function pictureElement(
  prefix: 'pic' | 'a',
  image: string,
  box: Box,
  orientation: Orientation,
  id: number,
): string {
  const turn = orientation.degrees === 0 ? '' : ` rot="${orientation.degrees * ANGLES_A_DEGREE}"`;
  const mirror = orientation.isMirrored ? ' flipH="1"' : '';
  return (
    `<${prefix}:pic><${prefix}:nvPicPr><${prefix}:cNvPr id="${id}" name="Picture ${id}"/><${prefix}:cNvPicPr>` +
    `<a:picLocks noChangeAspect="1"/></${prefix}:cNvPicPr></${prefix}:nvPicPr>` +
    `<${prefix}:blipFill>${image}<a:stretch><a:fillRect/></a:stretch></${prefix}:blipFill>` +
    `<${prefix}:spPr><a:xfrm${turn}${mirror}>${place(beforeTurning(box, orientation))}</a:xfrm>` +
    `<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></${prefix}:spPr></${prefix}:pic>`
  );
}
