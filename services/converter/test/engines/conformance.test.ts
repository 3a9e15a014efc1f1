import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { type Converted, convert } from '../../src/conversion/convert.ts';
import { systemFonts } from '../../src/conversion/fonts.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { finishThread } from '../../src/threads/threads.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';
import { infoOf, metadataOf, textOf } from '../rigs/pdf-text.ts';

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
const thread = finishThread({ threads: 1 });
beforeAll(() => engine.start());
afterAll(() => Promise.all([engine.close(), thread.close()]));

async function converted(document: Buffer, asked: object, title?: string): Promise<Converted> {
  const options: Conversion = conversion.parse({
    ...conversion.parse(convertOptions.parse({ from: 'docx' })),
    ...asked,
  });
  const parts = {
    engines: [engine],
    prepare: ({ bytes }: { bytes: Uint8Array }) => prepare(Buffer.from(bytes), options),
    fonts: systemFonts(),
    finish: thread.finish,
    draw: () => Promise.reject(new Error('no image is asked for')),
    onRemoved: () => {},
  };
  const signal = new AbortController().signal;
  return await convert(parts, document, options, { signal, deadlineAt: Date.now() + 150_000, title });
}

const paragraph = (text: string, style = '') =>
  `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const LINK =
  '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://example.com/a(b)" </w:instrText></w:r>' +
  '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>A link</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>';
const LETTER = docxOf(paragraph('Title', 'Heading1') + paragraph('Words') + LINK);

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const SHAPE = 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape';
const extent = 'cx="900000" cy="500000"';

/** A rectangle with a text for those who cannot see it, or an empty one. */
const shape = (description: string) =>
  `<w:p><w:r><w:drawing><wp:inline xmlns:wp="${DRAWING}/wordprocessingDrawing" xmlns:a="${DRAWING}/main" xmlns:wps="${SHAPE}">` +
  `<wp:extent ${extent}/><wp:docPr id="1" name="Box" descr="${description}"/><a:graphic><a:graphicData uri="${SHAPE}"><wps:wsp>` +
  `<wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${extent}/></a:xfrm><a:prstGeom prst="rect"/>` +
  '<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></wps:spPr><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>' +
  '</wp:inline></w:drawing></w:r></w:p>';

/** The same document with a title in its properties. */
function titled(title: string): Buffer {
  const properties =
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ' +
    `xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`;
  const mainXml = `<w:document ${NAMESPACES}><w:body>${paragraph('Words')}</w:body></w:document>`;
  const entries = packageEntries({ mainXml, parts: [{ name: 'docProps/core.xml', data: properties }] });
  const type =
    '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>';
  const link =
    '<Relationship Id="rIdCore" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>';
  return zip(
    entries.map((entry) => {
      if (entry.name === '[Content_Types].xml')
        return { ...entry, data: String(entry.data).replace('</Types>', `${type}</Types>`) };
      if (entry.name === '_rels/.rels')
        return { ...entry, data: String(entry.data).replace('</Relationships>', `${link}</Relationships>`) };
      return entry;
    }),
  );
}

describe('a PDF/A', () => {
  test.each(['1b', '2b', '3b'] as const)(
    'of level %s has the dates of its information dictionary in its XMP',
    async (pdfa) => {
      const { bytes, report } = await converted(LETTER, { pdfa });
      const xmp = metadataOf(bytes);
      const created = new Date(`${infoOf(bytes, 'CreationDate')}`);
      expect(xmp).not.toContain('0000-00-00');
      expect(xmp).toContain(`<xmp:CreateDate>${created.toISOString().slice(0, 19)}Z</xmp:CreateDate>`);
      expect(report.conformance).toEqual({ missing: [] });
    },
  );
});

describe('a PDF/UA', () => {
  test('has the name of the file as its title if the document has none, and viewers show it', async () => {
    const { bytes, report } = await converted(LETTER, { pdfua: true }, 'Angebot (Müller)');
    expect(infoOf(bytes, 'Title')).toBe('Angebot (Müller)');
    expect(metadataOf(bytes)).toMatch(/<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Angebot \(Müller\)</);
    expect(bytes.toString('latin1')).toContain('/DisplayDocTitle true');
    expect(textOf(bytes)).toBe('Title Words A link');
    expect(report).toMatchObject({ conformance: { missing: [] }, warnings: 0 });
  });

  test('keeps the title of the document', async () => {
    const { bytes, report } = await converted(titled('Own title'), { pdfua: true, pdfa: '2b' }, 'file');
    expect(infoOf(bytes, 'Title')).toBe('Own title');
    expect(bytes.toString('latin1')).toContain('/DisplayDocTitle true');
    expect(report.conformance).toEqual({ missing: [] });
  });

  test('is reported to lack a title if there is none', async () => {
    const { report } = await converted(LETTER, { pdfua: true });
    expect(report).toMatchObject({ conformance: { missing: [{ what: 'title', count: 1 }] }, warnings: 1 });
  });

  test('describes its links', async () => {
    const { bytes } = await converted(LETTER, { pdfua: true }, 'file');
    expect(bytes.toString('latin1')).toContain('/Contents (https://example.com/a\\(b\\))');
  });

  test('is reported to lack the texts of pictures that have none, and levels of headings', async () => {
    const missing = async (body: string) =>
      (await converted(docxOf(body), { pdfua: true }, 'file')).report.conformance?.missing;
    expect(await missing(shape('A red box'))).toEqual([]);
    expect(await missing(shape('') + shape('A red box') + shape(''))).toEqual([
      { what: 'alternative text', count: 2 },
    ]);
    const third = '<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>';
    expect(await missing(paragraph('Top', 'Heading1') + third)).toEqual([
      { what: 'heading level', count: 1 },
    ]);
  });
});

describe('a PDF', () => {
  test('has tags unless the caller does without', async () => {
    const tagged = await converted(LETTER, {});
    const untagged = await converted(LETTER, { tagged: false });
    expect([infoOf(tagged.bytes, 'Tagged'), infoOf(untagged.bytes, 'Tagged')]).toEqual(['yes', 'no']);
    expect(textOf(untagged.bytes)).toBe(textOf(tagged.bytes));
    expect(untagged.bytes.length).toBeLessThan(tagged.bytes.length);
    expect(tagged.report.conformance).toBeUndefined();
  });
});
