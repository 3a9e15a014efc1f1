import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FontBook } from '@scriptorium/fonts/font-book';
import { few } from '@scriptorium/testing/extent';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { drawingComplaints, fontsFrom, picture, textFrom } from '@scriptorium/testing/pdf-reading';
import { TextFonts } from '../../src/fonts/text-fonts.ts';
import { openPdf } from '../../src/read/open.ts';
import { Update } from '../../src/write/update.ts';

/** Returns a page with one line, added by an update to a document with an empty page. */
function pageWith(line: string, fonts = new TextFonts()): Buffer {
  const empty = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>', '<</Type/Page>>'];
  const update = new Update(openPdf(classicPdf(empty)).document);
  const content = update.add(streamBody('', Buffer.from(`BT 20 20 Td ${fonts.show(line, 20)} ET`)));
  const resources = `/Resources<</Font<<${fonts.embed(update)}>>>>`;
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 60]${resources}/Contents ${content}>>`;
  update.replace({ num: 3, gen: 0 } as never, page);
  return update.finish().bytes;
}

describe('text in host fonts', () => {
  test.each(few(['Größe', 'Иванова Γεωργία', '王小明', '龘', 'さくら', '김철수', 'สมชาย', 'หิ्दी'], 3))(
    'shows %s from embedded subsets that other programs draw without errors',
    async (line) => {
      const pdf = pageWith(line);
      expect(await drawingComplaints(pdf, 1)).toBe('');
      expect((await textFrom(pdf, 1)).trim().normalize('NFC')).toBe(line.normalize('NFC'));
      for (const font of await fontsFrom(pdf, 1))
        expect(font).toMatchObject({ isEmbedded: true, isSubset: true });
      expect(pdf.length).toBeLessThan(40_000);
    },
  );

  test('has the measured width', async () => {
    const line = 'Wide, и тоже 王小明';
    const fonts = new TextFonts();
    const { pixels, width, height } = await picture(pageWith(line, fonts), 1, 72);
    const inked = Array.from({ length: width }, (_, x) => x).filter((x) =>
      Array.from({ length: height }, (_, y) => pixels[y * width + x] ?? 255).some((pixel) => pixel < 128),
    );
    const drawn = (inked.at(-1) ?? 0) - (inked[0] ?? 0);
    expect(Math.abs(drawn - new TextFonts().width(line, 20))).toBeLessThan(4);
  });

  test('draws ideographs in the regional form of the surrounding text', () => {
    const uses = (line: string): string => {
      const fonts = new TextFonts();
      return pageWith(line, fonts).toString('latin1');
    };
    expect(uses('骨')).toContain('NotoSansCJKsc');
    expect(uses('骨のほね')).toContain('NotoSansCJKjp');
    expect(uses('骨뼈')).toContain('NotoSansCJKkr');
  });

  test('shows the code point of a character without a font', async () => {
    expect((await textFrom(pageWith('a\u{1F9FF}b'), 1)).trim()).toBe('a[U+1F9FF]b');
  });

  test('never breaks a page by its content', async () => {
    const line = 'a) Tj (b\\ <c> endstream';
    expect((await textFrom(pageWith(line), 1)).trim()).toBe(line);
    expect(await drawingComplaints(pageWith('\u0000\ud83d\uffff\u200d'), 1)).toBe('');
  });
});

describe('a host without fonts', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'no-fonts-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('shows no text and does not fail', async () => {
    const fonts = new TextFonts('regular', 'F', new FontBook([folder, join(folder, 'missing')]));
    expect(fonts.width('text', 10)).toBe(0);
    expect(await drawingComplaints(pageWith('text', fonts), 1)).toBe('');
  });
});
