import { describe, expect, test } from '@jest/globals';
import { isNightly } from '@scriptorium/testing/extent';
import { bodies, filled as laidOut, signedOnce } from './contract.ts';
import { edited, formXObject, verdicts } from './revisions.ts';

/** Random numbers from 0 to 1, the same in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const FIELD = 6;
const RESOURCES =
  '/Font<</F1 5 0 R>>/XObject<</I 8 0 R>>/ExtGState<</Clear<</ca 0>>/Screen<</BM/Screen>>/Bright<</TR<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>>>>>/ColorSpace<</White[/Separation/Any/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>]>>';
const PERMITTED = ['permitted FIELD_VALUE'];
const TRIES = isNightly ? 60 : 20;

/** Typical parts of the look of a field of 200 × 60 points. */
const GROUNDS = ['', '0.9 g 0 0 200 60 re f', '0.9 0.9 1 rg 0 0 200 60 re f 0 G 1 w .5 .5 199 59 re S'];
const CLIPS = ['', '2 2 196 56 re W n', '0 0 200 60 re W n', '0 0 m 0 60 l 200 60 l 200 0 l h W n'];
const COLORS = ['0 g', '0 0 0.5 rg', '0 0 0 1 k', '0.3 g'];
/** Content before and after the words of a look that makes it show something else. */
const LIES: readonly (readonly [string, string])[] = [
  ['3 Tr', ''],
  ['1 Tr', ''],
  ['-1 0 0 1 0 0 cm', ''],
  ['1 0 0 1 400 0 cm', ''],
  ['.01 0 0 .01 5 5 cm', ''],
  ['0 0 4 60 re W n', ''],
  ['/Clear gs', ''],
  ['/Screen gs', ''],
  ['-30 Tc', ''],
  ['-4 Tc', ''],
  ['Q Q', ''],
  ['-100 Tz', ''],
  ['1 Tz', ''],
  ['.01 0 0 1 0 0 cm', ''],
  ['1 0 90 1 0 0 cm', ''],
  ['0 0 200 60 re 0 0 200 60 re W* n', ''],
  ['0 0 200 60 re 200 0 -200 60 re W n', ''],
  ['0 0 200 60 re 10 0 190 60 re W* n', ''],
  ['0 0 m 200 60 l 0 60 l 200 0 l h W n', ''],
  ['/Bright gs', ''],
  ['/White cs 0 scn', ''],
  ['5 g', ''],
  ['2 Tr 1 G 9 w', ''],
  ['0 g 0 0 200 2 re f 1 g', ''],
  ['q 0 0 1 60 re W n 0 g 0 0 200 60 re f Q 1 g', ''],
  ['0 g 0 0 200 60 re 0 0 200 60 re f* 1 g', ''],
  ['0 1 g', ''],
  ['0 3 Tr', ''],
  ['1 0 0 1 0-400 0 cm', ''],
  ['1 0 0 1 0000000000000000000000900 0 cm', ''],
  ['', '1 g 0 0 200 60 re f'],
  ['', 'q 200 0 0 60 0 0 cm /I Do Q'],
  ['', '60 5 8 10 re S'],
  ['', `1 G 6 w ${Array.from({ length: 40 }, (_, at) => `${at * 5} 0 .1 60 re`).join(' ')} S`],
  ['', `1 G 6 w ${Array.from({ length: 12 }, (_, at) => `0 ${at * 5} 200 .1 re`).join(' ')} S`],
  ['', '60 5 m 64 15 l 68 5 l S'],
  ['', '60 5 m 60 20 70 20 70 5 c S'],
  ['', 'BT /F1 12 Tf 90 5 Td (000) Tj ET'],
  ['', 'BT /Missing 12 Tf 90 5 Td (000) Tj ET'],
  ['/OC /Layer BDC', 'EMC'],
  ['/Span<</ActualText(9)>>BDC', 'EMC'],
];

describe('a filled-in field', () => {
  const random = numbers(20_261_122);
  const below = (max: number) => Math.floor(random.next().value * max);
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const filling = (pdf: Buffer, value: string, [first, last]: readonly [string, string]) =>
    edited(pdf, ({ set, add }) => {
      const place = `${2 + below(60)} ${5 + below(30)} Td`;
      const words = `BT /F1 ${8 + below(6)} Tf ${place} (${value}) Tj ET`;
      const content = `${one(GROUNDS)} q ${one(CLIPS)} ${one(COLORS)} ${first} ${words} ${last} Q`;
      set(FIELD, { V: `(${value})`, AP: `<</N ${add(formXObject(content, RESOURCES))}>>` });
    });
  const value = () => String(100 + below(900));

  test('is permitted for every usual drawing of its value', async () => {
    const pdf = await signedOnce(laidOut(bodies()));
    for (let at = 0; at < TRIES; at++)
      expect(verdicts(pdf, filling(pdf, value(), ['', '']))).toEqual(PERMITTED);
  });

  test.each(LIES)('is doubtful with %p before its words and %p after them', async (first, last) => {
    const pdf = await signedOnce(laidOut(bodies()));
    for (let at = 0; at < TRIES / 10; at++)
      expect(verdicts(pdf, filling(pdf, value(), [first, last]))).toContain('doubtful FIELD_APPEARANCE');
  });
});
