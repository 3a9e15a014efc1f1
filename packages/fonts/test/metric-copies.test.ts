import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { readDict, readIndex } from '../src/cff.ts';
import { drawnAcross } from '../src/metric-copies/across.ts';
import { HANGUL, hangulFont } from '../src/metric-copies/hangul.ts';
import { metricCopy } from '../src/metric-copies/metric-copy.ts';
import { FACES, type Face, type MetricCopy, metricCopies } from '../src/metric-copies/table.ts';
import { Sfnt } from '../src/sfnt.ts';

const folder = mkdtempSync(join(tmpdir(), 'metric-copies-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (family: string, style: string) =>
  execFileSync('fc-match', ['-f', '%{file}', `${family}:style=${style}`], { encoding: 'utf8' });
const copies = new Map(metricCopies().map((copy) => [copy.replaces[0], copy]));

function copyFor(font: string): MetricCopy {
  const copy = copies.get(font);
  if (copy === undefined) throw new Error(`no copy for ${font}`);
  return copy;
}

/** Writes a copy of a font, and opens it. */
function made(source: string, copy: MetricCopy, face: Face): Sfnt {
  const path = join(folder, `${copy.family}-${face}.ttf`);
  writeFileSync(path, metricCopy(new Sfnt({ path: source, index: 0 }), copy, face));
  return new Sfnt({ path, index: 0 });
}

const widthOf = (font: Sfnt, text: string): number =>
  [...text].reduce((sum, each) => sum + font.advance(font.glyph(each.codePointAt(0) ?? 0)), 0);

test('the copy for Cambria has its widths and the height of its lines, and a name of its own', () => {
  const copy = copyFor('Cambria');
  const font = made(fileOf('Caladea', 'Regular'), copy, 'regular');
  const unit = font.metrics.unitsPerEm / 2048;
  for (const [character, width] of copy.widths.regular)
    if (font.glyph(character.codePointAt(0) ?? 0) !== 0)
      expect([character, Math.abs(widthOf(font, character) - width * unit) <= 0.5]).toEqual([
        character,
        true,
      ]);
  // As in PDFs that Word writes: 0.9502 and 0.2222 of the size.
  expect(font.metrics.ascent / font.metrics.unitsPerEm).toBeCloseTo(0.9502, 3);
  expect(font.metrics.descent / font.metrics.unitsPerEm).toBeCloseTo(-0.2222, 3);
  // Letters with marks are as wide as the letters, also those that the table lacks.
  expect(widthOf(font, 'ő')).toBe(widthOf(font, 'o'));
  expect(font.name).toBe('ScriptorCam-Regular');
  const shown = execFileSync('fc-scan', ['-f', '%{family}, %{fullname}', font.source.path], {
    encoding: 'utf8',
  });
  expect(shown).toBe('Scriptor Cam, Scriptor Cam');
});

test('letters fill their new width, and a mark stays above its letter', () => {
  const source = new Sfnt({ path: fileOf('Liberation Sans', 'Regular'), index: 0 });
  const wide: MetricCopy = { ...copyFor('Consolas'), advance: Math.round(1.2 * widthOf(source, 'n')) };
  const font = made(source.source.path, wide, 'regular');
  const ends = (of: Sfnt, character: string) => {
    const glyph = glyphOf(of, character);
    return [glyph.readInt16BE(2), glyph.readInt16BE(6)] as const;
  };
  const [left, right] = ends(source, 'n');
  expect(ends(font, 'n')).toEqual([Math.round(left * 1.2), Math.round(right * 1.2)]);
  // Narrow letters are not stretched without bound: they stand in the middle.
  const [start, end] = ends(font, 'i');
  expect(end - start).toBeLessThan(1.31 * (ends(source, 'i')[1] - ends(source, 'i')[0]));
  expect(Math.abs(start + end - widthOf(font, 'i'))).toBeLessThan(40);
});

test('kerning stays, and ligatures go', () => {
  const font = made(fileOf('Carlito', 'Regular'), copyFor('Calibri Light'), 'regular');
  expect([font.has('GPOS'), font.has('GSUB'), font.has('fpgm')]).toEqual([true, false, false]);
});

test('every face of the table has widths that a page can have', () => {
  for (const { family, widths } of copies.values())
    for (const face of FACES)
      for (const [character, width] of widths[face])
        expect([family, face, character, width > 60 && width < 4_000]).toEqual([
          family,
          face,
          character,
          true,
        ]);
  const complete = ['Cambria', 'Georgia', 'Verdana', 'Trebuchet MS', 'Consolas'];
  for (const font of complete) expect([font, copyFor(font).hasAllWidths]).toEqual([font, true]);
  expect(copyFor('Segoe UI').hasAllWidths).toBe(false);
});

test('no copy is made of a damaged font', () => {
  const path = join(folder, 'damaged.ttf');
  const bytes = readFileSync(fileOf('Caladea', 'Regular'));
  for (const tag of ['glyf', 'loca', 'hmtx', 'OS/2']) {
    const damaged = Buffer.from(bytes);
    const at = bytes.indexOf(tag, 12, 'latin1');
    damaged.writeUInt32BE(8, at + 12);
    writeFileSync(path, damaged);
    expect(() => metricCopy(new Sfnt({ path, index: 0 }), copyFor('Cambria'), 'regular')).toThrow();
  }
  expect(() =>
    drawnAcross(Buffer.from([0, 3, 0, 0, 0, 0, 0, 9, 0, 9, 0, 1]), { scale: 2, shift: 0 }, () => never()),
  ).toThrow();
});

function never(): never {
  throw new Error('the glyph has no components');
}

function glyphOf(font: Sfnt, character: string): Buffer {
  const glyph = font.glyph(character.codePointAt(0) ?? 0);
  const [loca, isLong] = [font.table('loca'), font.table('head').readInt16BE(50) === 1];
  const offset = (index: number) =>
    isLong ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index);
  return font.table('glyf').subarray(offset(glyph), offset(glyph + 1));
}

test('syllables of the copy for Korean are as wide as the font is high, in all that says so, and no other letters are in it', () => {
  const korean = new Sfnt({ path: fileOf('Noto Sans CJK KR', 'Regular'), index: 1 });
  const path = join(folder, 'hangul.otf');
  writeFileSync(path, hangulFont(korean, 'regular'));
  const font = new Sfnt({ path, index: 0 });
  expect([...'가힣、한'].map((each) => widthOf(font, each))).toEqual([1000, 1000, 1000, 1000]);
  expect([...'A漢あ'].map((each) => font.glyph(each.codePointAt(0) ?? 0))).toEqual([0, 0, 0]);
  expect(font.read('CFF ').length).toBeLessThan(4_000_000);
  const shown = execFileSync('fc-scan', ['-f', '%{family}, %{lang}', path], { encoding: 'utf8' });
  expect(shown).toBe(`${HANGUL}, ko`);
  const glyph = font.glyph(0xd55c);
  const [old, made] = [outlinesOf(korean), outlinesOf(font)];
  expect(made.outline(glyph)).toEqual(old.outline(glyph));
  expect(made.widths).toEqual(old.widths.map((width) => (width === 920 ? 1000 : width)));
});

/** The outlines of a CFF font with CIDs, and the default width of each of its fonts. */
function outlinesOf(font: Sfnt) {
  const cff = font.read('CFF ');
  const top = readDict(cff, readIndex(cff, readIndex(cff, cff.readUInt8(2)).end).item(0));
  const [charStrings, fonts] = [17, 0x0c24].map((key) => readIndex(cff, top.get(key)?.[0]?.value ?? 0));
  const widths = Array.from({ length: fonts?.count ?? 0 }, (_, index) => {
    const [size, at] = readDict(cff, fonts?.item(index) ?? { start: 0, end: 0 }).get(18) ?? [];
    const start = at?.value ?? 0;
    return readDict(cff, { start, end: start + (size?.value ?? 0) }).get(20)?.[0]?.value;
  });
  const outline = (glyph: number) => {
    const { start = 0, end = 0 } = charStrings?.item(glyph) ?? {};
    return cff.subarray(start, end);
  };
  return { widths, outline };
}
