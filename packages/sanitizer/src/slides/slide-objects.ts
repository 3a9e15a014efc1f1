import type { Budget } from '@scriptorium/ooxml/bounds';
import {
  type Dropped,
  type Inspector,
  type OoxmlPackage,
  type Part,
  RelationshipIndex,
} from '@scriptorium/ooxml/package';
import {
  type ElementSpan,
  escapeXml,
  NAMESPACES,
  type OpenTag,
  type XmlVisitor,
} from '@scriptorium/ooxml/xml';
import { type Pictures, vmlPictures, withoutVml } from './vml-pictures.ts';

/** An open graphic frame. */
interface Frame {
  hasObject: boolean;
  /** PowerPoint 2007 has the picture of an object in a VML drawing, as the shape of this id. */
  shapeId: string;
  name: string;
  description: string;
  isPlace: boolean;
  /** Left, top, width and height in English metric units, as they are written. */
  place: (string | undefined)[];
  picture: ElementSpan | undefined;
}

/** An object without a picture in its frame. */
interface BareObject {
  frame: Frame;
  span: ElementSpan;
}

/** The objects of a presentation. */
export interface SlideObjects {
  inspector: Inspector;
  /** Puts the pictures of VML drawings in their places, and removes these drawings. Called once the package is open. */
  finish(document: OoxmlPackage, budget: Budget): void;
}

/**
 * Replaces each embedded or linked object by the picture that the presentation has of it (ECMA-376-1 §19.3.2.4, and
 * ECMA-376-4 §14.1 for its drawing). Removes objects without one.
 */
export function slideObjects(): SlideObjects {
  const bare = new Map<Part, BareObject[]>();
  return {
    inspector: { visit: (part) => visitFrames(part, bare) },
    finish(document, budget) {
      const picturesOf = vmlPictures(document, budget);
      for (const [part, objects] of bare) showAll(part, objects, picturesOf(part), document.dropped);
      withoutVml(document);
    },
  };
}

const emptyFrame = (): Frame => ({
  ...{ hasObject: false, isPlace: false, picture: undefined },
  ...{ shapeId: '', name: '', description: '', place: [] },
});

function visitFrames(part: Part, bareObjects: Map<Part, BareObject[]>): XmlVisitor {
  const frames: Frame[] = [];
  const bare: BareObject[] = [];
  bareObjects.set(part, bare);
  const inFrame = (read: (frame: Frame, tag: OpenTag) => void) => ({
    open(tag: OpenTag) {
      const frame = frames.at(-1);
      if (frame !== undefined) read(frame, tag);
    },
  });
  const keep = (frame: Frame, span: ElementSpan): void => {
    if (!frame.hasObject) return;
    if (frame.picture === undefined) {
      bare.push({ frame, span });
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

/** Replaces the frames of a part's objects by their pictures, and removes those without one. */
function showAll(part: Part, objects: readonly BareObject[], pictures: Pictures, dropped: Dropped[]): void {
  if (objects.length === 0) return;
  const links = new RelationshipIndex(part);
  for (const { frame, span } of objects) {
    const picture = pictures.get(frame.shapeId);
    const isPlaced = frame.place.length === 4 && frame.place.every((value) => PLACE.test(value ?? ''));
    const isShown = picture !== undefined && isPlaced;
    const text = isShown ? pictureOf(frame, links.idOf(picture)) : '';
    part.edits.push({ start: span.start, end: span.end, text });
    if (!isShown)
      dropped.push({ what: 'OLE object', part: part.name, detail: 'it has no picture', leavesGap: true });
  }
}

function pictureOf({ name, description, place: [x, y, width, height] }: Frame, imageId: string): string {
  return (
    `<p:pic xmlns:p="${NAMESPACES.p}" xmlns:a="${NAMESPACES.a}" xmlns:r="${NAMESPACES.r}"><p:nvPicPr>` +
    `<p:cNvPr id="0" name="${escapeXml(name)}" descr="${escapeXml(description)}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>` +
    `<p:blipFill><a:blip r:embed="${escapeXml(imageId)}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>` +
    `<p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>` +
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
  );
}
