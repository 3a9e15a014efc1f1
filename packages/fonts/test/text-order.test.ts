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

describe('Arabic letters', () => {
  test.each([
    ['a name whose letters all join', 'محمد', 'fee3 fea4 fee4 feaa'],
    ['lam and alef as one letter', 'سلام', 'feb3 fefc fee1'],
    ['lam and alef at the start', 'لا', 'fefb'],
    ['letters that join on one side only', 'دار', 'fea9 fe8d fead'],
    ['marks between letters', 'مُح', 'fee3 64f fea2'],
    ['letters of Persian', 'گچ', 'fb94 fb7b'],
    ['a letter that a stretch joins', 'ـب', '640 fe90'],
    ['a joiner, which is gone itself', 'ب\u200d', 'fe91'],
    ['a break without a blank', 'ب\u200cب', 'fe8f 200c fe8f'],
  ])('take the shape that their neighbours ask for: %s', (_case, text, expected) => {
    expect(shapes(text)).toBe(expected);
  });

  test('stand for the letters that were given, so that they can be searched', () => {
    expect(joinArabic('سلام').map(({ text }) => text)).toEqual(['س', 'لا', 'م']);
  });
});

describe('a line', () => {
  test.each([
    ['from the left stays', 'Ada (1) Lovelace', 'Ada (1) Lovelace'],
    ['from the right is turned', 'אבג דהו', 'והד גבא'],
    ['from the left turns its foreign words', 'abc אבג def', 'abc גבא def'],
    ['from the right keeps foreign words and numbers', 'אבג abc 12 דהו', 'והד abc 12 גבא'],
    ['from the right keeps a number, and mirrors brackets', 'אבג (12) דהו', 'והד (12) גבא'],
    ['from the left takes a number behind a foreign word to it', 'abc אבג 12 def', 'abc 12 גבא def'],
    ['from the right begins its foreign words on the right', 'אבג def', 'def גבא'],
    ['turns marks with their letters', 'א\u05b8ב', 'בא\u05b8'],
  ])('%s', (_case, text, expected) => {
    expect(seen(text)).toBe(expected);
  });
});
