import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Element } from '@xmldom/xmldom';
import { childrenOf, parseDom } from '../../src/opc/xml-dom.ts';
import { element } from '../../src/reports/xml-element.ts';
import { verifyReport } from '../../src/verification/verify-document.ts';
import { type Lab, openLab } from '../attacks/lab.ts';

const VR = 'http://uri.etsi.org/19102/v1.4.1#';
const ETSI = 'urn:etsi:019102';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

async function reportOn(source: Buffer, isTrusted = true): Promise<Element> {
  const { bytes, contentType } = await verifyReport(
    { source, verification: { trust: { anchors: [] }, revocation: 'embedded', report: 'xml' } },
    {
      now: () => new Date(),
      service: [],
      anchors: () => (isTrusted ? lab.anchors.map(readCertificate) : []),
      fetcher: lab.fetcher,
    },
  );
  expect(contentType).toBe('application/xml');
  const root = parseDom(bytes.toString()).documentElement;
  if (root === null) throw new Error('the report has no element');
  expect([root.namespaceURI, root.localName]).toEqual([VR, 'ValidationReport']);
  return root;
}

/** The elements below each other of these names, all of the namespace of reports. */
function at(root: Element, ...path: string[]): Element[] {
  let found = [root];
  for (const name of path) found = found.flatMap((each) => childrenOf(each, VR, name));
  return found;
}

const textsAt = (root: Element, ...path: string[]): string[] =>
  at(root, ...path).map(({ textContent }) => textContent ?? '');
const namesIn = (parent: Element | undefined): string[] =>
  parent === undefined ? [] : childrenOf(parent).map(({ localName }) => localName ?? '');

function everyElement(root: Element): Element[] {
  return [root, ...childrenOf(root).flatMap(everyElement)];
}

describe('a report of ETSI TS 119 102-2', () => {
  test('has the elements of its schema in their order', async () => {
    const pdf = await lab.sign(plainPdf(), {
      level: 'B-LTA',
      name: 'Ada',
      reason: 'I agree',
      location: 'London',
    });
    const root = await reportOn(pdf);
    expect(namesIn(root)).toEqual(['SignatureValidationReport', 'SignatureValidationObjects']);
    const [report] = at(root, 'SignatureValidationReport');
    expect(namesIn(report)).toEqual([
      'SignatureIdentifier',
      'ValidationConstraintsEvaluationReport',
      'ValidationTimeInfo',
      'SignersDocument',
      'SignatureAttributes',
      'SignerInformation',
      'SignatureValidationProcess',
      'SignatureValidationStatus',
    ]);
    const [attributes] = at(root, 'SignatureValidationReport', 'SignatureAttributes');
    expect(namesIn(attributes)).toEqual([
      'SigningTime',
      'SigningCertificate',
      'SignatureProductionPlace',
      'Reason',
      'Name',
      'ByteRange',
    ]);
    expect(textsAt(root, 'SignatureValidationReport', 'SignatureIdentifier', 'DAIdentifier')).toEqual([
      'Signature1',
    ]);
    expect(textsAt(root, 'SignatureValidationReport', 'SignerInformation', 'Signer')).toEqual([
      'Ada Lovelace',
    ]);
  });

  test('states the indications of the JSON report', async () => {
    const pdf = await lab.sign(plainPdf());
    const status = ['SignatureValidationReport', 'SignatureValidationStatus'] as const;
    const indicationsOf = (root: Element) => [
      ...textsAt(root, ...status, 'MainIndication'),
      ...textsAt(root, ...status, 'SubIndication'),
    ];
    expect(indicationsOf(await reportOn(pdf))).toEqual([`${ETSI}:mainindication:total-passed`]);
    expect(indicationsOf(await reportOn(pdf, false))).toEqual([
      `${ETSI}:mainindication:indeterminate`,
      `${ETSI}:subindication:NO_CERTIFICATE_CHAIN_FOUND`,
    ]);
    pdf.write('Disagreem', pdf.indexOf('Agreement'));
    expect(indicationsOf(await reportOn(pdf))).toEqual([
      `${ETSI}:mainindication:total-failed`,
      `${ETSI}:subindication:HASH_FAILURE`,
    ]);
    expect(indicationsOf(await reportOn(plainPdf()))).toEqual([
      'urn:cef:dss:mainindication:noSignatureFound',
    ]);
  });

  test('lists each check once, with its result', async () => {
    const root = await reportOn(await lab.sign(plainPdf()));
    const constraints = at(
      root,
      'SignatureValidationReport',
      'ValidationConstraintsEvaluationReport',
      'ValidationConstraint',
    );
    const results = constraints.map((each) => [
      textsAt(each, 'ValidationConstraintIdentifier')[0]?.split(':').at(-1),
      textsAt(each, 'ConstraintStatus', 'Status')[0]?.split(':').at(-1),
      textsAt(each, 'ValidationStatus', 'MainIndication')[0]?.split(':').at(-1),
    ]);
    expect(results).toContainEqual(['digest', 'applied', 'passed']);
    expect(results).toContainEqual(['timestamp', 'disabled', undefined]);
    expect(results).toHaveLength(9);
  });

  test('contains the certificates of the chain, and each reference has its object', async () => {
    const root = await reportOn(
      await lab.sign(await lab.sign(plainPdf()), { by: lab.carol, level: 'B-LTA' }),
    );
    const ids = everyElement(root).flatMap((each) => each.getAttribute('id') ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const references = everyElement(root).flatMap((each) => each.getAttribute('VOReference') ?? []);
    expect(references.length).toBeGreaterThan(6);
    expect(references.filter((reference) => !ids.includes(reference))).toEqual([]);
    const objects = at(root, 'SignatureValidationObjects', 'ValidationObject');
    const ders = objects
      .filter((each) => textsAt(each, 'ObjectType')[0] === `${ETSI}:validationObject:certificate`)
      .map((each) =>
        Buffer.from(textsAt(each, 'ValidationObjectRepresentation', 'base64')[0] ?? '', 'base64'),
      );
    const subjects = ders.map((der) => new X509Certificate(der).subject);
    for (const name of ['Ada Lovelace', 'Carol Shannon', 'Test Root'])
      expect(subjects.join()).toContain(name);
    const chain = at(
      root,
      'SignatureValidationReport',
      'SignatureValidationStatus',
      'AssociatedValidationReportData',
      'CertificateChain',
    )[0];
    expect(namesIn(chain)).toEqual(['SigningCertificate', 'IntermediateCertificate', 'TrustAnchor']);
  });

  test('has the digest of the document, and a report of its own for each document time-stamp', async () => {
    const pdf = await lab.stamp(await lab.sign(plainPdf()));
    const root = await reportOn(pdf);
    expect(at(root, 'SignatureValidationReport')).toHaveLength(1);
    const objects = at(root, 'SignatureValidationObjects', 'ValidationObject');
    const digests = objects.flatMap((each) =>
      everyElement(each)
        .filter(({ localName }) => localName === 'DigestValue')
        .map(({ textContent }) => textContent),
    );
    expect(digests).toEqual([createHash('sha256').update(pdf).digest('base64')]);
    const stamps = objects.filter(
      (each) => textsAt(each, 'ObjectType')[0] === `${ETSI}:validationObject:timestamp`,
    );
    expect(
      stamps.map((each) => textsAt(each, 'ValidationReport', 'SignatureValidationStatus', 'MainIndication')),
    ).toEqual([[`${ETSI}:mainindication:total-passed`]]);
  });

  test('uses the proven time as the best one', async () => {
    const root = await reportOn(await lab.sign(plainPdf(), { level: 'B-T' }));
    const [info] = at(root, 'SignatureValidationReport', 'ValidationTimeInfo');
    if (info === undefined) throw new Error('no times');
    const [validated = ''] = textsAt(info, 'ValidationTime');
    const [best = ''] = textsAt(info, 'BestSignatureTime', 'POETime');
    expect(Date.parse(best)).toBeLessThan(Date.parse(validated));
  });

  test('stays well-formed with names of any characters', async () => {
    const name = '<script>&"\' \u0000\ud800 أحمد ]]>';
    const by = await lab.pki.issue({ name: '<b>Ada</b> & Bob' });
    const root = await reportOn(await lab.sign(plainPdf(), { by, name, reason: name }));
    const [reason = ''] = textsAt(root, 'SignatureValidationReport', 'SignatureAttributes', 'Reason');
    expect(reason).toContain('<script>&"');
    expect(reason).toContain('أحمد ]]>');
    expect(textsAt(root, 'SignatureValidationReport', 'SignerInformation', 'Signer')[0]).toContain('Ada');
  });

  test('writes no character that XML forbids', () => {
    const { text } = element('A', { id: '"<' }, 'a\u0000\u0008\ud800\uffff\u{1f600}');
    expect(text).toBe('<A id="&quot;&lt;">a\ufffd\ufffd\ufffd\ufffd\u{1f600}</A>');
  });
});
