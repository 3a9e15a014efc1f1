import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HashAlgorithm, SignatureAlgorithm } from '@scriptorium/pki/keys';
import { testInWhole } from '@scriptorium/testing/extent';
import { documentXml, docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { readDocxEvidence } from '../../src/opc/docx-evidence.ts';
import { DocxLab, evidenceOf, objectionsTo } from '../attacks/docx/lab.ts';
import { letter } from './documents.ts';
import { filesOf, judgeByOffice, signByOffice } from './judges.ts';
import { packed, replaceIn } from './resigned.ts';

let lab: DocxLab;

beforeAll(() => {
  lab = new DocxLab();
});

afterAll(() => lab.close());

type Kind = [key: string, algorithm: SignatureAlgorithm, hash: HashAlgorithm, names: [string, string]];

const KINDS: Kind[] = [
  ['rsa', 'rsa', 'sha256', ['SHA-256', 'RSA-PKCS1-v1_5']],
  ['rsa', 'rsa', 'sha512', ['SHA-512', 'RSA-PKCS1-v1_5']],
  ['rsa', 'rsa-pss', 'sha384', ['SHA-384', 'RSA-PSS']],
  ['P-256', 'ecdsa', 'sha256', ['SHA-256', 'ECDSA']],
  ['P-384', 'ecdsa', 'sha384', ['SHA-384', 'ECDSA']],
  ['P-521', 'ecdsa', 'sha512', ['SHA-512', 'ECDSA']],
];

test.each(KINDS)('a signature by %s, %s and %s has no faults', async (key, algorithm, hash, names) => {
  const signer = lab.keys.signer(key, algorithm, hash);
  const bytes = await lab.sign(letter(), { signer });
  const { signatures, contentType, audit } = await readDocxEvidence(bytes);
  expect(contentType).toBe('application/vnd.openxmlformats-officedocument.wordprocessingml.document');
  expect(audit).toBeUndefined();
  expect(signatures).toEqual([
    {
      id: '_xmlsignatures/sig1.xml',
      type: 'approval',
      format: 'XAdES',
      faults: [],
      core: expect.objectContaining({
        digestAlgorithm: names[0],
        signatureAlgorithm: names[1],
        digestHolds: true,
        signatureHolds: true,
        namesSigner: 'yes',
        signer: expect.objectContaining({ der: signer.certificates[0].raw }),
        timestamps: [],
      }),
      claimedSigningTime: new Date('2026-03-04T05:06:07Z'),
      claims: {},
      revision: 1,
      totalRevisions: 1,
      permissions: {},
      modifications: [],
    },
  ]);
  expect(signatures[0]?.core?.certificates.map(({ der }) => der)).toEqual(
    signer.certificates.map(({ raw }) => raw),
  );
  expect(await lab.verify(bytes)).toMatchObject({
    valid: true,
    verdict: 'valid',
    documentModified: 'no',
    signatures: [{ indication: 'TOTAL_PASSED', level: 'B-B' }],
  });
});

describe('a time-stamp', () => {
  const stamped = () => lab.sign(letter(), { level: 'B-T', timestamper: lab.keys.timestamper() });

  test('is returned with its authority if it covers the value', async () => {
    const [signature] = await evidenceOf(await stamped());
    expect(signature?.faults).toEqual([]);
    expect(signature?.core?.timestamps).toHaveLength(1);
    const [timestamp] = signature?.core?.timestamps ?? [];
    expect(timestamp?.signer.x509.subject).toContain('CN=tsa signer');
    expect((await lab.verify(await stamped())).signatures[0]).toMatchObject({
      level: 'B-T',
      provenTime: expect.any(String),
    });
    expect(Math.abs(Number(timestamp?.time) - Date.now())).toBeLessThan(600_000);
  });

  test('is a fault if it covers another value or is not a token', async () => {
    const [one, other] = [await filesOf(await stamped()), await filesOf(await stamped())];
    const tokenOf = (files: typeof one) =>
      /<xd:EncapsulatedTimeStamp>([^<]*)/.exec(files.get('_xmlsignatures/sig1.xml')?.toString() ?? '')?.[1] ??
      '';
    const alien = await filesOf(
      await lab.sign(letter('Dear Bob'), { level: 'B-T', timestamper: lab.keys.timestamper() }),
    );
    for (const token of [tokenOf(alien), 'MAA=', tokenOf(other).replace(/^..../, 'AAAA')]) {
      const files = new Map(one);
      replaceIn(files, '_xmlsignatures/sig1.xml', tokenOf(one), token);
      expect(await objectionsTo(packed(files))).toEqual(['TIMESTAMP_INVALID']);
      expect((await evidenceOf(packed(files)))[0]?.core?.timestamps).toEqual([]);
    }
  });
});

test('two signatures are both valid, and the first reports the second as added', async () => {
  const first = await lab.sign();
  const second = await lab.sign(first, { signer: lab.keys.signer('P-256', 'ecdsa') });
  const signatures = await evidenceOf(second);
  expect(signatures.map(({ id, faults }) => [id, faults])).toEqual([
    ['_xmlsignatures/sig1.xml', []],
    ['_xmlsignatures/sig2.xml', []],
  ]);
  const name = '_xmlsignatures/sig2.xml';
  expect(signatures.map(({ modifications }) => modifications)).toEqual([
    [{ revision: 1, level: 'permitted', object: name, path: `/${name}`, code: 'SIGNATURE_ADDED' }],
    [],
  ]);
  expect(await lab.verify(second)).toMatchObject({ verdict: 'valid', documentModified: 'permitted' });
});

test('the audit trail is sealed if every signature covers it', async () => {
  const auditTrail = '{"id":"1"}';
  const bytes = await lab.sign(letter(), { auditTrail });
  expect((await readDocxEvidence(bytes)).audit).toEqual({ bytes: Buffer.from(auditTrail), isSealed: true });
  const files = await filesOf(bytes);
  replaceIn(files, 'scriptorium/audit.json', '1', '2');
  expect((await readDocxEvidence(packed(files))).audit?.isSealed).toBe(false);
  files.delete('_xmlsignatures/sig1.xml');
  files.delete('_xmlsignatures/_rels/origin.sigs.rels');
  expect((await readDocxEvidence(packed(files))).audit?.isSealed).toBe(false);
});

describe('the evidence has no faults for a document', () => {
  test('repacked in another order and without compression', async () => {
    const files = [...(await filesOf(await lab.sign()))];
    const repacked = zip(files.reverse().map(([name, data]) => ({ name, data, stored: true })));
    expect((await evidenceOf(repacked)).map(({ faults }) => faults)).toEqual([[]]);
    expect(await lab.verify(repacked)).toMatchObject({ verdict: 'valid', documentModified: 'no' });
  });

  test.each([
    ['the smallest', () => docxWith(['x'])],
    ['of Strict OOXML', () => zip(packageEntries({ strict: true }))],
    [
      'with macros',
      () =>
        zip(
          packageEntries({
            mainXml: documentXml(['x']),
            mainType: 'application/vnd.ms-word.document.macroEnabled.main+xml',
          }),
        ),
    ],
  ])('%s signed by this package', async (_, make) => {
    expect((await evidenceOf(await lab.sign(make()))).map(({ faults }) => faults)).toEqual([[]]);
  });

  testInWhole(
    'signed by LibreOffice except uncovered properties, and keeps both signatures when signed again',
    async () => {
      const [certificate] = lab.signer.certificates;
      const documents = [letter(), docxWith(['x'])];
      const [made, smallest] = await signByOffice(documents, certificate, lab.keys.privateKey('rsa'));
      if (made === undefined || smallest === undefined) throw new Error('the documents were not signed');
      expect(await judgeByOffice([made], lab.keys.caDer)).toEqual([
        [expect.objectContaining({ isValid: true })],
      ]);
      const codes = async (bytes: Buffer) =>
        (await evidenceOf(bytes)).map(({ faults }) => faults.map(({ code }) => code));
      expect(await codes(made)).toEqual([['PROPERTIES_UNSIGNED']]);
      expect(await codes(smallest)).toEqual([[]]);
      expect((await evidenceOf(made))[0]).toMatchObject({ format: 'XAdES', core: { namesSigner: 'yes' } });
      expect(await lab.verify(made)).toMatchObject({ verdict: 'valid', documentModified: 'no' });
      const again = await lab.sign(made, { signer: lab.keys.signer('P-256', 'ecdsa') });
      expect(await codes(again)).toEqual([['PROPERTIES_UNSIGNED'], []]);
      const files = await filesOf(made);
      replaceIn(files, 'word/_rels/document.xml.rels', 'example.org', 'example.com');
      expect(await objectionsTo(packed(files))).toEqual(['DIGEST_MISMATCH']);
    },
  );
});

test('an unsigned document has no signatures', async () => {
  expect(await readDocxEvidence(letter())).toEqual({
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    signatures: [],
    validationData: { certificates: [], ocsps: [], crls: [] },
  });
});

test('a file that is not a DOCX is rejected', async () => {
  for (const file of [Buffer.from('%PDF-1.7'), Buffer.alloc(0), letter().subarray(0, 500)])
    await expect(readDocxEvidence(file)).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
});
