import type { CertificateFacts } from '@scriptorium/pki/certificates';
import type { Element } from '@xmldom/xmldom';
import { childrenOf } from '../opc/xml-dom.ts';

const SIE = 'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#';
const ADDITIONAL = 'http://uri.etsi.org/02231/v2/additionaltypes#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const QUALIFIERS = 'http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/';
const KNOWN_QUALIFIERS: ReadonlySet<string> = new Set([
  ...['QCStatement', 'NotQualified', 'QCForESig', 'QCForESeal', 'QCForWSA', 'QCForLegalPerson'],
  ...['QCWithQSCD', 'QCNoQSCD', 'QCQSCDStatusAsInCert', 'QCQSCDManagedOnBehalf'],
  ...['QCWithSSCD', 'QCNoSSCD', 'QCSSCDStatusAsInCert'],
]);
const ELEMENTS_MAX = 500;
const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'crlSign',
  'encipherOnly',
  'decipherOnly',
];

/** One condition on a certificate. `unknown`: this service cannot judge it. */
type Criterion =
  | { kind: 'keyUsage'; bit: number; value: boolean }
  | { kind: 'policies' | 'purposes' | 'attributes'; ids: string[] }
  | { kind: 'unknown' }
  | Criteria;

/** A CriteriaList (ETSI TS 119 612, 5.5.9.2.2). */
interface Criteria {
  kind: 'criteria';
  assert: 'all' | 'atLeastOne' | 'none';
  of: Criterion[];
}

/** What a list says about those certificates of a service that meet the criteria. */
export interface Qualification {
  /** Such as `QCWithQSCD`. */
  qualifiers: string[];
  criteria: Criteria;
}

/** Reads the Qualifications of a service. */
export function readQualifications(extensions: readonly Element[]): Qualification[] {
  const elements = extensions
    .flatMap((extension) => childrenOf(extension, SIE, 'Qualifications'))
    .flatMap((each) => childrenOf(each, SIE, 'QualificationElement'));
  return elements.slice(0, ELEMENTS_MAX).map((element) => ({
    qualifiers: childrenOf(element, SIE, 'Qualifiers')
      .flatMap((each) => childrenOf(each, SIE, 'Qualifier'))
      .map((each) => shortOf(each.getAttributeNS(null, 'uri') ?? '')),
    criteria: someOf(childrenOf(element, SIE, 'CriteriaList').map(readCriteria)),
  }));
}

const shortOf = (uri: string): string => (uri.startsWith(QUALIFIERS) ? uri.slice(QUALIFIERS.length) : uri);

const combined = (assert: Criteria['assert'], of: Criterion[]): Criteria => ({
  kind: 'criteria',
  assert,
  of,
});

/** All of these conditions must hold. Without one, a list says nothing that can be judged. */
const someOf = (of: Criterion[]): Criteria => combined('all', of.length === 0 ? [{ kind: 'unknown' }] : of);

function readCriteria(list: Element): Criterion {
  const assert = list.getAttributeNS(null, 'assert');
  if (assert !== 'all' && assert !== 'atLeastOne' && assert !== 'none') return { kind: 'unknown' };
  return combined(assert, childrenOf(list).flatMap(readCriterion));
}

function readCriterion(element: Element): Criterion[] {
  const { namespaceURI, localName } = element;
  if (namespaceURI !== SIE) return [{ kind: 'unknown' }];
  switch (localName) {
    case 'KeyUsage':
      return [someOf(childrenOf(element, SIE, 'KeyUsageBit').map(readKeyUsage))];
    case 'PolicySet':
      return [identified('policies', childrenOf(element, SIE, 'PolicyIdentifier'))];
    case 'CriteriaList':
      return [readCriteria(element)];
    case 'otherCriteriaList':
      return childrenOf(element).map(readOther);
    case 'Description':
      return [];
    default:
      return [{ kind: 'unknown' }];
  }
}

function readKeyUsage(element: Element): Criterion {
  const bit = KEY_USAGES.indexOf(element.getAttributeNS(null, 'name') ?? '');
  const value = (element.textContent ?? '').trim();
  if (bit < 0 || !['true', 'false', '1', '0'].includes(value)) return { kind: 'unknown' };
  return { kind: 'keyUsage', bit, value: value === 'true' || value === '1' };
}

function readOther(element: Element): Criterion {
  if (element.namespaceURI !== ADDITIONAL) return { kind: 'unknown' };
  if (element.localName === 'ExtendedKeyUsage')
    return identified('purposes', childrenOf(element, ADDITIONAL, 'KeyPurposeId'));
  if (element.localName === 'CertSubjectDNAttribute')
    return identified('attributes', childrenOf(element, ADDITIONAL, 'AttributeOID'));
  return { kind: 'unknown' };
}

function identified(kind: 'policies' | 'purposes' | 'attributes', elements: Element[]): Criterion {
  const ids = elements.map(identifierIn);
  return ids.length > 0 && ids.every((id) => /^[\d.]+$/.test(id)) ? { kind, ids } : { kind: 'unknown' };
}

/** An ObjectIdentifier of XAdES, in dotted decimals. */
function identifierIn(element: Element): string {
  const [identifier] = childrenOf(element, XADES, 'Identifier');
  return (identifier?.textContent ?? '').trim().replace(/^urn:oid:/i, '');
}

/** The qualifiers of a service for a certificate; undefined if one, or a condition that decides, is not understood. */
export function qualifiersFor(
  qualifications: readonly Qualification[],
  certificate: CertificateFacts,
): string[] | undefined {
  const met = qualifications.map((each) => ({ ...each, isMet: isMet(each.criteria, certificate) }));
  if (met.some((each) => each.isMet === undefined)) return undefined;
  const found = met.filter((each) => each.isMet).flatMap(({ qualifiers }) => qualifiers);
  return found.every((each) => KNOWN_QUALIFIERS.has(each)) ? found : undefined;
}

function isMet(criterion: Criterion, certificate: CertificateFacts): boolean | undefined {
  switch (criterion.kind) {
    case 'unknown':
      return undefined;
    case 'keyUsage':
      return certificate.keyUsage.has(criterion.bit) === criterion.value;
    case 'criteria':
      return isMetBy(criterion, certificate);
    default:
      return criterion.ids.every((id) => certificate[criterion.kind].has(id));
  }
}

function isMetBy({ assert, of }: Criteria, certificate: CertificateFacts): boolean | undefined {
  const results = of.map((criterion) => isMet(criterion, certificate));
  const decisive = assert !== 'all';
  const isDecided = results.includes(decisive);
  if (!isDecided && results.includes(undefined)) return undefined;
  // `all` and `none` hold unless one decides against them; `atLeastOne` holds if one decides for it.
  return assert === 'atLeastOne' ? isDecided : !isDecided;
}
