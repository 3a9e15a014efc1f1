import { decodeName, isReservedName, relationshipsName } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import type { HashAlgorithm } from '@scriptorium/pki/keys';
import { SignatureError } from '../signature-error.ts';
import { DIGEST_URIS, digest } from './algorithms.ts';
import { C14N } from './c14n.ts';
import { contentKeys } from './content.ts';
import {
  listRelationships,
  RELATIONSHIP_TRANSFORM,
  transformRelationships,
} from './relationship-transform.ts';
import { relationshipsText, type Signable } from './signable.ts';
import { ORIGIN_RELATIONSHIP } from './signature-parts.ts';
import { MDSSI } from './xml-dom.ts';

export const RELATIONSHIPS_TYPE = 'application/vnd.openxmlformats-package.relationships+xml';

/** Returns an archive name as a URI; percent-encoded characters stay so (ECMA-376-2 §6.2.2). */
export function partUri(name: string): string {
  return `/${name.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/%-]+/g, encodeURIComponent)}`;
}

function typeQuery(contentType: string): string {
  return contentType.replace(/[^\w.+/!$^~-]+/g, encodeURIComponent);
}

function reference(
  name: string,
  contentType: string,
  transforms: string,
  hash: HashAlgorithm,
  value: Buffer,
): string {
  return (
    `<Reference URI="${escapeXml(`${partUri(name)}?ContentType=${typeQuery(contentType)}`)}">${transforms}` +
    `<DigestMethod Algorithm="${DIGEST_URIS[hash]}"/><DigestValue>${value.toString('base64')}</DigestValue></Reference>`
  );
}

function relationshipsReference(name: string, xml: string, hash: HashAlgorithm): string {
  const ids = listRelationships(xml, name)
    .filter(({ type }) => type !== ORIGIN_RELATIONSHIP)
    .map(({ id }) => id);
  if (ids.length === 0) return '';
  const value = digest(hash, transformRelationships(xml, { ids: new Set(ids), types: new Set() }, name));
  const covered = ids.map(
    (id) => `<mdssi:RelationshipReference xmlns:mdssi="${MDSSI}" SourceId="${escapeXml(id)}"/>`,
  );
  const transforms =
    `<Transforms><Transform Algorithm="${RELATIONSHIP_TRANSFORM}">${covered.join('')}</Transform>` +
    `<Transform Algorithm="${C14N}"/></Transforms>`;
  return reference(name, RELATIONSHIPS_TYPE, transforms, hash, value);
}

/** Rejects two names with the same URI, since one part could pass for the other. */
function checkNames(names: readonly string[]): void {
  const known = new Set<string>();
  for (const name of names) {
    const plain = decodeName(name).toLowerCase();
    if (known.has(plain))
      throw new SignatureError(
        'INVALID_FILE_FORMAT',
        `The document is damaged: two of its parts have the name ${partUri(name)}.`,
      );
    known.add(plain);
  }
}

/**
 * Writes the Manifest over a document (ECMA-376-2 §13.2.4.8). It has each part of its content with its content type, and each of
 * their relationships, except the signatures and the relationship to them. Throws SignatureError INVALID_FILE_FORMAT if a part
 * has no content type or shares its name.
 */
export function writeManifest(signable: Signable, hash: HashAlgorithm): string {
  const { document, budget, typeOf } = signable;
  const keys = contentKeys(document);
  const parts = [...document.parts.values()].filter(({ key }) => keys.has(key));
  checkNames([...document.parts.values()].map(({ name }) => name));
  const references: string[] = [];
  const addRelationships = (sourceName: string, xml: string | undefined) => {
    if (xml === undefined) return;
    const name = relationshipsName(sourceName);
    const type = typeOf(name);
    if (type !== '' && type.toLowerCase() !== RELATIONSHIPS_TYPE)
      throw new SignatureError(
        'INVALID_FILE_FORMAT',
        `The document is damaged: ${partUri(name)} has a content type that does not fit.`,
      );
    references.push(relationshipsReference(name, xml, hash));
  };
  addRelationships('', relationshipsText(document.relationships, budget));
  for (const { name, bytes, relationships } of parts) {
    const contentType = isReservedName(name) ? RELATIONSHIPS_TYPE : typeOf(name);
    if (contentType === '')
      throw new SignatureError(
        'INVALID_FILE_FORMAT',
        `The document is damaged: the part ${partUri(name)} has no content type.`,
      );
    references.push(reference(name, contentType, '', hash, digest(hash, bytes)));
    addRelationships(name, relationshipsText(relationships, budget));
  }
  return `<Manifest>${references.join('')}</Manifest>`;
}
