import type { Budget } from '@scriptorium/ooxml/bounds';
import {
  type OoxmlPackage,
  type Part,
  type Relationship,
  removeUnreachable,
} from '@scriptorium/ooxml/package';
import { scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';

export const VML_DRAWING = 'vmlDrawing';

/** The images of shapes, by the ids of the shapes. */
export type Pictures = ReadonlyMap<string, Omit<Relationship, 'id'>>;

/** Returns what reads the pictures in the VML drawings of a part (ECMA-376-4 §14.1). Reads each drawing once. */
export function vmlPictures({ parts }: OoxmlPackage, budget: Budget): (source: Part) => Pictures {
  const known = new Map<string, Pictures>();
  const picturesOf = (key: string): Pictures => {
    const pictures = known.get(key) ?? readDrawing(parts, parts.get(key), budget);
    known.set(key, pictures);
    return pictures;
  };
  return ({ relationships }) => {
    const drawings = relationships.list.filter(({ kind }) => kind === VML_DRAWING);
    return new Map(drawings.flatMap(({ part }) => (part === undefined ? [] : [...picturesOf(part)])));
  };
}

function readDrawing(parts: OoxmlPackage['parts'], drawing: Part | undefined, budget: Budget): Pictures {
  const pictures = new Map<string, Omit<Relationship, 'id'>>();
  if (drawing?.xml === undefined) return pictures;
  const images = new Map(drawing.relationships.list.map((relationship) => [relationship.id, relationship]));
  let ids: (string | undefined)[] = [];
  const visitor: XmlVisitor = {
    'v:shape': {
      open(tag) {
        ids = [tag.attribute('id'), tag.attribute('o:spid')];
      },
      close() {
        ids = [];
      },
    },
    'v:imagedata': {
      open(tag) {
        const image = images.get(tag.attribute('o:relid') ?? '');
        const part = image?.kind === 'image' && image.part !== undefined ? parts.get(image.part) : undefined;
        if (image === undefined || part === undefined) return;
        const { id: _ofDrawing, ...link } = image;
        for (const id of ids) if (id !== undefined) pictures.set(id, { ...link, target: `/${part.name}` });
      },
    },
  };
  scanXml(drawing.xml, [visitor], { budget, part: drawing.name });
  return pictures;
}

/** Removes the VML drawings of a package, and what only they lead to. */
export function withoutVml(document: OoxmlPackage): void {
  for (const own of [
    document.relationships,
    ...[...document.parts.values()].map((part) => part.relationships),
  ]) {
    const kept = own.list.filter(({ kind }) => kind !== VML_DRAWING);
    if (kept.length === own.list.length) continue;
    own.list = kept;
    delete own.entry;
  }
  removeUnreachable(document);
}
