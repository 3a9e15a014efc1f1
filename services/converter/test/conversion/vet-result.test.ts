import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { convertOptions } from '@scriptorium/contracts/jobs/convert';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { escaped, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { convert } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import { SourceRouter } from '../../src/engines/kit/source-router.ts';
import { finishThread } from '../../src/threads/threads.ts';
import { documentWithComment } from '../rigs/documents.ts';

const engine = new SourceRouter({ zygotes: 1 });
const finishing = finishThread({ threads: 1 });
const removed: string[] = [];
beforeAll(() => engine.start());
afterAll(() => Promise.all([engine.close(), finishing.close()]));

/** Converts a document, with the sanitizer or without it. */
async function converted(from: string, document: Buffer, { isSanitized = true, query = {} } = {}) {
  removed.length = 0;
  const options = convertOptions.parse({ from, ...query });
  const nothing = await prepare(Buffer.from('x'), { ...options, from: 'txt' });
  const parts = {
    engines: [engine],
    prepare: async ({ bytes }: { bytes: Uint8Array }) =>
      isSanitized
        ? await prepare(Buffer.from(bytes), options)
        : { ...nothing, bytes: Buffer.from(bytes), engineSource: from as 'xlsx' },
    fonts: systemFonts(),
    finish: finishing.finish,
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: (what: string) => void removed.push(what),
  };
  const context = { signal: new AbortController().signal, deadlineAt: Date.now() + 60_000 };
  const { bytes, report } = await convert(parts, document, options, context);
  const text = bytes.toString('latin1');
  return { links: [...text.matchAll(/\/URI ?\(((?:[^\\)]|\\.)*)\)/g)].map(([, link]) => link), text, report };
}

const HYPERLINK = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink';
const toAnnex = { id: 'rIdA', kind: 'hyperlink', target: 'annex.txt', isExternal: true };
const docx = zip(
  packageEntries({
    mainXml:
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body><w:p><w:hyperlink r:id="a"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p></w:body></w:document>',
    parts: [
      {
        name: 'word/_rels/document.xml.rels',
        data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${HYPERLINK}" Target="annex.txt" TargetMode="External"/></Relationships>`,
      },
    ],
  }),
);
const row = (...formulas: string[]) =>
  formulas
    .map((formula, at) => `<row r="${at + 1}"><c r="A${at + 1}" t="str"><f>${escaped(formula)}</f></c></row>`)
    .join('');
const a = (href: string) => `<text:p><text:a xlink:href="${href}">x</text:a></text:p>`;

describe('a PDF has a link to the folder of its document as it was written', () => {
  test.each([
    ['docx', docx],
    ['rtf', Buffer.from('{\\rtf1\\ansi {\\field{\\*\\fldinst HYPERLINK "annex.txt"}{\\fldrslt x}}}')],
    // Addresses in OpenDocument begin inside of the package.
    ['odt', odtWith({ text: a('../annex.txt') })],
    ['xlsx', workbookWith({ sheets: [{ rows: row('HYPERLINK("annex.txt","x")') }] })],
    [
      'ods',
      odtWith({
        body: 'spreadsheet',
        text: `<table:table table:name="S"><table:table-row><table:table-cell>${a('../annex.txt')}</table:table-cell></table:table-row></table:table>`,
      }),
    ],
    [
      'pptx',
      presentationWith({
        slides: [{ shapes: textShape('x', '', '<a:hlinkClick r:id="rIdA"/>'), links: [toAnnex] }],
      }),
    ],
  ])('of %s', async (from, document) => {
    for (const query of [{}, { pdfa: '2b', pdfua: 'true' }]) {
      const { links, text } = await converted(from, document, { query });
      expect(new Set(links)).toEqual(new Set(['annex.txt']));
      expect(text).not.toMatch(/dev\/shm|zygote|job-/);
    }
    expect(removed).toEqual([]);
  });
});

describe('a link that the sanitizer does not see', () => {
  const addresses = ['file:///etc/hostname', 'javascript:alert(1)', 'smb://files.example/x'];
  const workbook = workbookWith({
    sheets: [
      { rows: row(...addresses.map((it) => `HYPERLINK("${it[0]}"&"${it.slice(1)}","text")`), '"text"') },
    ],
  });

  test('is removed from the PDF, named and counted', async () => {
    const { links, report } = await converted('xlsx', workbook, { isSanitized: false });
    expect(links).toEqual([]);
    expect(report.dropped).toEqual({
      count: 3,
      items: addresses.map((detail) => ({ what: 'unsafe link', part: 'result', detail })),
    });
    expect(report.warnings).toBe(3);
    expect(removed).toEqual(['link', 'link', 'link']);
  });

  test('is not there with the sanitizer, which names the formula', async () => {
    const { links, report } = await converted('xlsx', workbook);
    expect(links).toEqual([]);
    expect(report.dropped.items.map(({ what }) => what)).toEqual(['formula', 'formula', 'formula']);
    expect(removed).toEqual([]);
  });
});

describe('a comment that LibreOffice writes into a page as markup', () => {
  test.each([
    ['HTML: <script>alert(1)</script>', 'script'],
    ['<meta http-equiv="refresh" content="0;url=http://evil.example/">', 'meta refresh'],
  ])('is removed, named and counted: %s', async (comment, detail) => {
    const { text, report } = await converted('docx', documentWithComment('Words', comment), {
      query: { to: 'html' },
    });
    expect(text).toContain('Words');
    expect(text).not.toMatch(/script|refresh|evil/);
    expect(report.dropped.items).toEqual([{ what: 'active content', part: 'html', detail }]);
    expect(removed).toEqual(['action']);
  });
});

test.each(['docx', 'odt', 'html', 'txt'] as const)(
  'a %s has a link to the folder of its document as it was written, and loses nothing',
  async (to) => {
    const { report } = await converted('docx', docx, { query: { to } });
    expect(report.dropped.count).toBe(0);
    expect(removed).toEqual([]);
  },
);
