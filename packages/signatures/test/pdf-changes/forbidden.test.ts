import { beforeAll, describe, expect, test } from '@jest/globals';
import { xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { packedPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { bodies, filled, forged, SCRIPT, signedOnce } from './contract.ts';
import { appended, type Edit, edited, formXObject, historyOf, stream, verdicts } from './revisions.ts';

const FORBIDDEN: [string, string, (edit: Edit) => void][] = [
  ['the content of a page is replaced', 'PAGE_CONTENT', ({ put }) => put(4, forged)],
  ['a page gets other content', 'PAGE_CONTENT', ({ set }) => set(3, { Contents: '11 0 R' })],
  ['missing content of a page is added', 'PAGE_CONTENT', ({ put }) => put(40, forged)],
  ['a page gets another size', 'PAGE_CONTENT', ({ set }) => set(3, { MediaBox: '[0 0 10 10]' })],
  [
    'a font of the page is replaced',
    'RESOURCE',
    ({ put }) => put(5, '<</Type/Font/Subtype/Type1/BaseFont/Symbol>>'),
  ],
  ['an image is replaced', 'RESOURCE', ({ put }) => put(8, formXObject('0 0 9 9 re f'))],
  [
    'the resources of a page change',
    'RESOURCE',
    ({ set }) => set(3, { Resources: '<</Font<</F1 12 0 R>>>>' }),
  ],
  ['a page is added', 'PAGE_TREE', ({ set }) => set(2, { Kids: '[3 0 R 10 0 R 10 0 R]', Count: '3' })],
  ['a page is removed', 'PAGE_TREE', ({ set }) => set(2, { Kids: '[3 0 R]', Count: '1' })],
  ['the pages are reordered', 'PAGE_TREE', ({ set }) => set(2, { Kids: '[10 0 R 3 0 R]' })],
  [
    'the page tree is replaced',
    'PAGE_TREE',
    ({ set, add }) => set(1, { Pages: add('<</Type/Pages/Kids[10 0 R]/Count 1>>') }),
  ],
  ['the catalog shows other layers', 'CATALOG', ({ set }) => set(1, { OCProperties: '<</OCGs[]/D<<>>>>' })],
  ['the permissions change', 'CATALOG', ({ set }) => set(1, { Perms: '<</DocMDP 18 0 R>>' })],
  ['the version becomes invalid', 'CATALOG', ({ set }) => set(1, { Version: '/abc' })],
  ['a script runs on opening', 'ACTION', ({ set }) => set(1, { OpenAction: SCRIPT })],
  ['a script is named', 'ACTION', ({ set }) => set(1, { Names: `<</JavaScript<</Names[(a)${SCRIPT}]>>>>` })],
  [
    'a file is attached',
    'ATTACHMENT',
    ({ set }) => set(1, { Names: '<</EmbeddedFiles<</Names[(a)<<>>]>>>>' }),
  ],
  ['a page gets an action', 'ACTION', ({ set }) => set(3, { AA: `<</O ${SCRIPT}>>` })],
  ['a field gets an action', 'ACTION', ({ set }) => set(6, { AA: `<</K ${SCRIPT}>>` })],
  ['a field is moved', 'FIELD_CHANGED', ({ set }) => set(6, { Rect: '[50 490 200 520]' })],
  ['a field is hidden', 'FIELD_CHANGED', ({ set }) => set(6, { F: '6' })],
  ['a field is renamed', 'FIELD_CHANGED', ({ set }) => set(6, { T: '(Other)' })],
  [
    'a text field becomes a signature field',
    'FIELD_CHANGED',
    ({ set }) => set(6, { FT: '/Sig', V: '18 0 R' }),
  ],
  ['a read-only field is filled in', 'FIELD_CHANGED', ({ set }) => set(14, { V: '(2)' })],
  ['a read-only field becomes fillable', 'FIELD_CHANGED', ({ set }) => set(14, { Ff: '0' })],
  ['a push button gets a value', 'FIELD_CHANGED', ({ set }) => set(15, { V: '/x' })],
  [
    'the look of a field is overwritten without a new value',
    'FIELD_APPEARANCE',
    ({ put }) => put(9, formXObject('BT /F1 12 Tf (Eve) Tj ET', '/Font<</F1 5 0 R>>')),
  ],
  [
    'a field gets another look without a new value',
    'FIELD_APPEARANCE',
    ({ set, add }) => set(6, { AP: `<</N ${add(formXObject('BT (Eve) Tj ET'))}>>` }),
  ],
  [
    'the form asks readers to redraw fields',
    'FIELD_APPEARANCE',
    ({ set }) =>
      set(1, { AcroForm: '<</Fields[6 0 R 7 0 R 14 0 R 15 0 R 19 0 R]/SigFlags 3/NeedAppearances true>>' }),
  ],
  ['an empty signature field is moved', 'FIELD_CHANGED', ({ set }) => set(7, { Rect: '[50 490 250 550]' })],
  [
    'an empty signature field gets a false signature',
    'FIELD_CHANGED',
    ({ set }) => set(7, { V: '<</Type/Sig>>' }),
  ],
  [
    'the signature is replaced',
    'SIGNATURE_REPLACED',
    ({ set }) => set(19, { V: '<</Type/Sig/Contents<00>/ByteRange[0 0 0 0]>>' }),
  ],
  [
    'the signature is overwritten',
    'SIGNATURE_REPLACED',
    ({ put }) => put(18, '<</Type/Sig/Contents<00>/ByteRange[0 0 0 0]>>'),
  ],
  ['the signature is removed', 'SIGNATURE_REPLACED', ({ set }) => set(19, { V: 'null' })],
  [
    'a dictionary repeats a key',
    'STRUCTURE',
    ({ put }) =>
      put(
        6,
        '<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/V(Eve)/V(Ada)/DA(/Helv 12 Tf 0 g)/F 4/Rect[50 400 200 420]/P 3 0 R/AP<</N 9 0 R>>>>',
      ),
  ],
];

describe.each([
  ['table', filled],
  ['stream', xrefStreamPdf],
])('the differ, in a signed file with a cross-reference %s,', (_, make) => {
  let signed: Buffer;
  beforeAll(async () => {
    signed = await signedOnce(make(bodies()));
  });

  test.each(FORBIDDEN)('forbids the change if %s', (_what, code, change) => {
    const later = edited(signed, change);
    expect(verdicts(signed, later)).toContain(`forbidden ${code}`);
    expect(verdicts(signed, later, { docMdp: 1, locks: [] })).toContain(`forbidden ${code}`);
  });
});

describe('the differ, in a manually written update,', () => {
  let signed: Buffer;
  beforeAll(async () => {
    signed = await signedOnce(filled(bodies()));
  });

  test('forbids another generation that hides a signed object', () => {
    const later = appended(signed, [{ num: 4, gen: 1, body: forged }]);
    expect(verdicts(signed, later)).toEqual(['forbidden PAGE_CONTENT']);
  });

  test('forbids freeing an object that is still in use', () => {
    expect(verdicts(signed, appended(signed, [{ num: 8, free: true }]))).toEqual(['forbidden RESOURCE']);
    expect(verdicts(signed, appended(signed, [{ num: 4, free: true }]))).toEqual(['forbidden PAGE_CONTENT']);
    expect(verdicts(signed, appended(signed, [{ num: 6, free: true }]))).toEqual(['forbidden FIELD_CHANGED']);
    expect(verdicts(signed, appended(signed, [{ num: 19, free: true }]))).toEqual([
      'forbidden SIGNATURE_REPLACED',
    ]);
  });

  test('forbids a table entry that leads to other content in the signed bytes', () => {
    const offset = signed.indexOf('11 0 obj');
    const text = signed.toString('latin1').replace('11 0 obj', '4 0 obj ');
    const prepared = Buffer.from(text, 'latin1');
    expect(verdicts(prepared, appended(prepared, [{ num: 4, offset }]))).toEqual(['forbidden PAGE_CONTENT']);
  });

  test('ignores objects without references', () => {
    const later = appended(signed, [
      { num: 12, free: true },
      { num: 16, body: forged },
      { num: 70, body: SCRIPT },
    ]);
    expect(verdicts(signed, later)).toEqual([]);
  });

  test('forbids another catalog', () => {
    const later = appended(signed, [{ num: 70, body: '<</Type/Catalog/Pages 2 0 R>>' }], '/Root 70 0 R');
    expect(verdicts(signed, later)).toContain('forbidden FIELD_CHANGED');
  });

  test('forbids an update that does not continue the previous one', () => {
    const later = appended(signed, [{ num: 4, body: forged }]);
    const text = later.toString('latin1');
    const at = text.lastIndexOf('/Prev');
    const first = /startxref\n(\d+)/.exec(text)?.[1] ?? '';
    const rest = text.slice(at).replace(/\/Prev \d+/, `/Prev ${first}`);
    const all = verdicts(signed, Buffer.from(text.slice(0, at) + rest, 'latin1'));
    expect(all).toContain('forbidden PAGE_CONTENT');
    expect(all).toContain('forbidden SIGNATURE_REPLACED');
  });

  test('forbids an unreadable update', () => {
    const later = appended(signed, [{ num: 6, body: '<</Type/Annot ' }]);
    const [change, ...rest] = historyOf(signed, later).step(2);
    expect(rest).toEqual([]);
    expect(change).toMatchObject({ revision: 2, code: 'STRUCTURE', level: 'forbidden' });
    expect(verdicts(signed, [later, appended(later, [{ num: 70, body: '<<>>' }])])).toEqual([
      'forbidden STRUCTURE',
    ]);
  });

  test('forbids the changed objects of a replaced object stream', async () => {
    const packed = await signedOnce(packedPdf());
    const entries = [...packed.toString('latin1').matchAll(/(\d+) 0 obj\n<<\/Type\/ObjStm/g)];
    const num = Number(entries[0]?.[1]);
    const objects = ['<</Type/Pages/Kids[3 0 R]/Count 1>>', '<</Type/Font/Subtype/Type1/BaseFont/Symbol>>'];
    const index = `2 0 5 ${objects[0]?.length ?? 0} `;
    const body = stream(`/Type/ObjStm/N 2/First ${index.length}`, index + objects.join(''));
    const later = edited(packed, ({ put }) => put(num, body));
    expect(verdicts(packed, later)).toEqual(['forbidden PAGE_CONTENT', 'forbidden RESOURCE']);
  });
});
