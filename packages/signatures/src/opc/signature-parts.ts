import type { OoxmlPackage, Part, Relationship, Relationships } from '@scriptorium/ooxml/package';
import { SignatureError } from '../signature-error.ts';

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature';
/** From the package to the part that leads to its signatures (ECMA-376-2 §13.2.2). */
export const ORIGIN_RELATIONSHIP = `${RELATIONSHIPS}/origin`;
export const SIGNATURE_RELATIONSHIP = `${RELATIONSHIPS}/signature`;
const ORIGIN_TYPE = 'application/vnd.openxmlformats-package.digital-signature-origin';
export const SIGNATURE_TYPE = 'application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml';
const FOLDER = '_xmlsignatures';

/** What a package says of its signatures. */
export interface SignatureParts {
  /** One for all, unless something is wrong. */
  origins: Part[];
  /** Whether there is one origin, or no relationship to any. */
  isSound: boolean;
  /** What the origins lead to as signatures. */
  leads: Relationship[];
  /** In the order of their relationships: an older one first. Undefined where a relationship leads nowhere. */
  signatures: (Part | undefined)[];
}

/** The part that a relationship leads to. */
export function partOf({ parts }: OoxmlPackage, { part }: Relationship): Part | undefined {
  return part === undefined ? undefined : parts.get(part);
}

/** Finds the signatures of a package (ECMA-376-2 §13.2). */
export function findSignatureParts(document: OoxmlPackage): SignatureParts {
  const ways = document.relationships.list.filter(({ type }) => type === ORIGIN_RELATIONSHIP);
  const found = ways.map((way) => partOf(document, way)).filter((part) => part !== undefined);
  const origins = [...new Set(found)];
  const leads = origins.flatMap(({ relationships }) =>
    relationships.list.filter(({ type }) => type === SIGNATURE_RELATIONSHIP),
  );
  return {
    origins,
    isSound: ways.length === 0 || (ways.length === 1 && origins.length === 1),
    leads,
    signatures: leads.map((lead) => partOf(document, lead)),
  };
}

/** Throws SignatureError INVALID_FILE_FORMAT where no further signature can be added to those that a package has. */
export function requireOneOrigin({ isSound }: SignatureParts): void {
  if (isSound) return;
  throw new SignatureError(
    'INVALID_FILE_FORMAT',
    'The document is damaged: its signatures have no origin, or more than one.',
  );
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
export function addSignaturePart(document: OoxmlPackage, { origins }: SignatureParts): Part {
  const isTaken = (name: string) => document.parts.has(name) || document.archive.has(name);
  let [origin] = origins;
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

/** From a package to the record of how it came to be signed. */
export const AUDIT_RELATIONSHIP = 'urn:scriptorium:audit-trail';
const AUDIT_PART = 'scriptorium/audit.json';

/**
 * Adds the record of how a document came to be signed as a part that the package leads to, before it is signed, so that
 * the signature covers it. False where the document holds such a part already.
 */
export function addAuditPart(document: OoxmlPackage, json: string): boolean {
  if (document.archive.has(AUDIT_PART) || document.parts.has(AUDIT_PART)) return false;
  const part = addPart(document, AUDIT_PART, 'application/json', Buffer.from(json));
  relate(document.relationships, AUDIT_RELATIONSHIP, AUDIT_PART, part);
  return true;
}
