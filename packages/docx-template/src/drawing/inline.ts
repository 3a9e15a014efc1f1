import type { PixelSize } from '@scriptorium/images/picture';
import { escapeXml } from '@scriptorium/ooxml/xml';
import type { Dialect } from '../template/dialect.ts';
import { emu } from './size.ts';

export interface InlineDrawing {
  /** The id of `wp:docPr`. */
  id: number;
  name: string;
  /** Alternative text. */
  description: string | undefined;
  size: PixelSize;
  /** How far it extends beyond its size, left and right, and above and below, in pixels. */
  overhang?: { across: number; down: number };
  /** Namespace of the graphic. */
  uri: string;
  graphic: string;
}

/** `w:drawing` of an inline drawing (ECMA-376-1 §20.4.2.8). */
export function inlineDrawing(drawing: InlineDrawing, dialect: Dialect): string {
  const { wp, a, pic, r } = dialect.namespaces;
  const { id, name, description, size, overhang = { across: 0, down: 0 }, uri, graphic } = drawing;
  const reach = (pixels: number) => (pixels > 0 ? emu(pixels) : 0);
  const [across, down] = [reach(overhang.across), reach(overhang.down)];
  const altText = description === undefined ? '' : ` descr="${escapeXml(description)}"`;
  const inline =
    `<wp:inline xmlns:wp="${wp}" xmlns:a="${a}" xmlns:pic="${pic}" xmlns:r="${r}"` +
    ' distT="0" distB="0" distL="0" distR="0">' +
    `<wp:extent cx="${emu(size.width)}" cy="${emu(size.height)}"/>` +
    `<wp:effectExtent l="${across}" t="${down}" r="${across}" b="${down}"/>` +
    `<wp:docPr id="${id}" name="${name} ${id}"${altText}/>` +
    '<wp:cNvGraphicFramePr><a:graphicFrameLocks noChangeAspect="1"/></wp:cNvGraphicFramePr>' +
    `<a:graphic><a:graphicData uri="${uri}">${graphic}</a:graphicData></a:graphic></wp:inline>`;
  return dialect.element('drawing', {}, inline);
}
