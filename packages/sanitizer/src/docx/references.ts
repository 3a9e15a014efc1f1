import type { DropKind, Dropped, Inspector, Part, Relationship } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** Elements that only give the target of a click. */
export const LINKS: ReadonlySet<string> = new Set([
  'w:hyperlink',
  'x:hyperlink',
  'a:hlinkClick',
  'a:hlinkHover',
  'a:hlinkMouseOver',
]);

/** Parts are inspected by relationship type, so these elements must not reach a part of another type. */
const KINDS: Readonly<Record<string, readonly [kind: string, what: DropKind]>> = {
  'w:altChunk': ['aFChunk', 'alternative content'],
  'w:embedRegular': ['font', 'embedded font'],
  'w:embedBold': ['font', 'embedded font'],
  'w:embedItalic': ['font', 'embedded font'],
  'w:embedBoldItalic': ['font', 'embedded font'],
};

function misuseOf({ name }: OpenTag, { isExternal, kind }: Relationship): DropKind | undefined {
  if (isExternal) return LINKS.has(name) ? undefined : 'external relationship';
  const wanted = KINDS[name];
  return wanted === undefined || wanted[0] === kind ? undefined : wanted[1];
}

function visitReferences(part: Part, dropped: Dropped[]): XmlVisitor {
  const byId = new Map(part.relationships.list.map((relationship) => [relationship.id, relationship]));
  if (byId.size === 0) return {};
  const open = (tag: OpenTag) => {
    for (const { name, value, start, end } of tag.attributes) {
      if (!name.startsWith('r:') && name !== 'o:relid') continue;
      const relationship = byId.get(value);
      const what = relationship && misuseOf(tag, relationship);
      if (relationship === undefined || what === undefined) continue;
      part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
      dropped.push({ what, part: part.name, detail: relationship.target });
    }
  };
  return { '*': { open } };
}

/**
 * Removes references to a relationship of the wrong type for the element. LibreOffice uses the id alone, and would load
 * a hyperlink's address as a picture, or any part as alternative content.
 */
export function references(): Inspector {
  return { visit: visitReferences };
}
