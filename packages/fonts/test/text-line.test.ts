import { describe, expect, test } from '@jest/globals';
import { hostFonts } from '../src/font-book.ts';
import { breakUnspaced } from '../src/line-breaks.ts';
import { missingCharacters, type TextLine, textLine } from '../src/text-line.ts';

const lineOf = (text: string): TextLine => textLine(text, 'regular', hostFonts());

/** The glyphs from left to right. */
const glyphs = (text: string): number[] =>
  lineOf(text).clusters.flatMap((cluster) => cluster.glyphs.map(({ glyph }) => glyph));

/** The glyphs of the same font that characters have by themselves. */
const naive = (text: string): number[] => {
  const font = lineOf(text).clusters[0]?.font;
  return Array.from(text, (character) => font?.glyph(character.codePointAt(0) ?? 0) ?? 0);
};

/** The clusters from left to right. */
const seen = (text: string): string[] => lineOf(text).clusters.map((cluster) => cluster.text);

describe('a shaped line', () => {
  test('of Devanagari puts the vowel sign i before a conjunct of one glyph', () => {
    const [sign, ...conjunct] = glyphs('क्षि');
    expect(conjunct).toEqual(glyphs('क्ष'));
    expect(conjunct).toHaveLength(1);
    expect(sign).not.toBe(naive('क')[0]);
    expect(seen('क्षि')).toEqual(['क्षि']);
  });

  test.each([
    ['Bengali', 'কে'],
    ['Tamil', 'கெ'],
    ['Malayalam', 'കെ'],
  ])('of %s puts a vowel sign before its letter', (_script, text) => {
    const shaped = glyphs(text);
    expect(shaped).toHaveLength(2);
    expect(shaped.at(-1)).toBe(naive(text)[0]);
    expect(shaped).not.toEqual(naive(text));
  });

  test('of Khmer makes subscripts of letters after a coeng, and puts a vowel before', () => {
    expect(glyphs('ខ្មែ')).toHaveLength(3);
    expect(glyphs('ខ្មែ')[0]).toBe(naive('ែ').at(-1));
  });

  test('of Thai raises a tone mark above a vowel', () => {
    const marks = (text: string) => lineOf(text).clusters.flatMap((cluster) => cluster.glyphs.slice(1));
    const [, high] = marks('กี่');
    const [low] = marks('ก่');
    expect(high?.advance).toBe(0);
    expect([high?.glyph, high?.dy]).not.toEqual([low?.glyph, low?.dy]);
  });

  test('of Arabic joins letters, and draws lam and alef as one', () => {
    const shaped = glyphs('ببب');
    expect(new Set(shaped).size).toBeGreaterThanOrEqual(3);
    expect(shaped).not.toContain(naive('ب')[0]);
    expect(seen('لا')).toEqual(['لا']);
    expect(glyphs('لا')).not.toEqual(naive('لا').reverse());
  });

  test('of Arabic keeps letters apart at a zero-width non-joiner', () => {
    expect(glyphs('ب\u200cب')).toEqual([...glyphs('ب'), ...glyphs('ب')]);
  });

  test('of Hebrew positions points at their letter', () => {
    const [cluster] = lineOf('שָׁ').clusters;
    expect(cluster?.text).toBe('שָׁ'.normalize('NFC'));
    expect(cluster?.glyphs.some(({ advance, dx }) => advance === 0 && dx !== 0)).toBe(true);
  });

  test('of Latin has kerning', () => {
    const { width } = lineOf('AVAVAV');
    expect(width).toBeLessThan(3 * (lineOf('A').width + lineOf('V').width) - 50);
  });

  test.each([
    ['keeps left-to-right text', 'Ada (1) Lovelace', 'Ada (1) Lovelace'],
    ['reverses right-to-left text', 'אבג דהו', 'והד גבא'],
    ['reverses right-to-left words in a left-to-right line', 'abc אבג def', 'abc גבא def'],
    ['keeps left-to-right words and numbers in a right-to-left line', 'אבג abc 12 דהו', 'והד abc 12 גבא'],
    ['orders a number with the preceding right-to-left word', 'abc אבג 12 def', 'abc 12 גבא def'],
    ['puts the first word of a right-to-left line on the right', 'אבג def', 'def גבא'],
    ['keeps the numbers of a date together in a right-to-left line', 'אבג 02/03', '02/03 גבא'],
    ['obeys isolates', 'abc \u2067def אבג\u2069 ghi', 'abc גבא def ghi'],
  ])('%s', (_case, text, expected) => {
    expect(
      seen(text)
        .join('')
        .replace(/[\u2066-\u2069]/g, ''),
    ).toBe(expected);
  });

  test('mirrors brackets in right-to-left text', () => {
    expect(seen('(אב)')).toEqual([')', 'ב', 'א', '(']);
    const [left, , , right] = glyphs('(אב)');
    expect([left, right]).toEqual([naive('(אב)')[0], naive('(אב)')[3]]);
  });

  test('uses the font of a script for its punctuation too', () => {
    const fonts = new Set(lineOf('क्षितिज, शर्मा').clusters.map(({ font }) => font.name));
    expect(fonts.size).toBe(1);
  });

  test('shows the code points of characters without a font, and lists them', () => {
    const line = lineOf('a\u{1F9FF}');
    expect(line.clusters.map(({ text }) => text).join('')).toBe('a[U+1F9FF]');
    expect(line.missing).toEqual(['\u{1F9FF}']);
    expect(missingCharacters('a\n\u{1F9FF}\u200d')).toEqual(['\u{1F9FF}']);
    expect(missingCharacters('Ada\r\nक्षि')).toEqual([]);
  });
});

describe('breakUnspaced', () => {
  test('splits Thai into words, and keeps the mark of repetition and punctuation with them', () => {
    expect(breakUnspaced('ภาษาไทยง่าย')).toEqual(['ภาษา', 'ไทย', 'ง่าย']);
    expect(breakUnspaced('เด็กๆ(ไทย)').join('')).toBe('เด็กๆ(ไทย)');
    for (const part of breakUnspaced('เด็กๆ(ไทย)')) expect(part).not.toMatch(/^[ๆ)]/);
  });

  test('does not split words of scripts with spaces', () => {
    expect(breakUnspaced("don't-split/this")).toEqual(["don't-split/this"]);
  });
});
