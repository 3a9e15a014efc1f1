import { literal } from '@scriptorium/pdf/update';
import { CERTIFICATIONS, type FieldLock, type Signing } from '../sign-request.ts';

/** The content of a signature dictionary (ISO 32000-2, table 255). */
export interface SignatureContents {
  kind: 'signature' | 'documentTimestamp';
  /** Bytes reserved for the CMS. */
  reserve: number;
  signingTime?: Date;
  name?: string;
  reason?: string;
  location?: string;
  certify?: NonNullable<Signing['certify']>;
  lock?: FieldLock;
}

/** The text of a signature dictionary, and the positions of the values to fill in later. */
export interface SignatureText {
  text: string;
  /** Position of the byte range array including brackets; it has room for any range. */
  byteRange: { start: number; end: number };
  /** Position of the hexadecimal string including brackets. */
  contents: { start: number; end: number };
}

/** Room for four numbers of up to ten digits, as long as the placeholder of SignPdf. */
const BYTE_RANGE_ROOM = `[0 ${' '.repeat(35)}]`;

const VERSION = '/V/1.2';
/** The sub-filter of every signature that is made here (ETSI EN 319 142-1, 6.3). */
export const SUB_FILTER = 'ETSI.CAdES.detached';

function lockKeys(lock: FieldLock): string {
  if (lock.action === 'all') return '/Action/All';
  const action = lock.action === 'include' ? 'Include' : 'Exclude';
  return `/Action/${action}/Fields[${lock.fields.map(literal.text).join(' ')}]`;
}

/** Returns the value of a signature field's /Lock (ISO 32000-2, table 236). */
export const lockDictionary = (lock: FieldLock): string => `<</Type/SigFieldLock${lockKeys(lock)}>>`;

function references({ certify, lock }: SignatureContents, catalog: string): string {
  const transforms: string[] = [];
  const add = (method: string, parameters: string, data = '') =>
    transforms.push(
      `<</Type/SigRef/TransformMethod/${method}${data}/TransformParams<</Type/TransformParams${parameters}${VERSION}>>>>`,
    );
  if (certify) add('DocMDP', `/P ${CERTIFICATIONS.indexOf(certify) + 1}`);
  if (lock) add('FieldMDP', lockKeys(lock), `/Data ${catalog}`);
  return transforms.length > 0 ? `/Reference[${transforms.join('')}]` : '';
}

/** Returns the text of the dictionary. `catalog` is the reference to the document's catalog. */
export function signatureDictionary(contents: SignatureContents, catalog: string): SignatureText {
  const kinds =
    contents.kind === 'signature'
      ? `/Type/Sig/Filter/Adobe.PPKLite/SubFilter/${SUB_FILTER}`
      : '/Type/DocTimeStamp/Filter/Adobe.PPKLite/SubFilter/ETSI.RFC3161';
  const head = `<<${kinds}/ByteRange `;
  const middle = `${head}${BYTE_RANGE_ROOM}/Contents `;
  const start = middle.length;
  let text = `${middle}<${'0'.repeat(contents.reserve * 2)}>`;
  const end = text.length;
  if (contents.signingTime) text += `/M${literal.date(contents.signingTime)}`;
  if (contents.name) text += `/Name${literal.text(contents.name)}`;
  if (contents.reason) text += `/Reason${literal.text(contents.reason)}`;
  if (contents.location) text += `/Location${literal.text(contents.location)}`;
  text += `${references(contents, catalog)}>>`;
  return {
    text,
    byteRange: { start: head.length, end: head.length + BYTE_RANGE_ROOM.length },
    contents: { start, end },
  };
}
