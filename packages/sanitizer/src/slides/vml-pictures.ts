import type { Budget } from '@scriptorium/ooxml/bounds';
import type { OoxmlPackage, Part, Relationship } from '@scriptorium/ooxml/package';
import { scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';

export const VML_DRAWING = 'vmlDrawing';

/** The relationship from a drawing to its image, and a target by which each part reaches this image. */
export interface VmlPicture {
  image: Relationship;
  target: string;
}

type Pictures = ReadonlyMap<string, VmlPicture>;

/** Finds the pictures of shapes in VML drawings (ECMA-376-4 §14.1), by the part that shows the drawing and the id of the shape. */
export function vmlPictures(
  { parts }: OoxmlPackage,
  budget: Budget,
): { of(part: Part, shapeId: string): VmlPicture | undefined } {
  const read = new Map<string, Pictures>();
  const picturesOf = (key: string): Pictures => {
    const known = read.get(key);
    if (known !== undefined) return known;
    const pictures = readDrawing(parts, parts.get(key), budget);
    read.set(key, pictures);
    return pictures;
  };
  return {
    of({ relationships }, shapeId) {
      for (const { kind, part } of relationships.list) {
        const picture =
          kind === VML_DRAWING && part !== undefined ? picturesOf(part).get(shapeId) : undefined;
        if (picture !== undefined) return picture;
      }
      return undefined;
    },
  };
}

function readDrawing(parts: OoxmlPackage['parts'], drawing: Part | undefined, budget: Budget): Pictures {
  const pictures = new Map<string, VmlPicture>();
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
        for (const id of ids) if (id !== undefined) pictures.set(id, { image, target: `/${part.name}` });
      },
    },
  };
  scanXml(drawing.xml, [visitor], { budget, part: drawing.name });
  return pictures;
}

/** Removes the VML drawings of a package, and what only they lead to. */
export function withoutVml({ parts, relationships }: OoxmlPackage): void {
  let isChanged = false;
  for (const own of [relationships, ...[...parts.values()].map((part) => part.relationships)]) {
    const kept = own.list.filter(({ kind }) => kind !== VML_DRAWING);
    if (kept.length === own.list.length) continue;
    own.list = kept;
    delete own.entry;
    isChanged = true;
  }
  if (!isChanged) return;
  const reached = new Set<string>();
  const queue = [...relationships.list];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const part = next.part === undefined || reached.has(next.part) ? undefined : parts.get(next.part);
    if (part === undefined) continue;
    reached.add(part.key);
    queue.push(...part.relationships.list);
  }
  for (const key of [...parts.keys()]) if (!reached.has(key)) parts.delete(key);
}
