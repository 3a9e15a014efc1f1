import { type Certificate, tryReadCertificate } from '@scriptorium/pki/certificates';
import type { Element } from '@xmldom/xmldom';
import { childrenOf } from '../opc/xml-dom.ts';
import { TrustedListError } from './list-error.ts';

export const TSL = 'http://uri.etsi.org/02231/v2#';
const IDENTITIES_MAX = 20;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;

export const refuse = (why: string): TrustedListError => new TrustedListError('LIST_UNREADABLE', why);

/** The elements at a path of names below another one. */
export function inside(parent: Element, ...path: string[]): Element[] {
  let found = [parent];
  for (const name of path) found = found.flatMap((element) => childrenOf(element, TSL, name));
  return found;
}

/** The text at a path; empty if there is none. */
export const textAt = (parent: Element, ...path: string[]): string =>
  (inside(parent, ...path)[0]?.textContent ?? '').trim();

/** Epoch milliseconds. A time without a zone is in UTC. Throws TrustedListError. */
export function readTime(text: string): number {
  const time = Date.parse(/[Z+]|-\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  if (!TIME.test(text) || Number.isNaN(time)) throw refuse('it has an unreadable time');
  return time;
}

/** The readable certificates of digital identities. */
export function readIdentities(parent: Element, ...path: string[]): Certificate[] {
  return inside(parent, ...path, 'DigitalId', 'X509Certificate')
    .slice(0, IDENTITIES_MAX)
    .flatMap((each) => tryReadCertificate(Buffer.from(each.textContent ?? '', 'base64')) ?? []);
}
