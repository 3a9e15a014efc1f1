import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FontBook } from '@scriptorium/fonts/font-book';
import { openPdf } from '@scriptorium/pdf/read';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import {
  croppedPdf,
  crowdedPdf,
  formPdf,
  onePage,
  packedPdf,
  plainPdf,
  rotatedPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { mutoolVerdicts, pdfsig, pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { opensslKey } from '@scriptorium/testing/openssl-signing';
import {
  attachment,
  attachmentNames,
  drawingComplaints,
  fontsFrom,
  pageSizes,
  textFrom,
} from '@scriptorium/testing/pdf-reading';
import { auditJson, readAuditJson } from '../../src/audit/audit-json.ts';
import { checkRecord } from '../../src/audit/audit-record.ts';
import { type AuditedPdf, addAuditTrail } from '../../src/audit/embed-pdf.ts';
import { signed } from '../signing.ts';
import { recordOf } from './records.ts';

async function audited(pdf: Buffer, record = recordOf({}, pdf), pages = true): Promise<AuditedPdf> {
  const result = await addAuditTrail(pdf, record, { pages });
  if (!result) throw new Error('The document was treated as signed.');
  return result;
}

const A4 = { width: 595.276, height: 841.89 };
/** Ten pages under two nodes with inherited resources, boxes and rotation; the last node has no page. */
const nestedPdf = (): Buffer => {
  const leaf = '<</Type/Page/Parent 2 0 R/Contents 6 0 R>>';
  return classicPdf([
    '<</Type/Catalog/Pages 3 0 R>>',
    '<</Type/Pages/Parent 3 0 R/Kids 8 0 R/Count 2/CropBox[20 20 580 780]>>',
    '<</Type/Pages/Kids[2 0 R 9 0 R]/Count 2/MediaBox[0 0 600 800]/Rotate 90/Resources<</Font<</F1 5 0 R>>>>>>',
    leaf,
    '<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>',
    streamBody('', Buffer.from('BT /F1 12 Tf 50 500 Td (Agreement) Tj ET')),
    leaf,
    '[4 0 R 7 0 R]',
    '<</Type/Pages/Parent 3 0 R/Kids[]/Count 0>>',
  ]);
};
/** Written by qpdf, with the first page's cross-reference data before all others. */
function linearizedPdf(): Promise<Buffer> {
  return withFiles([packedPdf()], '.pdf', async ([path = ''], folder) => {
    const made = join(folder, 'linearized.pdf');
    expect(await outcomeOf('qpdf', ['--linearize', path, made])).toMatchObject({ status: 0 });
    return await readFile(made);
  });
}

describe('an audit trail in a PDF', () => {
  test.each<[string, () => Buffer | Promise<Buffer>, { width: number; height: number }]>([
    ['a cross-reference table', plainPdf, { width: 400, height: 600 }],
    ['a cross-reference stream', packedPdf, { width: 400, height: 600 }],
    ['both, as a hybrid file', twofoldPdf, { width: 400, height: 600 }],
    ['a form', formPdf, { width: 400, height: 600 }],
    ['linearization', linearizedPdf, { width: 400, height: 600 }],
    ['a rotated page', () => rotatedPdf(90), { width: 600, height: 400 }],
    ['a page with negative rotation', () => rotatedPdf(-90), { width: 600, height: 400 }],
    ['a cropped page too small for text', croppedPdf, A4],
    ['nested nodes with inherited attributes', nestedPdf, { width: 760, height: 560 }],
    ['a user unit', () => classicPdf(onePage('/UserUnit 1.5')), { width: 600, height: 900 }],
    ['a poster page', () => classicPdf(onePage('/MediaBox[0 0 3000 2000]')), A4],
  ])('leaves a document with %s unchanged and adds readable pages and a file', async (_case, make, size) => {
    const original = await make();
    const record = recordOf({}, original);
    const { pdf, warnings } = await audited(original, record);
    expect(warnings).toEqual([]);
    expect(pdf.subarray(0, original.length).equals(original)).toBe(true);
    expect(await qpdfComplaints(pdf)).toEqual([]);
    const before = await pageSizes(original);
    const after = await pageSizes(pdf);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    for (const added of after.slice(before.length)) {
      expect(added.width).toBeCloseTo(size.width, 1);
      expect(added.height).toBeCloseTo(size.height, 1);
    }
    const text = await textFrom(pdf, before.length + 1);
    expect(text).toContain('Audit trail');
    expect(text).toContain('Ada Lovelace');
    expect(text).not.toContain('Agreement');
    expect(await pdfText(pdf)).toContain('Agreement');
    expect(await attachmentNames(pdf)).toEqual(['audit.json']);
    expect(await attachment(pdf, 1)).toEqual(auditJson(record));
  });

  test('contains the record in the file, extracted by any tool', async () => {
    const original = plainPdf();
    const { pdf } = await audited(original);
    const read = readAuditJson(await attachment(pdf, 1));
    expect(read && checkRecord(read)).toBeUndefined();
    expect(read?.entries).toHaveLength(5);
  });

  test('is only a file if no pages are requested', async () => {
    const original = packedPdf();
    const { pdf } = await audited(original, recordOf({}, original), false);
    expect(await pageSizes(pdf)).toEqual(await pageSizes(original));
    expect(await attachmentNames(pdf)).toEqual(['audit.json']);
    expect(await qpdfComplaints(pdf)).toEqual([]);
  });

  test('is only a file on a host without fonts, with a warning', async () => {
    const fonts = new FontBook(['/nowhere']);
    const { pdf, warnings } =
      (await addAuditTrail(plainPdf(), recordOf(), { pages: true, fonts })) ?? (await audited(plainPdf()));
    expect(warnings).toEqual([{ code: 'AUDIT_NO_PAGES', message: expect.stringContaining('audit.json') }]);
    expect(await pageSizes(pdf)).toEqual(await pageSizes(plainPdf()));
    expect(await attachmentNames(pdf)).toEqual(['audit.json']);
  });

  test('describes its file as ISO 32000-2 and ISO 19005-3 require', async () => {
    const { pdf } = await audited(plainPdf(), recordOf({}, plainPdf()), false);
    const update = pdf.toString('latin1', plainPdf().length);
    expect(update).toMatch(/\/AF ?\[\d+ 0 R\]/);
    expect(update).toContain('/AFRelationship/Data');
    expect(update).toMatch(/\/Subtype\/application#2f(?=json)/i);
    expect(update).toMatch(
      /\/CheckSum<[0-9a-f]{32}>\/CreationDate\(D:20260302102030Z\)\/ModDate\(D:20260302102030Z\)/,
    );
    expect(update).toMatch(/\/F\(audit\.json\)\/UF\(audit\.json\)/);
  });

  test('embeds the fonts of its pages with searchable text', async () => {
    const { pdf } = await audited(plainPdf());
    const fonts = await fontsFrom(pdf, 2);
    expect(fonts.length).toBeGreaterThanOrEqual(3);
    for (const font of fonts)
      expect(font).toMatchObject({ isEmbedded: true, isSubset: true, hasUnicode: true });
    expect(pdf.length - plainPdf().length).toBeLessThan(80_000);
  });

  test('is not added to a signed document', async () => {
    const key = await opensslKey('Ada Signer');
    try {
      const pdf = await signed(plainPdf(), key);
      expect(await addAuditTrail(pdf, recordOf({}, pdf), { pages: true })).toBeUndefined();
    } finally {
      key.remove();
    }
  });

  test.each([
    ['a cross-reference table', plainPdf],
    ['a cross-reference stream', packedPdf],
  ])('is sealed by a signature over the whole file, in a document with %s', async (_case, make) => {
    const key = await opensslKey('Ada Signer');
    try {
      const appearance = {
        page: 1,
        rectangle: { x: 20, y: 20, width: 200, height: 60 },
        text: 'Ada 王小明 محمد',
      };
      const pdf = await signed((await audited(make())).pdf, key, { appearance });
      expect(await pdfsig(pdf)).toMatchObject([{ validation: 'Signature is Valid.', coversAll: true }]);
      expect(await mutoolVerdicts(pdf)).toEqual(['The document is unchanged since signing.']);
      expect(await qpdfComplaints(pdf)).toEqual([]);
      expect(await attachmentNames(pdf)).toEqual(['audit.json']);
      expect(await drawingComplaints(pdf, 1)).toBe('');
    } finally {
      key.remove();
    }
  });

  test('adds only a few objects to a document with 100,000 objects', async () => {
    const original = crowdedPdf(100_000);
    const { pdf } = await audited(original);
    expect(pdf.length - original.length).toBeLessThan(80_000);
    expect(await attachmentNames(pdf)).toEqual(['audit.json']);
  });
});

const file = (num: number, name: string, data: string): string[] | [string, Buffer] => [
  `<</Type/Filespec/F(${name})/UF(${name})/EF<</F ${num + 1} 0 R>>>>`,
  streamBody('/Type/EmbeddedFile', Buffer.from(data)),
];

describe('an audit trail in a document with attached files', () => {
  const files = [...file(6, 'a.txt', 'first'), ...file(8, 'z.txt', 'last')];
  const leafKeys = '/Names[(a)6 0 R(z)8 0 R]';
  test.each<[string, string, (string | Buffer)[]]>([
    ['in the catalog itself', `/Names<</EmbeddedFiles<<${leafKeys}>>>>/AF[6 0 R]`, files],
    [
      'in indirect objects',
      '/Names 10 0 R/AF 12 0 R',
      [...files, '<</EmbeddedFiles 11 0 R/Dests<<>>>>', `<<${leafKeys}>>`, '[6 0 R]'],
    ],
    [
      'in a tree of nodes',
      '/Names<</EmbeddedFiles 10 0 R>>',
      [
        ...files,
        '<</Kids[11 0 R 12 0 R]>>',
        '<</Limits[(a)(a)]/Names[(a)6 0 R]>>',
        '<</Limits[(z)(z)]/Kids[13 0 R]>>',
        '<</Limits[(z)(z)]/Names[(z)8 0 R]>>',
      ],
    ],
    ['before all others', '/Names<</EmbeddedFiles<</Names[(y)6 0 R(z)8 0 R]>>>>', files],
    [
      'after all others',
      '/Names<</EmbeddedFiles<</Kids[10 0 R]>>>>',
      [...files, '<</Limits[(A)(B)]/Names[(A)6 0 R(B)8 0 R]>>'],
    ],
  ])('is inserted %s', async (_case, catalogKeys, more) => {
    const original = classicPdf(onePage('', catalogKeys, more));
    const record = recordOf({}, original);
    const { pdf } = await audited(original, record);
    expect(await qpdfComplaints(pdf)).toEqual([]);
    const names = await attachmentNames(pdf);
    expect([...names].sort()).toEqual(['a.txt', 'audit.json', 'z.txt']);
    const read = async (name: string): Promise<Buffer> => attachment(pdf, names.indexOf(name) + 1);
    expect(String(await read('a.txt'))).toBe('first');
    expect(String(await read('z.txt'))).toBe('last');
    expect(await read('audit.json')).toEqual(auditJson(record));
    expect(keysOf(pdf)).toEqual([...keysOf(pdf)].sort());
  });

  /** Returns the keys of embedded files in tree order, as qpdf writes the file without streams. */
  function keysOf(pdf: Buffer): string[] {
    const { document } = openPdf(pdf);
    const walk = (node: ReturnType<typeof document.dict>): string[] => {
      if (!node) return [];
      const kids = document.get(node, 'Kids');
      if (Array.isArray(kids)) return kids.flatMap((kid) => walk(document.resolve(kid) as never));
      const names = document.get(node, 'Names') as { bytes?: Buffer }[];
      return names.flatMap((name, index) => (index % 2 === 0 ? [String(name.bytes)] : []));
    };
    const names = document.dict(document.catalog.value, 'Names');
    return walk(names && document.dict(names, 'EmbeddedFiles'));
  }
});

describe('the PDF/A conformance of a document', () => {
  const xmp = (part: string, rest = ''): string =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description pdfaid:part="${part}"${rest}/></x:xmpmeta>`;
  const claiming = (xml: string): Buffer =>
    classicPdf(onePage('', '/Metadata 6 0 R', [streamBody('/Type/Metadata/Subtype/XML', Buffer.from(xml))]));

  test.each([
    ['1', xmp('1', ' pdfaid:conformance="B"')],
    ['2', '<pdfaid:part>2</pdfaid:part><pdfaid:conformance>U</pdfaid:conformance>'],
    ['4', xmp('4')],
  ])('is lost through the file in part %s, with a warning', async (part, xml) => {
    expect((await audited(claiming(xml))).warnings).toEqual([
      { code: 'PDFA_LOST', message: expect.stringContaining(`PDF/A-${part}`) },
    ]);
  });

  test.each([
    ['3', xmp('3', ' pdfaid:conformance="A"')],
    ['4 with files', xmp('4', " pdfaid:conformance='F'")],
  ])('is kept in part %s: no device color, no external font', async (_case, xml) => {
    const { pdf, warnings } = await audited(claiming(xml));
    expect(warnings).toEqual([]);
    expect(pdf.toString('latin1')).toContain('/DefaultGray[/CalGray');
    expect((await fontsFrom(pdf, 2)).every(({ isEmbedded }) => isEmbedded)).toBe(true);
  });
});
