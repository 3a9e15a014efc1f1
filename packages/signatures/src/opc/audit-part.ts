import type { OoxmlPackage } from '@scriptorium/ooxml/package';
import { addPart, relate } from './signature-parts.ts';

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
