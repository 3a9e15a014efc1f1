import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Dict, Stream } from '@scriptorium/pdf/read';
import { testInWhole } from '@scriptorium/testing/extent';
import { packedPdf, plainPdf, twofoldPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { type OpensslKey, opensslKey, opensslTimestamp } from '@scriptorium/testing/openssl-signing';
import { earlierSignatures } from '../src/pades/earlier-signatures.ts';
import { prepareDocumentTimestamp } from '../src/pades/prepare-signature.ts';
import { embedSignature, signedParts } from '../src/pades/prepared.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { addValidationData } from '../src/pades/validation-data.ts';
import { signed } from './signing.ts';

let key: OpensslKey;
let authority: OpensslKey;
let certificate: Buffer;
beforeAll(async () => {
  key = await opensslKey('Ada');
  authority = await opensslKey('Clock', 'extendedKeyUsage=critical,timeStamping');
  certificate = new X509Certificate(await readFile(key.certificate)).raw;
});
afterAll(() => Promise.all([key.remove(), authority.remove()]));

const OCSP = Buffer.from('30030a0106', 'hex');
const CRL = Buffer.from('3000', 'hex');

function withData(pdf: Buffer, crls = [CRL]): Buffer {
  const read = readPdf(pdf);
  const data = { certificates: [certificate, certificate], ocsps: [OCSP], crls };
  return addValidationData(
    read,
    earlierSignatures(read).map(({ contents }) => ({ contents, data })),
  );
}

/** Returns the content of a document's store: the data of each type, and the names of its entries. */
function storeOf(pdf: Buffer) {
  const { document } = readPdf(pdf);
  const store = document.dict(document.catalog.value, 'DSS');
  const kind = (key: string): Buffer[] => {
    const refs = store && document.get(store, key);
    const streams = (Array.isArray(refs) ? refs : []).map((ref) => document.resolve(ref));
    return streams.map((stream) => (stream instanceof Stream ? stream.data : Buffer.alloc(0)));
  };
  const entries = store && document.dict(store, 'VRI');
  return {
    certificates: kind('Certs'),
    ocsps: kind('OCSPs'),
    crls: kind('CRLs'),
    entries: entries instanceof Dict ? [...entries.entries.keys()] : [],
  };
}

async function timestamped(pdf: Buffer): Promise<Buffer> {
  const prepared = prepareDocumentTimestamp(readPdf(pdf), 4_096);
  const token = await opensslTimestamp(signedParts(prepared.bytes, prepared.byteRange), authority);
  return embedSignature(prepared, token);
}

test.each([plainPdf, packedPdf, twofoldPdf])(
  'the store has each item once, under the name of its signature',
  async (make) => {
    const original = await signed(make(), key);
    const pdf = withData(original);
    const [signature] = earlierSignatures(readPdf(pdf));
    const name = createHash('sha1')
      .update(signature?.contents ?? '')
      .digest('hex')
      .toUpperCase();
    expect(storeOf(pdf)).toEqual({
      certificates: [certificate],
      ocsps: [OCSP],
      crls: [CRL],
      entries: [name],
    });
    expect(pdf.subarray(0, original.length).equals(original)).toBe(true);
    expect(signature?.verdict).toBe('holds');
    expect(await qpdfComplaints(pdf)).toEqual([]);
  },
);

test('only new data are added to a store for another signature', async () => {
  const once = withData(await signed(plainPdf(), key));
  const other = Buffer.from('30020500', 'hex');
  const pdf = withData(await signed(once, key), [CRL, other]);
  const store = storeOf(pdf);
  expect(store).toMatchObject({ certificates: [certificate], ocsps: [OCSP], crls: [CRL, other] });
  expect(store.entries).toHaveLength(2);
  expect(await qpdfComplaints(pdf)).toEqual([]);
  expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual(
    Array(2).fill('Signature is Valid.'),
  );
});

testInWhole('a time-stamp over a signature and its data is valid, also under another one', async () => {
  const pdf = await timestamped(await timestamped(withData(await signed(packedPdf(), key))));
  const [signatures] = await pdfboxSignatures([pdf]);
  expect(signatures).toMatchObject([
    { field: 'Signature1', subFilter: 'ETSI.CAdES.detached', problem: null, coversAll: false },
    { field: 'Signature2', subFilter: 'ETSI.RFC3161', problem: null, coversAll: false },
    { field: 'Signature3', subFilter: 'ETSI.RFC3161', problem: null, coversAll: true },
  ]);
  expect(earlierSignatures(readPdf(pdf)).map(({ kind, verdict }) => `${kind} ${verdict}`)).toEqual([
    'signature holds',
    'documentTimestamp holds',
    'documentTimestamp holds',
  ]);
  expect(await qpdfComplaints(pdf)).toEqual([]);
});

test('a time-stamp of a document changed afterwards is reported as broken', async () => {
  const pdf = await timestamped(plainPdf());
  pdf.write('Agreemint', pdf.indexOf('Agreement'), 'latin1');
  expect(earlierSignatures(readPdf(pdf))).toMatchObject([
    { kind: 'documentTimestamp', verdict: 'digestMismatch' },
  ]);
});
