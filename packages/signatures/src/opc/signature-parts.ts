import type { OoxmlPackage, Part, Relationship, Relationships } from '@scriptorium/ooxml/package';
import { SignatureError } from '../signature-error.ts';

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature';
/** From the package to the digital signature origin (ECMA-376-2 §13.2.2). */
export const ORIGIN_RELATIONSHIP = `${RELATIONSHIPS}/origin`;
export const SIGNATURE_RELATIONSHIP = `${RELATIONSHIPS}/signature`;
const ORIGIN_TYPE = 'application/vnd.openxmlformats-package.digital-signature-origin';
export const SIGNATURE_TYPE = 'application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml';
const FOLDER = '_xmlsignatures';

/** The signatures that a package lists. */
export interface SignatureParts {
  /** At most one, unless the package is malformed. */
  origins: Part[];
  /** Whether there is exactly one origin, or no relationship to one. */
  isSound: boolean;
  /** Relationships from the origins to signatures. */
  leads: Relationship[];
  /** In the order of their relationships, older ones first. Undefined if the target is missing. */
  signatures: (Part | undefined)[];
}

/** Returns the target part of a relationship. */
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

/** Throws SignatureError INVALID_FILE_FORMAT if no signature can be added to the existing ones. */
export function requireOneOrigin({ isSound }: SignatureParts): void {
  if (isSound) return;
  throw new SignatureError(
    'INVALID_FILE_FORMAT',
    'The document is damaged: its signatures have no origin part, or more than one.',
  );
}

/** Adds a relationship under an unused id. */
function relate(relationships: Relationships, type: string, target: string, part: Part): void {
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

/** Adds a part that nothing refers to yet. */
function addPart(document: OoxmlPackage, name: string, contentType: string, bytes: Buffer): Part {
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
 * Adds an empty part for one more signature, and the origin of signatures before the first one (ECMA-376-2 §13.2). Content
 * that earlier signatures cover is unchanged, because the package already refers to the origin.
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

/** From a package to its audit trail. */
export const AUDIT_RELATIONSHIP = 'urn:scriptorium:audit-trail';
const AUDIT_PART = 'scriptorium/audit.json';

/**
 * Adds the audit trail of an unsigned document as a part that the package refers to, so that the signature covers it.
 * Returns false if the document already has such a part.
 */
export function addAuditPart(document: OoxmlPackage, json: string): boolean {
  if (document.archive.has(AUDIT_PART) || document.parts.has(AUDIT_PART)) return false;
  const part = addPart(document, AUDIT_PART, 'application/json', Buffer.from(json));
  relate(document.relationships, AUDIT_RELATIONSHIP, AUDIT_PART, part);
  return true;
}
