import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { emptySignatureFields, openPdf, readForm, type SignaturePlace } from '@scriptorium/pdf/read';
import { few } from '@scriptorium/testing/extent';
import { pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { breachesOfPdfA1b } from '@scriptorium/testing/judges/preflight';
import type { Converted } from '../../src/conversion/convert.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';
import { wholeConversions } from '../rigs/whole-conversions.ts';

const conversions = wholeConversions();
beforeAll(conversions.start);
afterAll(conversions.close);

const converted = (document: Buffer, query: object = {}): Promise<Converted> =>
  conversions.convert(document, { from: 'docx', ...query });

const text = (value: string) => `<w:r><w:t xml:space="preserve">${value}</w:t></w:r>`;
const p = (content: string) => `<w:p>${content}</w:p>`;
const control = (tag: string, content = text('sign here'), properties = '') =>
  `<w:sdt><w:sdtPr>${properties}<w:tag w:val="${tag}"/><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
const cell = (content: string) => `<w:tc><w:tcPr><w:tcW w:w="4500" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
const table = (...cells: string[]) =>
  `<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="4500"/><w:gridCol w:w="4500"/></w:tblGrid><w:tr>${cells.join('')}</w:tr></w:tbl>`;
const PAGE_BREAK = p('<w:r><w:br w:type="page"/></w:r>');

const contract = docxOf(
  p(
    text('Landlord: ') +
      control('sign:landlord width=50mm height=40pt', undefined, '<w:alias w:val="The landlord"/>'),
  ) +
    table(
      cell(control('sign:tenant', p(text('Tenant'))) + p(control('date:tenant'))),
      cell(control('sign:tenant', p(text('Tenant')))),
    ) +
    PAGE_BREAK +
    p(text('Witness: ') + control('sign:witness width=100pt height=30pt')),
  [
    {
      name: 'header1.xml',
      kind: 'header',
      data: `<w:hdr ${NAMESPACES}>${p(control('initials:landlord'))}</w:hdr>`,
    },
  ],
  '<w:headerReference w:type="default" r:id="rId2"/>',
);

const placesIn = (pdf: Buffer): SignaturePlace[] => emptySignatureFields(openPdf(pdf).document);
const wordAt = (pdf: Buffer, word: string) => {
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf, encoding: 'utf8' });
  const [, , top, right] =
    new RegExp(`xMin="([\\d.]+)" yMin="([\\d.]+)" xMax="([\\d.]+)"[^>]*>${word}<`).exec(html) ?? [];
  return { top: Number(top), right: Number(right) };
};

const KINDS: [kind: string, query: object][] = [
  ['plain', {}],
  ['PDF/UA', { pdfua: 'true' }],
  ['PDF/A-1b', { pdfa: '1b' }],
];

describe.each(few(KINDS, 1, 3))('controls that are tagged for signers, in a %s PDF', (kind, query) => {
  let made: Converted;
  beforeAll(async () => {
    made = await converted(contract, query);
  });

  test('become empty fields at their place, with names of their own', () => {
    expect(placesIn(made.bytes)).toEqual([
      { name: 'landlord', role: 'The landlord', page: 1, rectangle: expect.anything() },
      { name: 'tenant', role: 'tenant', page: 1, rectangle: expect.anything() },
      { name: 'tenant_2', role: 'tenant', page: 1, rectangle: expect.anything() },
      { name: 'witness', role: 'witness', page: 2, rectangle: expect.anything() },
    ]);
    expect([...readForm(openPdf(made.bytes).document).names].sort()).toEqual([
      'date:tenant',
      'initials:landlord',
      'landlord',
      'tenant',
      'tenant_2',
      'witness',
    ]);
    expect(made.report.signatureFields).toEqual([
      { wanted: 'landlord', name: 'landlord' },
      { wanted: 'tenant', name: 'tenant' },
      { wanted: 'date:tenant', name: 'date:tenant' },
      { wanted: 'tenant', name: 'tenant_2' },
      { wanted: 'witness', name: 'witness' },
      { wanted: 'initials:landlord', name: 'initials:landlord' },
    ]);
  });

  test('stand within a point of where the text puts them', () => {
    const [landlord, left, right, witness] = placesIn(made.bytes).map(({ rectangle }) => rectangle);
    const label = wordAt(made.bytes, 'Landlord:');
    expect(Math.abs((landlord?.width ?? 0) - (50 * 72) / 25.4)).toBeLessThan(1);
    expect(Math.abs((landlord?.height ?? 0) - 40)).toBeLessThan(1);
    expect((landlord?.x ?? 0) - label.right).toBeGreaterThan(0);
    expect((landlord?.x ?? 0) - label.right).toBeLessThan(5);
    expect(Math.abs((right?.x ?? 0) - (left?.x ?? 0) - 225)).toBeLessThan(1);
    expect(Math.abs((witness?.width ?? 0) - 100)).toBeLessThan(1);
  });

  test('leave no link, no placeholder and no fault', async () => {
    expect(await qpdfComplaints(made.bytes)).toEqual([]);
    expect(made.bytes.includes('scriptorium-field')).toBe(false);
    expect(await pdfText(made.bytes)).not.toContain('sign here');
    if (kind === 'PDF/A-1b') expect(await breachesOfPdfA1b([made.bytes])).toEqual([[]]);
    if (kind !== 'PDF/UA') return;
    const tags = execFileSync('pdfinfo', ['-struct', '-'], { input: made.bytes, encoding: 'utf8' });
    expect(tags.match(/\bForm\b/g)).toHaveLength(6);
    expect(tags).not.toMatch(/\b(?:Link|Figure)\b/);
  });
});

test('a place in hidden text is named, and counts as a warning', async () => {
  const hidden = control('sign:ghost', '<w:r><w:rPr><w:vanish/></w:rPr><w:t>gone</w:t></w:r>');
  const made = await converted(docxOf(p(hidden) + p(control('sign:tenant')) + p(control('sign:..'))));
  expect(made.report).toMatchObject({
    warnings: 1,
    signatureFields: [{ wanted: 'ghost' }, { wanted: 'tenant', name: 'tenant' }],
  });
  expect(placesIn(made.bytes)).toMatchObject([{ name: 'tenant' }]);
  // A tag whose role is not a valid name stays.
  expect(await pdfText(made.bytes)).toContain('sign here');
});

test('text and links of a document cannot make a field', async () => {
  const link = `<w:fldSimple w:instr=' HYPERLINK "scriptorium-field:00/0" '>${text('forged')}</w:fldSimple>`;
  const made = await converted(docxOf(p(link) + p(control('sign:tenant'))));
  expect(placesIn(made.bytes)).toMatchObject([{ name: 'tenant' }]);
  expect(made.bytes.includes('scriptorium-field')).toBe(false);
});

test('what somebody filled in stays, and is a warning', async () => {
  const filled = control('date:tenant', text('2026-11-28')).replace('<w:showingPlcHdr/>', '');
  const places = ['tenant', 'tenant', 'tenant_2'].map((role) => control(`sign:${role}`));
  const made = await converted(docxOf(p(filled) + places.map(p).join('')));
  expect(await pdfText(made.bytes)).toContain('2026-11-28');
  expect(made.report).toMatchObject({
    warnings: 1,
    signatureFields: [
      { wanted: 'date:tenant' },
      { wanted: 'tenant', name: 'tenant' },
      { wanted: 'tenant', name: 'tenant_3' },
      { wanted: 'tenant_2', name: 'tenant_2' },
    ],
  });
});

test('a format without pages keeps the control', async () => {
  const { bytes } = await converted(docxOf(p(control('sign:tenant'))), { to: 'txt' });
  expect(bytes.toString()).toContain('sign here');
});
