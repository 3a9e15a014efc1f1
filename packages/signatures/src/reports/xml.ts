import { createHash } from 'node:crypto';
import type { Certificate } from '@scriptorium/pki/certificates';
import { CHECKS } from '../reasons.ts';
import type { CheckResult, Indication, VerifiedSignature, VerifyReply } from '../verify-report.ts';
import { element, Xml } from './xml-element.ts';

/** ETSI TS 119 102-2 V1.4.1, and the schemas that it uses. */
const NAMESPACES = {
  xmlns: 'http://uri.etsi.org/19102/v1.4.1#',
  'xmlns:ds': 'http://www.w3.org/2000/09/xmldsig#',
  'xmlns:xades': 'http://uri.etsi.org/01903/v1.3.2#',
};
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const ETSI = 'urn:etsi:019102';
/** The standard has no URI for it; this is the one of the EU's own validator. */
const NO_SIGNATURE_FOUND = 'urn:cef:dss:mainindication:noSignatureFound';
/** Ours: the checks and the reasons of docs/reference/verification-codes.md. */
const OWN = 'urn:scriptorium:verify';

/** The certificates of a signature: its own first, the trust anchor last if there is one. */
export interface Chain {
  path: readonly Certificate[];
  isAnchored: boolean;
}

/**
 * Returns the validation report of ETSI TS 119 102-2. `chains` are those of the signatures, in their order. Document
 * time-stamps are validation objects with a report of their own.
 */
export function xmlReport(reply: VerifyReply, chains: readonly Chain[]): Buffer {
  const reports = reply.signatures.map((signature, index) => ({
    isStamp: signature.type === 'documentTimestamp',
    id: `${signature.type === 'documentTimestamp' ? 'T' : 'S'}-${index + 1}`,
    signature,
    chain: chains[index] ?? { path: [], isAnchored: false },
  }));
  const own = reports.filter(({ isStamp }) => !isStamp);
  const certificates = new Map(
    chains.flatMap(({ path }) => path.map((certificate) => [idOf(certificate), certificate] as const)),
  );
  const report = element(
    'ValidationReport',
    NAMESPACES,
    ...(own.length === 0
      ? [unsigned()]
      : own.map(({ id, signature, chain }) => signatureReport(id, signature, chain, reply))),
    element(
      'SignatureValidationObjects',
      documentObject(reply),
      ...[...certificates].map(([id, certificate]) => certificateObject(id, certificate, reply)),
      ...reports
        .filter(({ isStamp }) => isStamp)
        .map(({ id, signature, chain }) => stampObject(id, signature, chain, reply)),
    ),
  );
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${report.text}\n`);
}

const idOf = ({ der }: Certificate): string =>
  `C-${createHash('sha256').update(der).digest('hex').toUpperCase()}`;

const unsigned = (): Xml =>
  element(
    'SignatureValidationReport',
    element('SignatureValidationStatus', element('MainIndication', NO_SIGNATURE_FOUND)),
  );

function signatureReport(
  id: string,
  signature: VerifiedSignature,
  chain: Chain,
  { validationTime }: VerifyReply,
  name = 'SignatureValidationReport',
): Xml {
  const { path } = chain;
  const [leaf] = path;
  return element(
    name,
    identifier(id, signature),
    element('ValidationConstraintsEvaluationReport', ...CHECKS.map((check) => constraint(check, signature))),
    element(
      'ValidationTimeInfo',
      element('ValidationTime', validationTime),
      element('BestSignatureTime', ...proof(signature.provenTime ?? validationTime)),
    ),
    element('SignersDocument', element('SignersDocumentRepresentation', { VOReference: DOCUMENT_ID })),
    attributes(signature, leaf),
    leaf &&
      element(
        'SignerInformation',
        element('SignerCertificate', { VOReference: idOf(leaf) }),
        signature.signer && element('Signer', signature.signer.commonName),
      ),
    element(
      'SignatureValidationProcess',
      element('SignatureValidationProcessID', `${ETSI}:validationprocess:LTA`),
    ),
    status(signature, chain),
  );
}

function identifier(id: string, { id: field, format }: VerifiedSignature): Xml {
  const isPackage = format === 'XAdES' || format === 'XMLDSig';
  const reference = isPackage ? undefined : element('SignatureReference', element('PAdESFieldName', field));
  return element(
    'SignatureIdentifier',
    { id },
    element('HashOnly', 'false'),
    element('DocHashOnly', 'false'),
    element('DAIdentifier', field),
    reference && element('OtherInformation', reference),
  );
}

const proof = (time: string): Xml[] => [
  element('POETime', time),
  element('TypeOfProof', `${ETSI}:poetype:validation`),
];

const RESULTS: Partial<Record<CheckResult, string>> = {
  passed: 'passed',
  failed: 'failed',
  indeterminate: 'indeterminate',
};

function constraint(check: (typeof CHECKS)[number], { checks }: VerifiedSignature): Xml {
  const result = RESULTS[checks[check]];
  const applied = result === undefined ? 'disabled' : 'applied';
  return element(
    'ValidationConstraint',
    element('ValidationConstraintIdentifier', `${OWN}:check:${check}`),
    element('ConstraintStatus', element('Status', `${ETSI}:constraintStatus:${applied}`)),
    result && element('ValidationStatus', element('MainIndication', `${ETSI}:mainindication:${result}`)),
  );
}

/** Undefined if the signature states none: the element must not be empty. */
function attributes(signature: VerifiedSignature, leaf: Certificate | undefined): Xml | undefined {
  const { claimedSigningTime, claimedName, reason, location, byteRange } = signature;
  const signed = { Signed: 'true' };
  const stated = [
    claimedSigningTime && element('SigningTime', signed, element('Time', claimedSigningTime)),
    leaf &&
      signature.checks.signingCertificateAttribute === 'passed' &&
      element('SigningCertificate', signed, element('AttributeObject', { VOReference: idOf(leaf) })),
    location && element('SignatureProductionPlace', signed, element('AddressString', location)),
    reason && element('Reason', signed, element('ReasonElement', reason)),
    claimedName && element('Name', signed, element('NameElement', claimedName)),
    byteRange && element('ByteRange', byteRange.join(' ')),
  ].filter((each) => each instanceof Xml);
  return stated.length === 0 ? undefined : element('SignatureAttributes', ...stated);
}

const INDICATIONS: Record<Indication, string> = {
  TOTAL_PASSED: 'total-passed',
  TOTAL_FAILED: 'total-failed',
  INDETERMINATE: 'indeterminate',
};

function status(
  { indication, subIndication, reasons, integrity, trust, time }: VerifiedSignature,
  chain: Chain,
): Xml {
  const data = [
    ...Object.entries({ integrity, trust, time }).map(([question, answer]) => reportData(question, answer)),
    ...reasons.map(({ code, message }) => reportData(`reason:${code}`, message)),
  ];
  return element(
    'SignatureValidationStatus',
    element('MainIndication', `${ETSI}:mainindication:${INDICATIONS[indication]}`),
    subIndication && element('SubIndication', `${ETSI}:subindication:${subIndication}`),
    element(
      'AssociatedValidationReportData',
      ...chainElements(chain),
      element('AdditionalValidationReportData', ...data),
    ),
  );
}

const reportData = (type: string, value: string): Xml =>
  element('ReportData', element('Type', `${OWN}:${type}`), element('Value', value));

function chainElements({ path, isAnchored }: Chain): Xml[] {
  const ids = path.map(idOf);
  const [leaf] = ids;
  if (leaf === undefined) return [];
  const anchor = isAnchored ? ids.at(-1) : undefined;
  const reference = (name: string, id: string) => element(name, { VOReference: id });
  const between = isAnchored ? ids.slice(1, -1) : ids.slice(1);
  return [
    ...(anchor === undefined ? [] : [reference('TrustAnchor', anchor)]),
    element(
      'CertificateChain',
      reference('SigningCertificate', leaf),
      ...between.map((id) => reference('IntermediateCertificate', id)),
      anchor === undefined ? undefined : reference('TrustAnchor', anchor),
    ),
  ];
}

const DOCUMENT_ID = 'D-1';

function documentObject({ document, validationTime }: VerifyReply): Xml {
  const digest = Buffer.from(document.sha256, 'hex').toString('base64');
  return validationObject(DOCUMENT_ID, 'signedData', validationTime, digestElement(digest));
}

const digestElement = (digest: string): Xml =>
  element(
    'DigestAlgAndValue',
    element('ds:DigestMethod', { Algorithm: SHA256 }),
    element('ds:DigestValue', digest),
  );

const certificateObject = (id: string, { der }: Certificate, { validationTime }: VerifyReply): Xml =>
  validationObject(id, 'certificate', validationTime, element('base64', der.toString('base64')));

/** Represented by the name of its field, because its value is in the document. */
function stampObject(id: string, signature: VerifiedSignature, chain: Chain, reply: VerifyReply): Xml {
  const field = `${OWN}:field:${encodeURIComponent(signature.id.toWellFormed())}`;
  return validationObject(
    id,
    'timestamp',
    reply.validationTime,
    element('URI', field),
    signatureReport(`${id}-signature`, signature, chain, reply, 'ValidationReport'),
  );
}

function validationObject(id: string, type: string, time: string, representation: Xml, report?: Xml): Xml {
  return element(
    'ValidationObject',
    { id },
    element('ObjectType', `${ETSI}:validationObject:${type}`),
    element('ValidationObjectRepresentation', representation),
    element('POE', ...proof(time)),
    report,
  );
}
