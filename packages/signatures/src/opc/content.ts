import type { OoxmlPackage, Relationship } from '@scriptorium/ooxml/package';
import { ORIGIN_RELATIONSHIP, partOf } from './signature-parts.ts';

/** Returns the keys of the targets of these relationships and of all parts reachable from them, as far as they are followed. */
export function reach(
  document: OoxmlPackage,
  from: readonly Relationship[],
  isFollowed: (relationship: Relationship) => boolean = () => true,
): Set<string> {
  const reached = new Set<string>();
  const queue = from.filter(isFollowed);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const part = partOf(document, next);
    if (part === undefined || reached.has(part.key)) continue;
    reached.add(part.key);
    for (const relationship of part.relationships.list)
      if (isFollowed(relationship)) queue.push(relationship);
  }
  return reached;
}

/**
 * Returns the keys of the parts of the document itself: those reachable without the origin of signatures, and those that
 * nothing refers to. A relationship from a signature to a part of the text does not remove that part from the coverage.
 */
export function contentKeys(document: OoxmlPackage): Set<string> {
  const root = document.relationships.list;
  const isOrigin = ({ type }: Relationship) => type === ORIGIN_RELATIONSHIP;
  const content = reach(
    document,
    root.filter((relationship) => !isOrigin(relationship)),
  );
  const ofSignatures = reach(document, root.filter(isOrigin));
  return new Set([...document.parts.keys()].filter((key) => content.has(key) || !ofSignatures.has(key)));
}
