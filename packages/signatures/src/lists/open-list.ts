import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { decodeXml, scanXml, XmlError } from '@scriptorium/ooxml/xml';
import type { Certificate } from '@scriptorium/pki/certificates';
import type { Element } from '@xmldom/xmldom';
import { parseDom } from '../opc/xml-dom.ts';
import { TrustedListError } from './list-error.ts';
import { readTime, TSL, textAt } from './list-markup.ts';
import { checkListSignature } from './list-signature.ts';
import { readList, type TrustedList } from './read-list.ts';

/** The largest national list has some 4 MB. */
export const LIST_BYTES_MAX = 10 * 1024 * 1024;
/** Clocks of those who issue lists differ, and some date a list at the end of its day. */
const AHEAD_MS_MAX = 24 * 3_600_000;

/** Who may have signed a list, and when it is judged. */
export interface OpenOptions {
  signers: readonly Certificate[];
  now: Date;
  /** An older list: its signer is judged at the time of its issue. */
  isPast?: boolean;
}

/**
 * Reads a trusted list or a list of lists (ETSI TS 119 612, version 2), and checks its signature. Linear and bounded.
 * Throws TrustedListError.
 */
export function openList(
  bytes: Buffer,
  { signers, now, isPast = false }: OpenOptions,
): { list: TrustedList; signer: Certificate } {
  const root = parseList(bytes);
  const issuedMs = readTime(textAt(root, 'SchemeInformation', 'ListIssueDateTime'));
  const signer = checkListSignature(root, signers, isPast ? new Date(issuedMs) : now);
  const list = readList(root);
  if (list.issuedMs > now.getTime() + AHEAD_MS_MAX)
    throw new TrustedListError(
      'LIST_FROM_THE_FUTURE',
      `it was issued at ${new Date(list.issuedMs).toISOString()}`,
    );
  return { list, signer };
}

/**
 * The addresses of former lists of lists in one whose signer is not known (pivots), the newest first. They are claims, so
 * only those beside its own address count.
 */
export function claimedAddresses(bytes: Buffer, own: string): string[] {
  const folder = own.slice(0, own.lastIndexOf('/') + 1);
  const { addresses } = readList(parseList(bytes));
  const beside = addresses.filter((each) => each.startsWith(folder) && each.endsWith('.xml') && each !== own);
  return [...new Set(beside)];
}

function parseList(bytes: Buffer): Element {
  if (bytes.length > LIST_BYTES_MAX)
    throw new TrustedListError('LIST_TOO_LARGE', `it has more than ${LIST_BYTES_MAX} bytes`);
  try {
    const { xml } = decodeXml(bytes);
    scanXml(xml, [], { budget: new Budget(), part: 'the list' });
    const root = parseDom(xml).documentElement;
    if (root?.localName === 'TrustServiceStatusList' && root.namespaceURI === TSL) return root;
  } catch (error) {
    const isXmlFault = error instanceof XmlError || error instanceof OoxmlError;
    const why = isXmlFault ? error.message : 'its XML cannot be read';
    throw new TrustedListError('LIST_UNREADABLE', why, error);
  }
  throw new TrustedListError('LIST_UNREADABLE', 'it is not a trusted list');
}
