import { AppError } from '@scriptorium/shared/errors';
import type { OoxmlPackage, Part, Relationship, Relationships } from '@scriptorium/shared/ooxml/package';

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature';
/** From the package to the part that leads to its signatures (ECMA-376-2 §13.2.2). */
export const ORIGIN_RELATIONSHIP = `${RELATIONSHIPS}/origin`;
const SIGNATURE_RELATIONSHIP = `${RELATIONSHIPS}/signature`;
const ORIGIN_TYPE = 'application/vnd.openxmlformats-package.digital-signature-origin';
const SIGNATURE_TYPE = 'application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml';
const FOLDER = '_xmlsignatures';

/** What a package says of its signatures. */
export interface SignatureParts {
  origin?: Part;
  /** In the order of their relationships: an older one first. Undefined where a relationship leads nowhere. */
  signatures: (Part | undefined)[];
}

function partOf({ parts }: OoxmlPackage, { part }: Relationship): Part | undefined {
  return part === undefined ? undefined : parts.get(part);
}

/** Finds the signatures of a package. Throws AppError INVALID_FILE_FORMAT where it has more than one origin of them. */
export function findSignatureParts(document: OoxmlPackage): SignatureParts {
  const origins = document.relationships.list.filter(({ type }) => type === ORIGIN_RELATIONSHIP);
  const [first] = origins;
  if (first === undefined) return { signatures: [] };
  const origin = partOf(document, first);
  if (origins.length > 1 || origin === undefined)
    throw new AppError(
      'INVALID_FILE_FORMAT',
      'The document is damaged: its signatures have no origin, or more than one.',
    );
  const leads = origin.relationships.list.filter(({ type }) => type === SIGNATURE_RELATIONSHIP);
  return { origin, signatures: leads.map((lead) => partOf(document, lead)) };
}

/** Adds a relationship under an id that is free. */
export function relate(relationships: Relationships, type: string, target: string, part: Part): void {
  const ids = new Set(relationships.list.map(({ id }) => id));
  let number = relationships.list.length + 1;
  while (ids.has(`rId${number}`)) number++;
  relationships.list.push({
    id: `rId${number}`,
    type,
    kind: type.slice(type.lastIndexOf('/') + 1),
    target,
    isExternal: false,
    part: part.key,
  });
  delete relationships.entry;
}

/** Adds a part, which nothing leads to yet. */
export function addPart(document: OoxmlPackage, name: string, contentType: string, bytes: Buffer): Part {
  const part: Part = {
    key: name.toLowerCase(),
    name,
    contentType,
    bytes,
    edits: [],
    relationships: { list: [] },
  };
  document.parts.set(part.key, part);
  return part;
}

/**
 * Adds an empty part for one more signature, and where it is the first the origin of signatures (ECMA-376-2 §13.2). What
 * earlier signatures cover stays as it is: the package leads to the origin already.
 */
export function addSignaturePart(document: OoxmlPackage, { origin: known }: SignatureParts): Part {
  const isTaken = (name: string) => document.parts.has(name) || document.archive.has(name);
  let origin = known;
  if (origin === undefined) {
    let name = `${FOLDER}/origin.sigs`;
    for (let number = 1; isTaken(name); number++) name = `${FOLDER}/origin${number}.sigs`;
    origin = addPart(document, name, ORIGIN_TYPE, Buffer.alloc(0));
    relate(document.relationships, ORIGIN_RELATIONSHIP, name, origin);
  }
  let number = 1;
  while (isTaken(`${FOLDER}/sig${number}.xml`)) number++;
  const name = `${FOLDER}/sig${number}.xml`;
  const signature = addPart(document, name, SIGNATURE_TYPE, Buffer.alloc(0));
  const isBeside = origin.key.slice(0, origin.key.lastIndexOf('/')) === FOLDER;
  relate(origin.relationships, SIGNATURE_RELATIONSHIP, isBeside ? `sig${number}.xml` : `/${name}`, signature);
  return signature;
}

/**
 * Keys of the parts that are of the document itself: what is reached without passing the origin of signatures, and what
 * nothing leads to. Whoever leads from a signature to a part of the text takes it out of no coverage by that.
 */
export function contentKeys(document: OoxmlPackage): Set<string> {
  const reach = (from: readonly Relationship[]) => {
    const reached = new Set<string>();
    const queue = [...from];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const part = partOf(document, next);
      if (part === undefined || reached.has(part.key)) continue;
      reached.add(part.key);
      queue.push(...part.relationships.list);
    }
    return reached;
  };
  const root = document.relationships.list;
  const content = reach(root.filter(({ type }) => type !== ORIGIN_RELATIONSHIP));
  const ofSignatures = reach(root.filter(({ type }) => type === ORIGIN_RELATIONSHIP));
  return new Set([...document.parts.keys()].filter((key) => content.has(key) || !ofSignatures.has(key)));
}
