import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compareDocuments } from '@scriptorium/rendering/compare-documents';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { replacedFonts, systemFonts } from '../../src/conversion/fonts.ts';
import type { Engine } from '../../src/engines/engine.ts';
import { replacements } from '../../src/engines/font-replacements.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { LibreOfficeConvertEngine } from '../../src/engines/libreoffice-convert.ts';
import { documentInFonts, docxOf } from '../rigs/documents.ts';
import { fontsOf } from '../rigs/pdf-text.ts';
import { run } from './engine.suite.ts';
import { make } from './formats.suite.ts';

/** Copies DejaVu Serif as a font of another name: all names in the file begin with `DejaVu`. */
function renameFont(from: string, to: string): void {
  const font = readFileSync(from);
  for (const name of [Buffer.from('DejaVu'), Buffer.from('DejaVu', 'utf16le').swap16()])
    for (let at = font.indexOf(name); at !== -1; at = font.indexOf(name, at + 1))
      font[at + name.length / 6 - 1] = 'Q'.charCodeAt(0);
  writeFileSync(to, font);
}

/** The family in the name of a font in a PDF: `NotoSerif-Regular` is `NotoSerif`. */
const familyOf = (name: string) => name.replace(/-.*$/, '');
const inPdf = (family: string) =>
  family.replaceAll(' ', '').replace(/CJK(JP|SC|TC|KR)$/, (all) => all.toLowerCase().replace('cjk', 'CJK'));

const SANS =
  /^(LiberationSans|NotoSans|DejaVuSans|Carlito|OpenSans|Lato|Roboto|Arimo|NimbusSans|Inter|ComicNeue|Scriptor(Apt|Seg|Ver)-)/;
const SERIF =
  /^(LiberationSerif|NotoSerif|DejaVuSerif|Caladea|Gelasio|P052|C059|Tinos|NimbusRoman|Scriptor(Geo|Gar)-)/;
const MONO = /^(LiberationMono|DejaVuSansMono|NotoSansMono|Cousine|NimbusMono|ScriptorCons-)/;

/** Words that fonts have which lack Latin letters. */
const WORDS = new Map([
  ['Noto Sans Khmer', 'ភាសា'],
  ['Noto Sans Myanmar', 'ကျေး'],
]);

describe('fonts that are not installed', () => {
  const engine = new LibreOfficeKitEngine({ zygotes: 1 });
  beforeAll(() => engine.start());
  afterAll(() => engine.close());

  test.each([
    [
      'a font without serifs',
      SANS,
      ['Aptos', 'Segoe UI', 'Verdana', 'Tahoma', 'Roboto', 'Open Sans', 'Lato', 'Montserrat'],
    ],
    ['a font without serifs that no list has', SANS, ['Acme Sans Pro', 'Unheard Grotesk', 'Faraway Gothic']],
    [
      'a font with serifs',
      SERIF,
      ['Georgia', 'Garamond', 'Book Antiqua', 'Baskerville', 'Adobe Garamond', 'Acme Serif'],
    ],
    ['a font of fixed pitch', MONO, ['Consolas', 'Cascadia Code', 'Menlo', 'Acme Mono', 'Lucida Console']],
  ])('become %s', async (_, pattern, families) => {
    for (const family of families) {
      const { bytes } = await run(engine, documentInFonts([family]));
      expect([family, fontsOf(bytes)]).toEqual([family, [expect.stringMatching(pattern)]]);
    }
  });

  test('are reported with the font that is in the PDF', async () => {
    const table = [...replacements().keys()];
    const families = table
      .filter((_, index) => index % 9 === 0)
      .concat('No Such Font', 'Wingdings', 'Acme Mono');
    for (const family of families) {
      const word = WORDS.get(replacements().get(family)?.[0] ?? '');
      const { bytes, missingFonts } = await run(engine, documentInFonts([family], word));
      const [replaced] = await replacedFonts(missingFonts ?? [], systemFonts());
      if (replaced === undefined) continue;
      expect(replaced).toEqual({ asked: family, used: expect.any(String) });
      expect([family, fontsOf(bytes).map(familyOf)]).toEqual([
        family,
        expect.arrayContaining([inPdf(replaced.used ?? '')]),
      ]);
    }
  });

  test('are symbols if their letters are', async () => {
    const symbols = ['Wingdings', 'Webdings', 'Symbol', 'Wingdings 2', 'Wingdings 3'];
    for (const family of symbols) {
      // Codes that OpenSymbol has: a tick, an arrow, a Greek letter.
      const sign = `<w:p><w:r><w:sym w:font="${family}" w:char="F06C"/></w:r></w:p>`;
      const { bytes } = await run(engine, docxOf(sign));
      expect([family, fontsOf(bytes)]).toEqual([family, ['OpenSymbol']]);
    }
  });
});

test('fonts of symbols in one document have the signs of their own', async () => {
  const engine = new LibreOfficeKitEngine({ zygotes: 1 });
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
  /** The second page of a document whose pages have these fonts. */
  const secondPage = async (...fonts: string[]) => {
    const pages = fonts.map(
      (font) =>
        `<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/></w:rPr><w:t>abg</w:t></w:r></w:p>`,
    );
    const { bytes } = await prepare(docxOf(pages.join('')), options);
    return (await make(engine, bytes, { pages: '2' })).bytes;
  };
  try {
    await engine.start();
    const symbols = await secondPage('Symbol', 'Symbol');
    expect(await compareDocuments(await secondPage('Wingdings', 'Symbol'), symbols)).toBeUndefined();
    expect(await compareDocuments(await secondPage('Symbol', 'Wingdings'), symbols)).toBeDefined();
  } finally {
    await engine.close();
  }
});

describe.each<[string, (fonts: string) => Engine]>([
  ['libreofficekit', (fonts) => new LibreOfficeKitEngine({ zygotes: 1, fonts })],
  ['libreoffice-convert', (fonts) => new LibreOfficeConvertEngine({ slots: 1, fonts })],
])('the folder of fonts for %s', (_, make) => {
  const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
  const engine = make(folder);
  beforeAll(async () => {
    // A font that the host has elsewhere, under a name of its own.
    mkdirSync(join(folder, 'company'));
    renameFont('/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf', join(folder, 'company', 'own.ttf'));
    await engine.start();
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  test('is used beside those of the host', async () => {
    const { bytes, missingFonts } = await run(engine, documentInFonts(['QejaVu Serif', 'Carlito']));
    expect(fontsOf(bytes).sort()).toEqual(['Carlito', 'QejaVuSerif']);
    // The page break between them is in the default font.
    expect((missingFonts ?? []).filter(({ asked }) => asked !== 'Calibri')).toEqual([]);
  });
});
