import type { Budget } from '@scriptorium/ooxml/bounds';
import type { Dropped, Inspector, OoxmlPackage, Part } from '@scriptorium/ooxml/package';
import {
  type ElementSpan,
  escapeXml,
  NAMESPACES,
  type OpenTag,
  type XmlVisitor,
} from '@scriptorium/ooxml/xml';
import { type VmlPicture, vmlPictures, withoutVml } from './vml-pictures.ts';

/** An object without a picture in its frame. PowerPoint 2007 has the picture in a VML drawing, as the shape of this id. */
interface BareObject {
  part: Part;
  span: ElementSpan;
  shapeId: string;
  name: string;
  description: string;
  /** Left, top, width and height in English metric units, as they are written. */
  place: (string | undefined)[];
}

/** An open graphic frame. */
interface Frame {
  hasObject: boolean;
  shapeId: string;
  name: string;
  description: string;
  isPlace: boolean;
  place: (string | undefined)[];
  picture: ElementSpan | undefined;
}

/** The objects of a presentation. */
export interface SlideObjects {
  inspector: Inspector;
  /** Puts the pictures of VML drawings in their places, and removes these drawings. Called once the package is open. */
  finish(document: OoxmlPackage, budget: Budget): void;
}

/**
 * Replaces each embedded or linked object by the picture that the presentation has of it (ECMA-376-1 §19.3.2.4, and
 * ECMA-376-4 §14.1 for its drawing), and removes objects without one.
 */
export function slideObjects(): SlideObjects {
  const bare: BareObject[] = [];
  return {
    inspector: { visit: (part) => visitFrames(part, bare) },
    finish(document, budget) {
      const pictures = vmlPictures(document, budget);
      for (const object of bare) show(object, pictures.of(object.part, object.shapeId), document.dropped);
      withoutVml(document);
    },
  };
}

const emptyFrame = (): Frame => ({
  ...{ hasObject: false, isPlace: false, picture: undefined },
  ...{ shapeId: '', name: '', description: '', place: [] },
});

function visitFrames(part: Part, bare: BareObject[]): XmlVisitor {
  const frames: Frame[] = [];
  const inFrame = (read: (frame: Frame, tag: OpenTag) => void) => ({
    open(tag: OpenTag) {
      const frame = frames.at(-1);
      if (frame !== undefined) read(frame, tag);
    },
  });
  const keep = (frame: Frame, span: ElementSpan): void => {
    if (!frame.hasObject) return;
    if (frame.picture === undefined) {
      bare.push({ ...frame, part, span });
      return;
    }
    part.edits.push({ start: span.start, end: frame.picture.start, text: '' });
    part.edits.push({ start: frame.picture.end, end: span.end, text: '' });
  };
  return {
    'p:graphicFrame': {
      open: () => void frames.push(emptyFrame()),
      close: (span) => keep(frames.pop() ?? emptyFrame(), span),
    },
    'p:cNvPr': inFrame((frame, tag) => {
      if (frame.hasObject) return;
      frame.name = tag.attribute('name') ?? '';
      frame.description = tag.attribute('descr') ?? '';
    }),
    'p:xfrm': {
      ...inFrame((frame) => {
        frame.isPlace = true;
      }),
      close() {
        const frame = frames.at(-1);
        if (frame !== undefined) frame.isPlace = false;
      },
    },
    'a:off': inFrame((frame, tag) => {
      if (frame.isPlace) frame.place.push(tag.attribute('x'), tag.attribute('y'));
    }),
    'a:ext': inFrame((frame, tag) => {
      if (frame.isPlace) frame.place.push(tag.attribute('cx'), tag.attribute('cy'));
    }),
    'p:oleObj': inFrame((frame, tag) => {
      frame.hasObject = true;
      frame.shapeId ||= tag.attribute('spid') ?? '';
    }),
    'p:pic': {
      close(span) {
        const frame = frames.at(-1);
        if (frame?.hasObject === true) frame.picture = span;
      },
    },
  };
}

const PLACE = /^-?\d{1,12}$/;

/** Replaces the frame of an object by a picture. */
function show(
  { part, span, name, description, place }: BareObject,
  picture: VmlPicture | undefined,
  dropped: Dropped[],
): void {
  const [x, y, width, height] = place;
  if (picture === undefined || place.length !== 4 || !place.every((value) => PLACE.test(value ?? ''))) {
    part.edits.push({ start: span.start, end: span.end, text: '' });
    dropped.push({ what: 'OLE object', part: part.name, detail: 'it has no picture', leavesGap: true });
    return;
  }
  const text =
    `<p:pic xmlns:p="${NAMESPACES.p}" xmlns:a="${NAMESPACES.a}" xmlns:r="${NAMESPACES.r}"><p:nvPicPr>` +
    `<p:cNvPr id="0" name="${escapeXml(name)}" descr="${escapeXml(description)}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>` +
    `<p:blipFill><a:blip r:embed="${linkTo(picture, part)}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>` +
    `<p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>` +
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>';
  part.edits.push({ start: span.start, end: span.end, text });
}

/** Adds a relationship to the image of a drawing. Returns its id. */
function linkTo({ image, target }: VmlPicture, { relationships }: Part): string {
  const ids = new Set(relationships.list.map(({ id }) => id));
  let number = 1;
  while (ids.has(`rIdPicture${number}`)) number++;
  const id = `rIdPicture${number}`;
  relationships.list.push({ ...image, id, target });
  delete relationships.entry;
  return id;
}
