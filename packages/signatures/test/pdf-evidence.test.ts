import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ref } from '@scriptorium/pdf/read';
import { editDict } from '@scriptorium/pdf/update';
import { few } from '@scriptorium/testing/extent';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import {
  crowdedPdf,
  formBodies,
  formPdf,
  onePage,
  packedPdf,
  padded,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { HOSTILE_PDFS } from '@scriptorium/testing/fixtures/pdf/hostile';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { type OpensslKey, opensslKey, opensslTimestamp } from '@scriptorium/testing/openssl-signing';
import { auditJson } from '../src/audit/audit-json.ts';
import { addAuditTrail } from '../src/audit/embed-pdf.ts';
import { earlierSignatures } from '../src/pades/earlier-signatures.ts';
import { readPdfEvidence } from '../src/pades/pdf-evidence.ts';
import { prepareDocumentTimestamp } from '../src/pades/prepare-signature.ts';
import { embedSignature, signedParts } from '../src/pades/prepared.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { addValidationData } from '../src/pades/validation-data.ts';
import { recordOf } from './audit/records.ts';
import { updated } from './pdf-edits.ts';
import { SIGNING_TIME, signed } from './signing.ts';

let key: OpensslKey;
let authority: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
  authority = await opensslKey('Clock', 'extendedKeyUsage=critical,timeStamping');
});
afterAll(() => Promise.all([key.remove(), authority.remove()]));

async function timestamped(pdf: Buffer): Promise<Buffer> {
  const prepared = prepareDocumentTimestamp(readPdf(pdf), 4_096);
  const token = await opensslTimestamp(signedParts(prepared.bytes, prepared.byteRange), authority);
  return embedSignature(prepared, token);
}

function withData(pdf: Buffer, crls: Buffer[]): Buffer {
  const read = readPdf(pdf);
  const data = { certificates: [Buffer.from('3000', 'hex')], ocsps: [], crls };
  const signatures = earlierSignatures(read).map(({ contents }) => ({ contents, data }));
  return addValidationData(read, signatures);
}

const faultsOf = (pdf: Buffer) => readPdfEvidence(pdf).signatures.flatMap(({ faults }) => faults);

test.each<[string, () => Buffer | Promise<Buffer>]>([
  ['a table', plainPdf],
  ['a cross-reference stream', packedPdf],
  ['both', twofoldPdf],
  ['bytes before its header', () => padded(plainPdf())],
  ['linearized objects', () => linearizedPdf('generate')],
])('two signatures on a document with %s are valid for their revisions', async (_, make) => {
  const original = await make();
  const once = await signed(original, key);
  const twice = await signed(once, key, { field: 'Witness' });
  const { signatures, pages, contentType } = readPdfEvidence(twice);
  expect({ pages, contentType }).toEqual({ pages: 1, contentType: 'application/pdf' });
  const common = { type: 'approval', format: 'PAdES', faults: [], claimedSigningTime: SIGNING_TIME };
  const core = { digestHolds: true, signatureHolds: true, namesSigner: 'yes' };
  const [first] = readPdfEvidence(once).signatures;
  const revision = first?.revision ?? 0;
  expect(signatures).toMatchObject([
    {
      ...common,
      core,
      id: 'Signature1',
      revision,
      totalRevisions: revision + 1,
      byteRange: first?.byteRange,
    },
    { ...common, core, id: 'Witness', revision: revision + 1, totalRevisions: revision + 1 },
  ]);
  const [, , second = 0, rest = 0] = first?.byteRange ?? [];
  expect(second + rest).toBe(once.length);
});

test('a certified document with a signature, validation data and a time-stamp shows all of them', async () => {
  const certified = await signed(formPdf(), key, {
    certify: 'formFilling',
    lock: { action: 'include', fields: ['Name'] },
  });
  const approved = await signed(certified, key, { field: 'Signature' });
  const crl = Buffer.from('30020500', 'hex');
  const pdf = await timestamped(withData(approved, [crl]));
  const { signatures, validationData } = readPdfEvidence(pdf);
  expect(signatures).toMatchObject([
    {
      type: 'certification',
      revision: 2,
      faults: [],
      permissions: { docMdp: 2, lockedFields: [{ action: 'Include', fields: ['Name'] }] },
    },
    { type: 'approval', id: 'Signature', revision: 3, faults: [], permissions: {} },
    { type: 'documentTimestamp', format: 'RFC3161', revision: 5, totalRevisions: 5, faults: [] },
  ]);
  expect(signatures[2]?.claimedSigningTime).toBeUndefined();
  expect(signatures[2]?.core?.statedTime).toBeInstanceOf(Date);
  expect(validationData).toEqual({ certificates: [Buffer.from('3000', 'hex')], ocsps: [], crls: [crl] });
});

test('a field with a lock level passes it to its signature', async () => {
  const bodies = [...formBodies('/Lock 8 0 R'), '<</Type/SigFieldLock/Action/Include/Fields[(Name)]/P 1>>'];
  const pdf = await signed(classicPdf(bodies), key, { field: 'Signature' });
  expect(readPdfEvidence(pdf).signatures).toMatchObject([
    { permissions: { docMdp: 1, lockedFields: [{ action: 'Include', fields: ['Name'] }] }, faults: [] },
  ]);
});

test.each([plainPdf, packedPdf, twofoldPdf, formPdf, () => padded(plainPdf())])(
  'an unsigned document has no signatures',
  (make) => {
    expect(readPdfEvidence(make())).toMatchObject({ signatures: [], pages: 1 });
  },
);

test('a broken unsigned document has no signatures', () => {
  const pdf = plainPdf();
  pdf.write('startxref\n7  ', pdf.lastIndexOf('startxref'), 'latin1');
  expect(readPdfEvidence(pdf).signatures).toEqual([]);
});

test.each(
  few(
    HOSTILE_PDFS.filter(({ code }) => code === 'DOCUMENT_TOO_COMPLEX'),
    2,
  ),
)('a PDF with $name is rejected', ({ make }) => {
  expect(() => readPdfEvidence(make())).toThrow(expect.objectContaining({ code: 'DOCUMENT_TOO_COMPLEX' }));
});

test('usage rights do not count as a signature of the document', () => {
  const rights = '<</Type/Sig/SubFilter/adbe.pkcs7.detached/Contents<3000>/ByteRange[0 1 2 3]>>';
  const pdf = classicPdf(onePage('', '/Perms<</UR3 6 0 R>>', [rights]));
  expect(readPdfEvidence(pdf).signatures).toEqual([]);
});

test('a document of many pages and objects is read like a small one', async () => {
  expect(faultsOf(await signed(crowdedPdf(20_000), key))).toEqual([]);
});

const RECORD = recordOf({}, plainPdf());
const TRAIL = auditJson(RECORD);
const audited = async (pdf: Buffer): Promise<Buffer> => {
  const added = await addAuditTrail(pdf, RECORD, { pages: false });
  if (!added) throw new Error('the document cannot take an audit trail');
  return added.pdf;
};

test('an audit trail is sealed by the signatures over it, regardless of time-stamps', async () => {
  const stamped = await timestamped(await audited(plainPdf()));
  expect(readPdfEvidence(stamped).audit).toEqual({ bytes: TRAIL, isSealed: false });
  const pdf = await signed(await signed(stamped, key), key);
  expect(readPdfEvidence(pdf).audit).toEqual({ bytes: TRAIL, isSealed: true });
});

test('an audit trail added after a signature is not sealed', async () => {
  const once = await signed(plainPdf(), key);
  const pdf = updated(once, (update) => {
    const file = update.add(streamBody('/Type/EmbeddedFile', TRAIL));
    const specification = update.add(`<</Type/Filespec/UF(audit.json)/EF<</UF ${file}>>>>`);
    const { catalog } = update.document;
    update.replace(catalog, editDict(catalog.value, { AF: `[${specification}]` }));
  });
  expect(readPdfEvidence(pdf).audit).toEqual({ bytes: TRAIL, isSealed: false });
  expect(readPdfEvidence(await signed(pdf, key)).audit?.isSealed).toBe(false);
});

test('an audit trail replaced after a signature is not sealed', async () => {
  const once = await signed(await audited(plainPdf()), key);
  const { document } = readPdf(once);
  const files = document.get(document.catalog.value, 'AF');
  if (!Array.isArray(files) || !(files[0] instanceof Ref)) throw new Error('the file is missing');
  const specification = files[0];
  const pdf = updated(once, (update) => {
    const file = update.add(streamBody('/Type/EmbeddedFile', Buffer.from('{}')));
    update.replace(specification, `<</Type/Filespec/UF(audit.json)/EF<</UF ${file}>>>>`);
  });
  expect(readPdfEvidence(once).audit?.isSealed).toBe(true);
  expect(readPdfEvidence(pdf).audit).toEqual({ bytes: Buffer.from('{}'), isSealed: false });
});
