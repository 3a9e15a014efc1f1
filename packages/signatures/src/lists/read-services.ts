import { createHash } from 'node:crypto';
import { nameKey } from '@scriptorium/pki/certificates';
import type { Element } from '@xmldom/xmldom';
import { childrenOf } from '../opc/xml-dom.ts';
import { inside, readIdentities, readTime, TSL, textAt } from './list-markup.ts';
import { type Qualification, readQualifications } from './qualifications.ts';

const SERVICES_MAX = 20_000;
const STATES_MAX = 50;
const TEXT_CHARS_MAX = 200;
const XML = 'http://www.w3.org/XML/1998/namespace';
/** What authenticates people and times; others are sites, mail and preservation. */
const KEPT_TYPES: ReadonlySet<string> = new Set([
  'CA/QC',
  'CA/PKC',
  'NationalRootCA-QC',
  'TSA',
  'TSA/QTST',
  'TSA/TSS-QC',
  'TSA/TSS-AdESQCandQES',
]);
/** Extensions that are understood, or that change nothing here. */
const KNOWN_EXTENSIONS = new Set([
  'AdditionalServiceInformation',
  'Qualifications',
  'ExpiredCertsRevocationInfo',
  'TakenOverBy',
]);

/** What a service was from a time until the next state (ETSI TS 119 612, 5.5 and 5.6). Plain data, as all of a list. */
export interface ServiceState {
  /** Such as `CA/QC`. */
  type: string;
  /** Such as `granted`. */
  status: string;
  sinceMs: number;
  /** Such as `ForeSignatures`. */
  additional: string[];
  qualifications: Qualification[];
  /** It has a critical extension that is not understood, or the history goes beyond the present state. */
  isUnclear?: true;
}

/** A certificate of the key of a service. */
interface ServiceIdentity {
  /** In base64. */
  der: string;
  /** Hash of its subject. */
  subjectHash: string;
}

export interface TrustService {
  provider: string;
  name: string;
  identities: ServiceIdentity[];
  /** The newest first. */
  states: ServiceState[];
}

/** The last part of an URI of ETSI; other URIs as they are. */
const shortOf = (uri: string, prefix: string): string =>
  uri.startsWith(prefix) ? uri.slice(prefix.length) : uri;

const TYPES = 'http://uri.etsi.org/TrstSvc/Svctype/';
const STATUSES = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/';
const INFORMATION = 'http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/';

/** A text that two names share if they are equal (RFC 5280, 7.1). */
export function hashOfName(name: Buffer): string {
  const hash = hashes.get(name) ?? createHash('sha256').update(nameKey(name)).digest('base64');
  hashes.set(name, hash);
  return hash;
}

const hashes = new WeakMap<Buffer, string>();

/** Reads the services that certify signers and times. Throws TrustedListError. */
export function readServices(root: Element): TrustService[] {
  const providers = inside(root, 'TrustServiceProviderList', 'TrustServiceProvider');
  return providers
    .flatMap((provider) => {
      const name = nameIn(inside(provider, 'TSPInformation', 'TSPName', 'Name'));
      return inside(provider, 'TSPServices', 'TSPService').map((service) => ({ service, provider: name }));
    })
    .slice(0, SERVICES_MAX)
    .flatMap(({ service, provider }) => readService(service, provider));
}

function readService(service: Element, provider: string): TrustService[] {
  const [current] = inside(service, 'ServiceInformation');
  if (current === undefined) return [];
  const past = inside(service, 'ServiceHistory', 'ServiceHistoryInstance').slice(0, STATES_MAX);
  const read = [current, ...past].map(readState);
  const states = read.toSorted((a, b) => b.sinceMs - a.sinceMs);
  if (states[0]?.sinceMs !== read[0]?.sinceMs) for (const state of states) state.isUnclear = true;
  if (!states.some(({ type }) => KEPT_TYPES.has(type))) return [];
  const identities = readIdentities(current, 'ServiceDigitalIdentity').map(({ der, subject }) => ({
    der: der.toString('base64'),
    subjectHash: hashOfName(subject),
  }));
  if (identities.length === 0) return [];
  return [{ provider, name: nameIn(inside(current, 'ServiceName', 'Name')), identities, states }];
}

function readState(information: Element): ServiceState {
  const extensions = inside(information, 'ServiceInformationExtensions', 'Extension');
  const isUnclear = extensions.some(
    (extension) =>
      ['true', '1'].includes(extension.getAttributeNS(null, 'Critical') ?? '') &&
      childrenOf(extension).some(({ localName }) => !KNOWN_EXTENSIONS.has(localName ?? '')),
  );
  return {
    type: shortOf(textAt(information, 'ServiceTypeIdentifier'), TYPES),
    status: shortOf(textAt(information, 'ServiceStatus'), STATUSES),
    sinceMs: readTime(textAt(information, 'StatusStartingTime')),
    additional: extensions
      .flatMap((extension) => childrenOf(extension, TSL, 'AdditionalServiceInformation'))
      .map((each) => shortOf(textAt(each, 'URI'), INFORMATION)),
    qualifications: readQualifications(extensions),
    ...(isUnclear && { isUnclear }),
  };
}

/** The English name, otherwise the first one. */
function nameIn(names: readonly Element[]): string {
  const english = names.find((name) => name.getAttributeNS(XML, 'lang') === 'en');
  return ((english ?? names[0])?.textContent ?? '').trim().slice(0, TEXT_CHARS_MAX);
}
