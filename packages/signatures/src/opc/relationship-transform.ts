import { Budget } from '@scriptorium/ooxml/bounds';
import { NAMESPACES, type OpenTag, scanXml } from '@scriptorium/ooxml/xml';
import { canonicalAttribute, compareCodePoints } from './c14n.ts';

export const RELATIONSHIP_TRANSFORM = 'http://schemas.openxmlformats.org/package/2006/RelationshipTransform';

/** Which relationships a signature covers: those with one of the ids, and those of one of the types. */
export interface CoveredRelationships {
  ids: ReadonlySet<string>;
  types: ReadonlySet<string>;
}

interface Written {
  id: string;
  type: string;
  attributes: Map<string, string>;
}

interface ReadRelationships {
  items: Written[];
  /** Runs of white space between them. */
  spaces: number;
}

function readAll(xml: string, part: string): ReadRelationships {
  const found: ReadRelationships = { items: [], spaces: 0 };
  const open = (tag: OpenTag) => {
    // In a namespace there is only what markup compatibility lets a reader ignore.
    const own = tag.attributes.filter(({ name }) => !/[:{]|^xmlns$/.test(name));
    const attributes = new Map(own.map(({ name, value }) => [name, value]));
    if (!attributes.has('TargetMode')) attributes.set('TargetMode', 'Internal');
    found.items.push({ id: attributes.get('Id') ?? '', type: attributes.get('Type') ?? '', attributes });
  };
  const text = () => found.spaces++;
  scanXml(xml, [{ 'rel:Relationship': { open }, 'rel:Relationships': { text } }], {
    budget: new Budget(),
    part,
  });
  return found;
}

/** Id and type of each relationship in the text of a relationships part. `part` is its name, for a refusal. */
export function listRelationships(xml: string, part: string): { id: string; type: string }[] {
  return readAll(xml, part).items.map(({ id, type }) => ({ id, type }));
}

function writeRelationships(
  before: string,
  items: readonly Written[],
  covered: CoveredRelationships,
): string {
  const written = items
    .filter(({ id, type }) => covered.ids.has(id) || covered.types.has(type))
    .sort((a, b) => compareCodePoints(a.id, b.id))
    .map(({ attributes }) => {
      const sorted = [...attributes].sort(([a], [b]) => compareCodePoints(a, b));
      return `<Relationship${sorted.map(([name, value]) => canonicalAttribute(name, value)).join('')}></Relationship>`;
    });
  return `<Relationships xmlns="${NAMESPACES.rel}">${before}${written.join('')}</Relationships>`;
}

/**
 * The relationships transform (ECMA-376-2 §13.2.4.24): the covered relationships of a relationships part, sorted by id
 * and without anything beside them. The result is in canonical form, so the canonicalisation that must follow it
 * changes nothing. Throws XmlError, or SignatureError DOCUMENT_TOO_COMPLEX.
 */
export function transformRelationships(xml: string, covered: CoveredRelationships, part: string): string {
  return writeRelationships('', readAll(xml, part).items, covered);
}

/**
 * All that signers take for the outcome of the transform. xmlsec, by which LibreOffice signs, makes an element `text` of
 * each run of white space, which LibreOffice itself writes at the end; it says the same of the relationships.
 */
export function acceptedTransforms(xml: string, covered: CoveredRelationships, part: string): string[] {
  const { items, spaces } = readAll(xml, part);
  const strict = writeRelationships('', items, covered);
  // A run more than that lies between comments, which nobody writes there.
  return spaces === 0 || spaces > items.length + 1
    ? [strict]
    : [strict, writeRelationships('<text></text>'.repeat(spaces), items, covered)];
}
