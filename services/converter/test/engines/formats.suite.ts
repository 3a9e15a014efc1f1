import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TARGET_FORMATS, type TargetFormat } from '@scriptorium/contracts/jobs/target-formats';
import { isAsWide } from '../../src/conversion/fonts.ts';
import type { ConversionRequest, Engine, EngineResult } from '../../src/engines/engine.ts';
import { metricCopyOf } from '../../src/engines/metric-fonts.ts';
import {
  documentInFonts,
  documentWithComment,
  htmlWith,
  pagesOfText,
  partOf,
  pngSize,
  RED_PIXEL,
  rtfWith,
  writtenByOffice,
} from '../rigs/documents.ts';
import { embeddingOf, infoOf, metadataOf, pagesOf, textOf } from '../rigs/pdf-text.ts';

const THREE_PAGES = pagesOfText(['Erste Seite: Grüße', 'Second page', 'Third page']);

/** Converts without a time limit; by default DOCX to PDF. */
export function make(
  engine: Engine,
  input: Uint8Array,
  request: Partial<ConversionRequest>,
): Promise<EngineResult> {
  const run = { timeoutMs: 150_000, signal: new AbortController().signal };
  return engine.convert(input, { from: 'docx', to: 'pdf', ...request }, run);
}

/** The formats and options of every engine. For one whose start takes seconds a document, `extent` 'each once' leaves out variants. */
export function describeFormats(engine: Engine, extent: 'all' | 'each once' = 'all'): void {
  const few = <T>(values: readonly T[]): readonly T[] => (extent === 'all' ? values : values.slice(0, 1));
  describe(`the ${engine.name} engine`, () => {
    beforeAll(() => engine.start());
    afterAll(() => engine.close());

    test.each(few(['2b', '1b', '3b'] as const))(
      'writes PDF/A-%s with its metadata and embedded fonts',
      async (pdfa) => {
        const { bytes, pages } = await make(engine, THREE_PAGES, { pdfa });
        expect(metadataOf(bytes)).toContain(`<pdfaid:part>${pdfa[0]}</pdfaid:part>`);
        expect(metadataOf(bytes)).toContain('<pdfaid:conformance>B</pdfaid:conformance>');
        expect(embeddingOf(bytes)).toContain(true);
        expect(embeddingOf(bytes)).not.toContain(false);
        expect(pages).toBe(3);
      },
    );

    test('writes tagged PDF/UA, also combined with PDF/A', async () => {
      const { bytes, pages } = await make(engine, THREE_PAGES, { pdfua: true, pdfa: '2b' });
      expect(metadataOf(bytes)).toContain('<pdfuaid:part>1</pdfuaid:part>');
      expect(metadataOf(bytes)).toContain('<pdfaid:part>2</pdfaid:part>');
      expect(infoOf(bytes, 'Tagged')).toBe('yes');
      expect(pages).toBe(3);
    });

    test('exports a page range, cut at the document’s end', async () => {
      const some = await make(engine, THREE_PAGES, { pages: '1,3-9' });
      expect(textOf(some.bytes)).toBe('Erste Seite: Grüße Third page');
      expect(some).toMatchObject({ pages: 2, documentPages: 3 });
      const rest = await make(engine, THREE_PAGES, { pages: '3-' });
      expect(textOf(rest.bytes)).toBe('Third page');
    });

    test.each(few(['1,7', '4', '5-']))('refuses page “%s” of a document of three', async (pages) => {
      await expect(make(engine, THREE_PAGES, { pages })).rejects.toMatchObject({
        kind: 'no-such-page',
        documentPages: 3,
      });
    });

    test('exports comments only if requested, in the margin', async () => {
      const document = documentWithComment('Commented', 'Remark');
      expect(textOf((await make(engine, document, { comments: 'margin' })).bytes)).toContain('Remark');
      for (const comments of few([undefined, 'hide'] as const)) {
        const { bytes } = await make(engine, document, comments === undefined ? {} : { comments });
        expect(textOf(bytes)).toBe('Commented');
        expect(bytes.includes('/Annot')).toBe(false);
      }
    });

    // The tests below write each of them, too.
    if (extent === 'all')
      test.each(Object.keys(TARGET_FORMATS) as TargetFormat[])('writes a complete file of %s', async (to) => {
        const { bytes, pages } = await make(engine, THREE_PAGES, { to });
        expect(bytes.length).toBeGreaterThan(0);
        expect(pages).toBe(3);
      });

    test('writes DOCX', async () => {
      const { bytes, pages } = await make(engine, THREE_PAGES, { to: 'docx' });
      expect(await partOf(bytes, 'word/document.xml')).toContain('Second page');
      expect(textOf((await make(engine, bytes, {})).bytes)).toContain('Third page');
      expect(pages).toBe(3);
    });

    test('writes ODT, and can read it back', async () => {
      const { bytes } = await make(engine, THREE_PAGES, { to: 'odt' });
      expect(bytes.toString('latin1', 30, 77)).toBe('mimetypeapplication/vnd.oasis.opendocument.text');
      expect(await partOf(bytes, 'content.xml')).toContain('Erste Seite: Grüße');
      const again = await make(engine, bytes, { from: 'odt' });
      expect(textOf(again.bytes)).toBe('Erste Seite: Grüße Second page Third page');
    });

    test('writes plain text in UTF-8 without a byte order mark', async () => {
      const { bytes, pages } = await make(engine, THREE_PAGES, { to: 'txt' });
      expect(
        bytes
          .toString()
          .trim()
          .split(/\s*\n\s*/),
      ).toEqual(['Erste Seite: Grüße', 'Second page', 'Third page']);
      expect(bytes[0]).toBe('E'.charCodeAt(0));
      expect(pages).toBe(3);
    });

    test('writes HTML in one file with its images', async () => {
      const { bytes } = await make(engine, htmlWith('Überschrift'), { from: 'html', to: 'html' });
      const html = bytes.toString();
      expect(html).toMatch(/charset=utf-8/i);
      expect(html).toMatch(/>\s*(Ü|&Uuml;)berschrift\s*</);
      expect(html).toContain(`src="data:image/png;base64,${RED_PIXEL.slice(0, 20)}`);
      expect(html.replace(/src="data:/g, '')).not.toMatch(/src=|href=/);
    });

    test('writes an image of the first page with its proportions', async () => {
      const { bytes, pages } = await make(engine, THREE_PAGES, { to: 'png' });
      const { width, height } = pngSize(bytes);
      expect(width).toBeGreaterThan(700);
      expect(height / width).toBeCloseTo(Math.SQRT2, 1);
      expect(pages).toBe(3);
    });

    test('converts RTF, DOC, ODT and HTML to PDF', async () => {
      const { doc, odt } = await writtenByOffice('Grüße');
      const sources = { doc, odt, rtf: rtfWith('Gr\\u252?\\u223?e'), html: htmlWith('Grüße') } as const;
      for (const from of ['doc', 'odt', 'rtf', 'html'] as const) {
        const { bytes, pages } = await make(engine, sources[from], { from });
        expect([from, textOf(bytes), pages]).toEqual([from, 'Grüße', 1]);
      }
    });

    test('lays HTML out on pages, not on a single endless one', async () => {
      const long = htmlWith(Array.from({ length: 200 }, (_, i) => `Line ${i}`).join('</h1><h1>'));
      const { bytes, pages } = await make(engine, long, { from: 'html' });
      expect(pages).toBeGreaterThan(3);
      expect(pages).toBe(pagesOf(bytes));
      expect(infoOf(bytes, 'Page size')).toMatch(/A4|letter/);
    });

    test('never reads a file with another format’s importer', async () => {
      const { doc, odt } = await writtenByOffice('Words');
      const files = { docx: pagesOfText(['Words']), doc, odt, rtf: rtfWith('Words') } as const;
      for (const from of few(['docx', 'doc', 'odt'] as const)) {
        for (const [is, bytes] of Object.entries(files)) {
          if (is === from) continue;
          await expect(make(engine, bytes, { from })).rejects.toMatchObject({ kind: 'unreadable' });
        }
      }
    }, 180_000);

    test('names the replaced fonts if it can detect them', async () => {
      const { missingFonts } = await make(
        engine,
        documentInFonts(['Nonesuch Serif', 'Carlito', 'Faraway Sans']),
        {},
      );
      expect(namesOfOtherWidths(missingFonts) ?? 'unknown').toEqual(
        engine.name === 'libreofficekit' ? ['Faraway Sans', 'Nonesuch Serif'] : 'unknown',
      );
    });
  });
}

/**
 * Fonts that others replace which are not as wide. LibreOfficeKit reports no replacement, and names fonts with a copy of the same
 * widths only at times.
 */
export const namesOfOtherWidths = (fonts: EngineResult['missingFonts']): string[] | undefined =>
  fonts
    ?.filter((font) => !isAsWide(font) && (font.used !== undefined || metricCopyOf(font.asked) === undefined))
    .map(({ asked }) => asked);
