import { describe, expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { documentXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { prepare } from '../../src/prepare.ts';
import type { SourceFormat } from '../../src/sources/sanitizers.ts';

const options = { revisions: 'markup', updateFields: 'none' } as const;
const docx = (body: string, columns = 1) =>
  zip(
    packageEntries({
      mainXml: documentXml(['last']).replace(
        '<w:body>',
        `<w:body>${body}<w:p><w:pPr><w:sectPr><w:cols w:num="${columns}"/></w:sectPr></w:pPr></w:p>`,
      ),
    }),
  );
const text = (value: string) => `<w:r><w:t>${value}</w:t></w:r>`;
const paragraph = (content: string) => `<w:p>${content}</w:p>`;
const table = (rows: number, cells: number) =>
  `<w:tbl>${`<w:tr>${`<w:tc>${paragraph(text('x'))}</w:tc>`.repeat(cells)}</w:tr>`.repeat(rows)}</w:tbl>`;
const html = (body: string) => Buffer.from(`<!DOCTYPE html><html><body>${body}</body></html>`);
const rtf = (content: string) => Buffer.from(`{\\rtf1\\ansi ${content}}`);
const odt = (text: string, before = '') => odtWith({ text, before });
const style = (columns: number) =>
  `<office:automatic-styles><style:style style:name="S" style:family="section"><style:section-properties><style:columns fo:column-count="${columns}"/></style:section-properties></style:style></office:automatic-styles>`;

/** For each bound and format: a document at the bound, and one that passes it. */
const CASES: [SourceFormat, string, () => Buffer | Promise<Buffer>, () => Buffer | Promise<Buffer>][] = [
  ['docx', '100 text columns on one page', () => docx('', 100), () => docx('', 101)],
  ['docx', '200,000 paragraphs', () => docx('<w:p/>'.repeat(199_000)), () => docx('<w:p/>'.repeat(200_001))],
  [
    'docx',
    '250,000 characters in one paragraph',
    () => docx(paragraph(text('abcde ').repeat(19_000))),
    () => docx(paragraph(text('x'.repeat(250_001)))),
  ],
  [
    'docx',
    '20,000 differently formatted pieces in one paragraph',
    () => docx(paragraph(text('x').repeat(20_000))),
    () => docx(paragraph(text('x').repeat(20_001))),
  ],
  ['docx', '10,000 rows in one table', () => docx(table(10_000, 1)), () => docx(table(10_001, 1))],
  ['docx', '1,000 table cells in one row', () => docx(table(1, 1_000)), () => docx(table(1, 1_001))],
  ['docx', '100,000 table cells', () => docx(table(5_000, 10)), () => docx(table(10_000, 11))],
  [
    'docx',
    '1,000 table cells in one row',
    () => docx(table(1, 1)),
    () =>
      docx(
        `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="20000"/></w:tcPr>${paragraph('')}</w:tc></w:tr></w:tbl>`,
      ),
  ],
  ['rtf', '100 text columns on one page', () => rtf('\\cols100 x\\par'), () => rtf('\\cols101 x\\par')],
  ['rtf', '200,000 paragraphs', () => rtf('\\par '.repeat(199_000)), () => rtf('\\par '.repeat(200_001))],
  [
    'rtf',
    '250,000 characters in one paragraph',
    () => rtf(`${'x'.repeat(200_000)}\\par ${'x'.repeat(200_000)}`),
    () => rtf(`${'x'.repeat(200_000)}{\\b ${"\\'e4".repeat(50_001)}}`),
  ],
  [
    'rtf',
    '1,000 table cells in one row',
    () => rtf(`\\trowd${'\\cellx900'.repeat(1_000)}${'x\\cell '.repeat(1_000)}\\row`.repeat(2)),
    () => rtf(`\\trowd${'\\cellx900'.repeat(1_001)} x\\cell\\row`),
  ],
  [
    'html',
    '250,000 characters in one paragraph',
    () => html(`<p>${'x '.repeat(100_000)}</p>`.repeat(3)),
    () => html(`<p>${'<b>x</b> '.repeat(10)}${'x '.repeat(130_000)}</p>`),
  ],
  [
    'html',
    '20,000 differently formatted pieces in one paragraph',
    () => html(`<p>${'<b>x</b>'.repeat(10_000)}</p>`.repeat(2)),
    () => html('<i>x</i>'.repeat(20_001)),
  ],
  [
    'html',
    '10,000 rows in one table',
    () => html('<table><tr><td>x</td></tr></table>'.repeat(20_000)),
    () => html(`<table>${'<tr><td>x</td></tr>'.repeat(10_001)}</table>`),
  ],
  [
    'html',
    '100 text columns on one page',
    () => html('<div style="column-count: 100">x</div>'),
    () => html('<div style="column-count: 20000">x</div>'),
  ],
  ['odt', '100 text columns on one page', () => odt('', style(100)), () => odt('', style(101))],
  [
    'odt',
    '200,000 paragraphs',
    () => odt('<text:p/>'.repeat(199_000)),
    () => odt('<text:p/>'.repeat(200_001)),
  ],
  [
    'odt',
    '250,000 characters in one paragraph',
    () => odt(`<text:p>${'x'.repeat(250_000)}</text:p>`),
    () => odt(`<text:p>${'<text:span>xx</text:span>'.repeat(1)}${'x'.repeat(250_001)}</text:p>`),
  ],
  [
    'odt',
    '10,000 rows in one table',
    () => odt('<table:table><table:table-row table:number-rows-repeated="10000"/></table:table>'),
    () => odt('<table:table><table:table-row table:number-rows-repeated="10001"/></table:table>'),
  ],
];

describe('a document whose layout takes too long', () => {
  test.each(few(CASES, 3))(
    'is rejected as %s with more than %s, but not at that bound',
    async (from, bound, good, bad) => {
      await prepare(await good(), { from, ...options });
      await expect(prepare(await bad(), { from, ...options })).rejects.toMatchObject({
        code: 'DOCUMENT_TOO_COMPLEX',
        message: expect.stringContaining(`more than ${bound}`),
      });
    },
  );
});
