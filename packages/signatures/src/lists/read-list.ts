import type { Certificate } from '@scriptorium/pki/certificates';
import type { Element } from '@xmldom/xmldom';
import { childrenOf } from '../opc/xml-dom.ts';
import { inside, readIdentities, readTime, refuse, textAt } from './list-markup.ts';
import { readServices, type TrustService } from './read-services.ts';

const ADDITIONAL = 'http://uri.etsi.org/02231/v2/additionaltypes#';
const VERSIONS = ['5', '6'];
const TYPES: Readonly<Record<string, TrustedList['kind']>> = {
  'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists': 'listOfLists',
  'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric': 'national',
};
const XML_TYPE = 'application/vnd.etsi.tsl+xml';
const POINTERS_MAX = 200;
const ADDRESSES_MAX = 200;

/** Where another list is, and who signs it (ETSI TS 119 612, 5.3.13). */
export interface ListPointer {
  url: string;
  territory: string;
  kind: TrustedList['kind'];
  signers: Certificate[];
}

/** A list of one country, or the list of lists, of which only the parts are kept that decide something. */
export interface TrustedList {
  /** Such as `BE`; `EU` for the list of lists. */
  territory: string;
  /** `other`: of a country outside of the Union, whose statuses and types mean something else. */
  kind: 'listOfLists' | 'national' | 'other';
  sequence: number;
  issuedMs: number;
  /** Absent in the last list of a closed scheme. */
  nextUpdateMs?: number;
  /** Pages and documents about the scheme. In the list of lists, its former versions are among them. */
  addresses: string[];
  pointers: ListPointer[];
  services: TrustService[];
}

const kindOf = (type: string): TrustedList['kind'] =>
  Object.hasOwn(TYPES, type) ? (TYPES[type] ?? 'other') : 'other';

/** Reads the tree of a list. Its words are claims until its signature is checked. Throws TrustedListError. */
export function readList(root: Element): TrustedList {
  const [scheme, ...others] = inside(root, 'SchemeInformation');
  if (scheme === undefined || others.length > 0)
    throw refuse('it does not have exactly one SchemeInformation');
  if (!VERSIONS.includes(textAt(scheme, 'TSLVersionIdentifier')))
    throw refuse('it is not a list of version 5 or 6');
  const sequence = textAt(scheme, 'TSLSequenceNumber');
  const territory = textAt(scheme, 'SchemeTerritory');
  if (!/^\d{1,9}$/.test(sequence) || !/^[A-Z]{2}$/.test(territory))
    throw refuse('it has no sequence number, or no territory');
  const nextUpdate = textAt(scheme, 'NextUpdate', 'dateTime');
  return {
    territory,
    kind: kindOf(textAt(scheme, 'TSLType')),
    sequence: Number(sequence),
    issuedMs: readTime(textAt(scheme, 'ListIssueDateTime')),
    ...(nextUpdate !== '' && { nextUpdateMs: readTime(nextUpdate) }),
    addresses: inside(scheme, 'SchemeInformationURI', 'URI')
      .slice(0, ADDRESSES_MAX)
      .map((each) => (each.textContent ?? '').trim()),
    pointers: readPointers(scheme),
    services: readServices(root),
  };
}

function readPointers(scheme: Element): ListPointer[] {
  const pointers = inside(scheme, 'PointersToOtherTSL', 'OtherTSLPointer');
  if (pointers.length > POINTERS_MAX) throw refuse('it points to too many lists');
  return pointers.flatMap((pointer) => {
    const about = inside(pointer, 'AdditionalInformation', 'OtherInformation');
    const fact = (name: string) => about.map((each) => textAt(each, name)).find((text) => text !== '') ?? '';
    const type = about.flatMap((each) => childrenOf(each, ADDITIONAL, 'MimeType'))[0]?.textContent ?? '';
    if (type.trim() !== XML_TYPE) return [];
    return {
      url: textAt(pointer, 'TSLLocation'),
      territory: fact('SchemeTerritory'),
      kind: kindOf(fact('TSLType')),
      signers: readIdentities(pointer, 'ServiceDigitalIdentities', 'ServiceDigitalIdentity'),
    };
  });
}
