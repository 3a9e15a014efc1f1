import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TARGET_FORMATS, type TargetFormat } from '@scriptorium/contracts/jobs/target-formats';
import { few, isNightly, testInNightly, testInWhole } from '@scriptorium/testing/extent';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import type { ConversionRequest, EngineResult } from '../../../src/engines/engine.ts';
import { findHost } from '../../../src/engines/installation.ts';
import { SourceRouter } from '../../../src/engines/kit/source-router.ts';
import {
  documentInFonts,
  documentWithComment,
  documentWithStaleContents,
  htmlWith,
  pagesOfText,
  partOf,
  rtfWith,
  writtenByOffice,
} from '../../rigs/documents.ts';
import { pagesOf, textOf } from '../../rigs/pdf-text.ts';
import { describeFormats, make, namesOfOtherWidths } from '../formats.suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'loaders-'));
/** The engine host without the library beside it. */
const hostPath = join(folder, 'engine-host');
copyFileSync((await findHost()) ?? '', hostPath);
afterAll(() => rmSync(folder, { recursive: true }));

const kit = new SourceRouter({ zygotes: 1, hostPath });
describeFormats(kit, isNightly ? 'all' : 'each once');

/** What a reader of the result can notice. */
async function shown(to: TargetFormat, { bytes, pages, documentPages, missingFonts }: EngineResult) {
  const otherWidths = namesOfOtherWidths(missingFonts);
  const facts = { pages, documentPages, otherWidths };
  switch (to) {
    case 'pdf':
      return { ...facts, text: textOf(bytes), pagesOfPdf: pagesOf(bytes) };
    case 'docx':
      return {
        ...facts,
        text: await partOf(bytes, 'word/document.xml'),
        app: await partOf(bytes, 'docProps/app.xml'),
      };
    case 'odt':
      return { ...facts, text: await partOf(bytes, 'content.xml') };
    default:
      return { ...facts, bytes: bytes.toString('latin1') };
  }
}

describe('a document that is loaded without a user interface', () => {
  const writer = new SourceRouter({ zygotes: 1 });
  const other = new SourceRouter({ zygotes: 1, hostPath });
  beforeAll(async () => {
    await Promise.all([writer.start(), other.start()]);
  });
  afterAll(async () => {
    await Promise.all([writer.close(), other.close()]);
  });

  async function expectSame(document: Uint8Array, request: Partial<ConversionRequest> = {}): Promise<void> {
    const to = request.to ?? 'pdf';
    const [lean, full] = [await make(writer, document, request), await make(other, document, request)];
    expect([lean.loader, full.loader]).toEqual(['writer', 'libreofficekit']);
    expect(await shown(to, lean)).toEqual(await shown(to, full));
  }

  test('is what the health of the engine reports', () => {
    expect([writer, other].map((engine) => engine.health().loader)).toEqual(['writer', 'libreofficekit']);
  });

  test.each(few(Object.keys(TARGET_FORMATS) as TargetFormat[], 2, 4))('gives the same %s', async (to) => {
    await expectSame(pagesOfText(['Erste Seite: Grüße', 'Second page', 'Third page']), { to });
  });

  testInWhole('gives the same from text formats', async () => {
    await expectSame(rtfWith('Words'), { from: 'rtf' });
    await expectSame(htmlWith('Words'), { from: 'html' });
  });

  testInNightly('gives the same from what an office wrote', async () => {
    const { doc, odt } = await writtenByOffice('Words of an office');
    await expectSame(doc, { from: 'doc' });
    await expectSame(odt, { from: 'odt' });
  });

  testInWhole('gives the same comments, updated fields and pages', async () => {
    await expectSame(documentWithComment('Commented', 'Remark'), { comments: 'margin' });
    const stale = documentWithStaleContents(['One', 'Two', 'Three'], { isWrapped: true });
    for (const updateFields of ['none', 'toc', 'all'] as const) await expectSame(stale, { updateFields });
    await expectSame(pagesOfText(['A', 'B', 'C']), { pages: '2-3', pdfa: '2b' });
  });

  const rows = `<row r="1">${textCell('A1', 'one')}</row><row r="2">${textCell('A2', 'two')}</row>`;
  const breaks = '<rowBreaks count="1" manualBreakCount="1"><brk id="1" max="16383" man="1"/></rowBreaks>';
  const slides = ['first', 'hidden', 'third'].map((text) => ({
    shapes: textShape(text),
    isHidden: text === 'hidden',
  }));
  test.each([
    ['xlsx', workbookWith({ sheets: [{ rows, after: breaks }, { rows }] }), 3],
    ['pptx', presentationWith({ slides }), 2],
  ] as const)(
    'has the same count of pages as %s',
    async (from, document, pages) => {
      for (const engine of [writer, other]) {
        for (const request of [{}, { to: 'png' } as const])
          expect((await make(engine, document, { from, ...request })).documentPages).toBe(pages);
        expect((await make(engine, document, { from, pages: '2' })).documentPages).toBe(pages);
        const refused = make(engine, document, { from, pages: '9' });
        await expect(refused).rejects.toMatchObject({ kind: 'no-such-page', documentPages: pages });
      }
    },
    180_000,
  );

  testInNightly('has the pages of a presentation that are asked for, without its hidden slides', async () => {
    const document = presentationWith({ slides });
    for (const [pages, text] of [
      ['2', 'third'],
      ['1-2', 'first third'],
      ['2-', 'third'],
      ['1,2-9', 'first third'],
    ])
      for (const engine of [writer, other])
        expect(textOf((await make(engine, document, { from: 'pptx', pages })).bytes)).toBe(text);
  });

  testInNightly('misses the same fonts, except those with a replacement of the same widths', async () => {
    const fonts = ['Arial', 'Calibri', 'Symbol', 'Liberation Sans', 'No Such Font', 'Segoe UI;Arial'];
    for (const font of fonts) await expectSame(documentInFonts([font]));
    await expectSame(documentInFonts(fonts));
  });
});
