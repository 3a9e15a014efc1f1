import { NAMESPACES } from '@scriptorium/ooxml/xml';

/** A picture that keeps a place on the page and leads to an address. */
export interface FieldPicture {
  /** In points. */
  width: number;
  height: number;
  imageId: string;
  linkId: string;
  drawingId: number;
  /** The `w:rPr` of the text in its place, which may be hidden; or empty. */
  style: string;
}

const EMU_IN_POINT = 12_700;
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
/** One transparent pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen63NgAAAAASUVORK5CYII=',
  'base64',
);

/** The run of an inline picture. It declares its own prefixes. */
export function fieldRun({ width, height, imageId, linkId, drawingId, style }: FieldPicture): string {
  const size = `cx="${Math.round(width * EMU_IN_POINT)}" cy="${Math.round(height * EMU_IN_POINT)}"`;
  const names = `id="${drawingId}" name="Field ${drawingId}"`;
  const shape =
    `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm>` +
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>';
  const picture =
    `<pic:pic><pic:nvPicPr><pic:cNvPr ${names}/><pic:cNvPicPr/></pic:nvPicPr>` +
    `<pic:blipFill><a:blip r:embed="${imageId}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>${shape}</pic:pic>`;
  return (
    `<w:r xmlns:w="${NAMESPACES.w}" xmlns:r="${NAMESPACES.r}" xmlns:wp="${DRAWING}/wordprocessingDrawing" ` +
    `xmlns:a="${DRAWING}/main" xmlns:pic="${DRAWING}/picture">${style}<w:drawing>` +
    `<wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent ${size}/>` +
    `<wp:docPr ${names}><a:hlinkClick r:id="${linkId}"/></wp:docPr><wp:cNvGraphicFramePr/>` +
    `<a:graphic><a:graphicData uri="${DRAWING}/picture">${picture}</a:graphicData></a:graphic>` +
    '</wp:inline></w:drawing></w:r>'
  );
}
