import { describe, expect, test } from '@jest/globals';
import { joinArabic } from '../src/arabic.ts';
import { visualOrder } from '../src/bidi.ts';

const shapes = (text: string): string =>
  joinArabic(text)
    .map(({ shape }) => shape.codePointAt(0)?.toString(16))
    .join(' ');

const seen = (text: string): string =>
  visualOrder(
    Array.from(text),
    (character) => character,
    (_, mirrored) => mirrored,
  ).join('');

describe('joinArabic', () => {
  test.each([
    ['a name in which all letters join', 'محمد', 'fee3 fea4 fee4 feaa'],
    ['lam and alef as a ligature', 'سلام', 'feb3 fefc fee1'],
    ['lam and alef at the start', 'لا', 'fefb'],
    ['letters that join on one side only', 'دار', 'fea9 fe8d fead'],
    ['marks between letters', 'مُح', 'fee3 64f fea2'],
    ['Persian letters', 'گچ', 'fb94 fb7b'],
    ['a letter after a tatweel', 'ـب', '640 fe90'],
    ['a letter before a zero-width joiner, which is removed', 'ب\u200d', 'fe91'],
    ['letters around a zero-width non-joiner', 'ب\u200cب', 'fe8f 200c fe8f'],
  ])('selects presentation forms for %s', (_case, text, expected) => {
    expect(shapes(text)).toBe(expected);
  });

  test('keeps the original letters of each form for text search', () => {
    expect(joinArabic('سلام').map(({ text }) => text)).toEqual(['س', 'لا', 'م']);
  });
});

describe('visualOrder', () => {
  test.each([
    ['keeps left-to-right text', 'Ada (1) Lovelace', 'Ada (1) Lovelace'],
    ['reverses right-to-left text', 'אבג דהו', 'והד גבא'],
    ['reverses right-to-left words in a left-to-right line', 'abc אבג def', 'abc גבא def'],
    ['keeps left-to-right words and numbers in a right-to-left line', 'אבג abc 12 דהו', 'והד abc 12 גבא'],
    ['keeps a number and mirrors brackets in a right-to-left line', 'אבג (12) דהו', 'והד (12) גבא'],
    ['orders a number with the preceding right-to-left word', 'abc אבג 12 def', 'abc 12 גבא def'],
    ['puts the first word of a right-to-left line on the right', 'אבג def', 'def גבא'],
    ['keeps marks with their letters', 'א\u05b8ב', 'בא\u05b8'],
  ])('%s', (_case, text, expected) => {
    expect(seen(text)).toBe(expected);
  });
});
