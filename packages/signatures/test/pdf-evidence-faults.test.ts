import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ref } from '@scriptorium/pdf/read';
import { editDict, type Update } from '@scriptorium/pdf/update';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, misdirected, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { readPdfEvidence } from '../src/pades/pdf-evidence.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { codesOf, latin1, replaced, signedOddly, startxrefOf, updated } from './pdf-edits.ts';
import { signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const refOf = (pdf: Buffer): { field: Ref; signature: Ref } => {
  const [field] = readPdf(pdf).form.signatureFields;
  if (!field?.signatureRef) throw new Error('the document has no signature');
  return { field: field.ref, signature: field.signatureRef };
};
const textOf = ({ document }: Update, ref: Ref): string => {
  const object = document.object(ref);
  return object?.source.toString('latin1', object.start, object.end) ?? '';
};
const withFields = (update: Update, fields: string): void => {
  const { catalog } = update.document;
  update.replace(catalog, editDict(catalog.value, { AcroForm: `<</Fields[${fields}]/SigFlags 3>>` }));
};

test.each<[string, (update: Update, refs: ReturnType<typeof refOf>) => void]>([
  [
    'removed from its field',
    (update, { field }) => update.replace(field, textOf(update, field).replace(/\/V \d+ 0 R/, '')),
  ],
  ['removed from the form', (update) => withFields(update, '')],
  [
    'overwritten',
    (update, { signature }) => update.replace(signature, '<</Type/Sig/SubFilter/ETSI.CAdES.detached>>'),
  ],
  ['copied byte for byte', (update, { signature }) => update.replace(signature, textOf(update, signature))],
  [
    'moved to a field of another name',
    (update, { signature }) => withFields(update, `${update.add(`<</FT/Sig/T(Bob)/V ${signature}>>`)}`),
  ],
])('a signature later %s is reported as replaced and judged by its own revision', async (_, change) => {
  const once = await signed(formPdf(), key, { field: 'Signature' });
  const pdf = updated(once, (update) => change(update, refOf(once)));
  const [first] = readPdfEvidence(pdf).signatures;
  expect(first).toMatchObject({ id: 'Signature', revision: 2, core: { digestHolds: true } });
  expect(first?.faults).toMatchObject([{ code: 'SIGNATURE_REPLACED' }]);
});

test('a signature that only a page lists is reported as unlisted', async () => {
  const once = await signed(formPdf(), key, { field: 'Signature' });
  const dictionary = '/Type/Sig/SubFilter/ETSI.CAdES.detached/ByteRange[0 10 20 30]/Contents<3000>';
  const pdf = updated(once, (update) => {
    const parent = update.add(`<</FT/Sig/T(Bob)/V<<${dictionary}>>>>`);
    const widget = update.add(`<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/Parent ${parent}>>`);
    const page = new Ref(3, 0);
    update.replace(page, textOf(update, page).replace('/Annots[', `/Annots[${widget} `));
  });
  expect(codesOf(pdf)).toMatchObject({ Signature: [], Bob: expect.arrayContaining(['SIGNATURE_UNLISTED']) });
});

test('a signature added to the form after its signed revision is reported as unlisted', async () => {
  const unlisted = await signedOddly(
    formPdf(),
    key,
    (bytes) => replaced(bytes, '/Fields[6 0 R 7 0 R]', '/Fields[6 0 R]'),
    {
      field: 'Signature',
    },
  );
  expect(codesOf(unlisted).Signature).toEqual(['SIGNATURE_UNLISTED']);
  const pdf = updated(unlisted, (update) => withFields(update, '6 0 R 7 0 R'));
  expect(codesOf(pdf).Signature).toEqual(['SIGNATURE_UNLISTED']);
});

test('a signature shared by fields is returned once, under the name of the first', async () => {
  const once = await signed(plainPdf(), key);
  const { field, signature } = refOf(once);
  const pdf = updated(once, (update) => {
    withFields(update, `${field} ${update.add(`<</FT/Sig/T(Bob)/V ${signature}>>`)}`);
  });
  expect(codesOf(pdf)).toEqual({ Signature1: [] });
});

const withPermissions = (pdf: Buffer, permissions: string): Buffer =>
  updated(pdf, (update) => {
    const { catalog } = update.document;
    update.replace(catalog, editDict(catalog.value, { Perms: permissions }));
  });

test.each<[string, () => Promise<Buffer>, string]>([
  [
    'names a signature without a DocMDP transform',
    async () => {
      const bodies = onePage('', '/Perms<</DocMDP 6 0 R>>');
      return signed(classicPdf(bodies), key);
    },
    'not have a DocMDP transform',
  ],
  [
    'was removed later',
    async () => withPermissions(await signed(plainPdf(), key, { certify: 'formFilling' }), 'null'),
    'in a revision after',
  ],
  [
    'was added later',
    async () => {
      const pdf = await signed(plainPdf(), key);
      return withPermissions(pdf, `<</DocMDP ${refOf(pdf).signature}>>`);
    },
    'in a revision after',
  ],
])('a certification that %s is invalid', async (_, make, message) => {
  const pdf = await make();
  const [signature] = readPdfEvidence(pdf).signatures;
  expect(signature?.type).toBe('certification');
  expect(signature?.faults.filter(({ code }) => code === 'CERTIFICATION_INVALID')).toMatchObject(
    expect.arrayContaining([{ code: 'CERTIFICATION_INVALID', message: expect.stringContaining(message) }]),
  );
});

test('a certification after a signature is invalid, but the signature is valid', async () => {
  const once = await signed(plainPdf(), key);
  const catalog = readPdf(once).document.catalog;
  const prepared = updated(once, (update) => {
    const next = update.document.xref.numMax + 1;
    update.replace(catalog, editDict(catalog.value, { Perms: `<</DocMDP ${next} 0 R>>` }));
  });
  const pdf = await signed(prepared, key);
  expect(codesOf(pdf)).toEqual({ Signature1: [], Signature2: ['CERTIFICATION_INVALID'] });
});

test('a certification that no form lists is reported as unlisted and invalid', async () => {
  const other = '<</Type/Sig/SubFilter/ETSI.CAdES.detached/ByteRange[0 10 20 30]/Contents<3000>>>';
  const once = await signed(plainPdf(), key);
  const pdf = updated(once, (update) => {
    const { catalog } = update.document;
    update.replace(catalog, editDict(catalog.value, { Perms: `<</DocMDP ${update.add(other)}>>` }));
  });
  expect(codesOf(pdf).DocMDP).toEqual(
    expect.arrayContaining(['SIGNATURE_UNLISTED', 'CERTIFICATION_INVALID']),
  );
});

/** Appends a manual update that replaces no objects, with a body before its table. */
function withUpdate(pdf: Buffer, body: string, keys = `/Prev ${startxrefOf(pdf)}`): Buffer {
  const start = pdf.length + body.length;
  const table = `xref\n0 0\ntrailer\n<</Size 99/Root 1 0 R${keys}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.concat([pdf, latin1(body + table)]);
}

test('an update without changes has no effect', async () => {
  const once = await signed(plainPdf(), key);
  const { trailer } = readPdf(once).document;
  const root = `/Prev ${startxrefOf(once)}`;
  expect(trailer.get('Root')).toMatchObject({ num: 1 });
  expect(codesOf(withUpdate(once, '', root))).toEqual({ Signature1: [] });
});

test.each<[string, (pdf: Buffer) => Buffer]>([
  ['stray bytes', (pdf) => withUpdate(pdf, '4 0 obj (evil) endobj\n')],
  ['an HTML page after the end', (pdf) => Buffer.concat([pdf, latin1('<html>')])],
  ['an unreferenced revision', (pdf) => withUpdate(withUpdate(pdf, ''), '', `/Prev ${startxrefOf(pdf)}`)],
  ['broken cross-reference data', misdirected],
  ['another document after it', (pdf) => Buffer.concat([pdf, plainPdf()])],
])('a signed document with %s is broken', async (_, change) => {
  const pdf = change(await signed(plainPdf(), key));
  const { signatures } = readPdfEvidence(pdf);
  expect(signatures).toHaveLength(1);
  expect(signatures[0]?.faults.map(({ code }) => code)).toContain('STRUCTURE_BROKEN');
});

test('stray bytes of an update affect the signature before it, but not the one after it', async () => {
  const stray = withUpdate(await signed(plainPdf(), key), '4 0 obj (evil) endobj\n');
  expect(codesOf(await signed(stray, key))).toEqual({ Signature1: ['STRUCTURE_BROKEN'], Signature2: [] });
});

test('a signed document below an unrelated appended one still shows its signature', async () => {
  const once = await signed(plainPdf(), key);
  const objects = plainPdf().toString('latin1');
  const body = objects.slice(objects.indexOf('1 0 obj'), objects.indexOf('xref\n0'));
  const first = once.length;
  const offsets = [1, 2, 3, 4, 5].map((num) => first + body.indexOf(`${num} 0 obj`));
  const table = `xref\n1 5\n${offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n\r\n`).join('')}`;
  const tail = `trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n${first + body.length}\n%%EOF\n`;
  const pdf = Buffer.concat([once, latin1(body + table + tail)]);
  expect(readPdfEvidence(pdf).signatures).toMatchObject([
    { id: 'Signature1', revision: 2, totalRevisions: 3 },
  ]);
  expect(codesOf(pdf).Signature1).toEqual(['SIGNATURE_REPLACED', 'STRUCTURE_BROKEN']);
});
