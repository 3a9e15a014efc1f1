import { Budget } from '@scriptorium/ooxml/bounds';
import { NAMESPACES, type OpenTag, scanXml } from '@scriptorium/ooxml/xml';
import { canonicalAttribute, compareCodePoints } from './c14n.ts';

export const RELATIONSHIP_TRANSFORM = 'http://schemas.openxmlformats.org/package/2006/RelationshipTransform';

/** The relationships that a signature covers: those with one of the ids, and those of one of the types. */
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
    // Attributes in a namespace are ignorable by markup compatibility.
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

/** Lists id and type of each relationship in a relationships part. `part` is its name, for the error. */
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
 * Applies the relationships transform (ECMA-376-2 §13.2.4.24): returns the covered relationships of a relationships part,
 * sorted by id and without anything else. The result is in canonical form, so the canonicalization that must follow it
 * changes nothing. Throws XmlError, or SignatureError DOCUMENT_TOO_COMPLEX.
 */
export function transformRelationships(xml: string, covered: CoveredRelationships, part: string): string {
  return writeRelationships('', readAll(xml, part).items, covered);
}

/**
 * Returns every output of the transform that signers produce. LibreOffice signs with xmlsec, which adds an element `text`
 * for each run of white space; LibreOffice itself writes them at the end. The relationships are the same.
 */
export function acceptedTransforms(xml: string, covered: CoveredRelationships, part: string): string[] {
  const { items, spaces } = readAll(xml, part);
  const strict = writeRelationships('', items, covered);
  // More runs than that would lie between comments, which no program writes there.
  return spaces === 0 || spaces > items.length + 1
    ? [strict]
    : [strict, writeRelationships('<text></text>'.repeat(spaces), items, covered)];
}
