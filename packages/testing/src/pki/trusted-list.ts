import { createHash, sign } from 'node:crypto';
import { identifier, octetString, sequence } from './der.ts';
import type { Identity } from './identity.ts';

const ADDITIONAL = 'http://uri.etsi.org/02231/v2/additionaltypes#';
const SIE = 'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const INFORMATION = 'http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/';
const DAY_MS = 24 * 3_600_000;

export interface StateContent {
  /** By default `granted`. */
  status?: string;
  since: Date;
  /** By default `CA/QC`. */
  type?: string;
  /** By default `ForeSignatures` and `ForeSeals`. */
  additional?: string[];
  /** The qualifiers, and the criteria for them as XML of the prefix `s`. */
  qualifications?: { qualifiers: string[]; criteria: string }[];
  /** XML of an Extension. */
  extension?: string;
}

export interface ServiceContent {
  name?: string;
  identities: Identity[];
  /** The newest first. */
  states: StateContent[];
}

export interface ListContent {
  /** By default `BE`; `EU` for the list of lists. */
  territory?: string;
  isListOfLists?: boolean;
  /** Only for another list than that of a member state. */
  type?: string;
  sequence?: number;
  /** By default now, and in 90 days. */
  issued?: Date;
  nextUpdate?: Date;
  addresses?: string[];
  pointers?: { url: string; territory: string; signers: Identity[]; type?: string }[];
  services?: ServiceContent[];
}

/** What a signature of a list may get wrong. Each function returns its part changed. */
export interface ListForgery {
  /** Before the list is signed. */
  before?: (xml: string) => string;
  /** After the list was signed. */
  list?: (xml: string) => string;
  signedInfo?: (xml: string) => string;
  /** Markup inside the signature, after it was made. */
  signature?: (xml: string) => string;
}

/** A list of ETSI TS 119 612 with a XAdES signature, in the exclusive canonical form as it is written. */
export function trustedList(content: ListContent, signer: Identity, forgery: ListForgery = {}): Buffer {
  const written = listXml(content);
  const list = forgery.before?.(written) ?? written;
  const properties =
    `<x:SignedProperties xmlns:x="http://uri.etsi.org/01903/v1.3.2#" Id="properties"><x:SignedSignatureProperties>` +
    `<x:SigningCertificateV2><x:Cert><x:CertDigest><d:DigestMethod xmlns:d="http://www.w3.org/2000/09/xmldsig#" Algorithm="${SHA256}"></d:DigestMethod>` +
    `<d:DigestValue xmlns:d="http://www.w3.org/2000/09/xmldsig#">${digest(signer.der)}</d:DigestValue></x:CertDigest></x:Cert></x:SigningCertificateV2>` +
    `</x:SignedSignatureProperties></x:SignedProperties>`;
  const reference = (uri: string, transforms: string[], value: string) =>
    `<d:Reference URI="${uri}"><d:Transforms>${transforms.map((each) => `<d:Transform Algorithm="${each}"></d:Transform>`).join('')}</d:Transforms>` +
    `<d:DigestMethod Algorithm="${SHA256}"></d:DigestMethod><d:DigestValue>${value}</d:DigestValue></d:Reference>`;
  const information =
    `<d:SignedInfo xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></d:CanonicalizationMethod>` +
    `<d:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"></d:SignatureMethod>` +
    `${reference('', [ENVELOPED, EXCLUSIVE], digest(list))}${reference('#properties', [EXCLUSIVE], digest(properties))}</d:SignedInfo>`;
  const signedInfo = forgery.signedInfo?.(information) ?? information;
  const value = sign('sha256', Buffer.from(signedInfo), {
    key: signer.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  const signature =
    `<d:Signature xmlns:d="http://www.w3.org/2000/09/xmldsig#" Id="signature">${signedInfo}<d:SignatureValue>${value.toString('base64')}</d:SignatureValue>` +
    `<d:KeyInfo><d:X509Data><d:X509Certificate>${signer.der.toString('base64')}</d:X509Certificate></d:X509Data></d:KeyInfo>` +
    `<d:Object><x:QualifyingProperties xmlns:x="http://uri.etsi.org/01903/v1.3.2#" Target="#signature">${properties}</x:QualifyingProperties></d:Object></d:Signature>`;
  const end = '</TrustServiceStatusList>';
  const sent = (forgery.list?.(list) ?? list).replace(
    end,
    () => `${forgery.signature?.(signature) ?? signature}${end}`,
  );
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${sent}`);
}

const digest = (data: string | Buffer): string => createHash('sha256').update(data).digest('base64');
const types = (name: string) => `http://uri.etsi.org/TrstSvc/TrustedList/TSLType/${name}`;
const named = (name: string) => `<Name xml:lang="en">${name}</Name>`;
const identityXml = (identities: Identity[]) =>
  identities
    .map(({ der }) => `<DigitalId><X509Certificate>${der.toString('base64')}</X509Certificate></DigitalId>`)
    .join('');

function listXml(content: ListContent): string {
  const { isListOfLists = false, sequence = 1, issued = new Date(), pointers = [], services = [] } = content;
  const { territory = isListOfLists ? 'EU' : 'BE', nextUpdate = new Date(Date.now() + 90 * DAY_MS) } =
    content;
  const {
    addresses = ['https://example.eu/about'],
    type = isListOfLists ? 'EUlistofthelists' : 'EUgeneric',
  } = content;
  return (
    `<TrustServiceStatusList xmlns="http://uri.etsi.org/02231/v2#" TSLTag="http://uri.etsi.org/19612/TSLTag"><SchemeInformation>` +
    `<TSLVersionIdentifier>5</TSLVersionIdentifier><TSLSequenceNumber>${sequence}</TSLSequenceNumber>` +
    `<TSLType>${types(type)}</TSLType>` +
    `<SchemeInformationURI>${addresses.map((each) => `<URI xml:lang="en">${each}</URI>`).join('')}</SchemeInformationURI>` +
    `<SchemeTerritory>${territory}</SchemeTerritory><PointersToOtherTSL>${pointers.map(pointerXml).join('')}</PointersToOtherTSL>` +
    `<ListIssueDateTime>${second(issued)}</ListIssueDateTime><NextUpdate><dateTime>${second(nextUpdate)}</dateTime></NextUpdate>` +
    `</SchemeInformation><TrustServiceProviderList><TrustServiceProvider><TSPInformation><TSPName>${named('Test Provider')}</TSPName></TSPInformation>` +
    `<TSPServices>${services.map(serviceXml).join('')}</TSPServices></TrustServiceProvider></TrustServiceProviderList></TrustServiceStatusList>`
  );
}

const second = (time: Date): string => time.toISOString().replace(/\.\d+/, '');

function pointerXml({
  url,
  territory,
  signers,
  type = territory === 'EU' ? 'EUlistofthelists' : 'EUgeneric',
}: NonNullable<ListContent['pointers']>[number]): string {
  const about = [
    `<TSLType>${types(type)}</TSLType>`,
    `<SchemeTerritory>${territory}</SchemeTerritory>`,
    `<MimeType xmlns="${ADDITIONAL}">application/vnd.etsi.tsl+xml</MimeType>`,
  ];
  return (
    `<OtherTSLPointer><ServiceDigitalIdentities><ServiceDigitalIdentity>${identityXml(signers)}</ServiceDigitalIdentity></ServiceDigitalIdentities>` +
    `<TSLLocation>${url}</TSLLocation><AdditionalInformation>${about.map((each) => `<OtherInformation>${each}</OtherInformation>`).join('')}</AdditionalInformation></OtherTSLPointer>`
  );
}

function serviceXml({
  name = 'Test Service',
  identities,
  states: [current, ...past],
}: ServiceContent): string {
  if (current === undefined) throw new Error('a service has no state');
  const facts = (state: StateContent) => stateXml(name, identities, state);
  return (
    `<TSPService><ServiceInformation>${facts(current)}</ServiceInformation>` +
    `<ServiceHistory>${past.map((state) => `<ServiceHistoryInstance>${facts(state)}</ServiceHistoryInstance>`).join('')}</ServiceHistory></TSPService>`
  );
}

function stateXml(name: string, identities: Identity[], state: StateContent): string {
  const { status = 'granted', type = 'CA/QC', additional = ['ForeSignatures', 'ForeSeals'], since } = state;
  const informed = additional.map(
    (each) =>
      `<Extension Critical="true"><AdditionalServiceInformation><URI xml:lang="en">${INFORMATION}${each}</URI></AdditionalServiceInformation></Extension>`,
  );
  const qualified = (state.qualifications ?? []).map(({ qualifiers, criteria }) => {
    const list = qualifiers.map((each) => `<s:Qualifier uri="${INFORMATION}${each}"></s:Qualifier>`).join('');
    return `<s:QualificationElement><s:Qualifiers>${list}</s:Qualifiers>${criteria}</s:QualificationElement>`;
  });
  const qualifications =
    qualified.length === 0
      ? ''
      : `<Extension Critical="true"><s:Qualifications xmlns:s="${SIE}">${qualified.join('')}</s:Qualifications></Extension>`;
  return (
    `<ServiceTypeIdentifier>http://uri.etsi.org/TrstSvc/Svctype/${type}</ServiceTypeIdentifier><ServiceName>${named(name)}</ServiceName>` +
    `<ServiceDigitalIdentity>${identityXml(identities)}</ServiceDigitalIdentity>` +
    `<ServiceStatus>http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/${status}</ServiceStatus><StatusStartingTime>${second(since)}</StatusStartingTime>` +
    `<ServiceInformationExtensions>${informed.join('')}${qualifications}${state.extension ?? ''}</ServiceInformationExtensions>`
  );
}

/** The extension by which a certificate says that it is qualified (ETSI EN 319 412-5). */
export function qcStatements(
  type: 'signature' | 'seal' | 'web' | undefined,
  { isInDevice = true, isForeign = false } = {},
): Buffer {
  const types = { signature: '0.4.0.1862.1.6.1', seal: '0.4.0.1862.1.6.2', web: '0.4.0.1862.1.6.3' };
  const statements = [
    sequence(identifier('0.4.0.1862.1.1')),
    ...(isInDevice ? [sequence(identifier('0.4.0.1862.1.4'))] : []),
    ...(type ? [sequence(identifier('0.4.0.1862.1.6'), sequence(identifier(types[type])))] : []),
    ...(isForeign ? [sequence(identifier('0.4.0.1862.1.7'), sequence())] : []),
  ];
  return sequence(identifier('1.3.6.1.5.5.7.1.3'), octetString(sequence(...statements)));
}
