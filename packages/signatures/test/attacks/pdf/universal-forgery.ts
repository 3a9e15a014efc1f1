import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Attack, AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { lastSignature, overwritten, replaced } from './edit.ts';

const FORGED = 'Betrayal!';

/** A signed document whose text was changed in place, without adapting the signature. */
const forged = async (lab: Lab): Promise<Buffer> => replaced(await lab.sign(plainPdf()), 'Agreement', FORGED);

type Numbers = readonly [number, number, number, number];

const rangeAttack = (
  name: string,
  text: (range: Numbers, length: number) => string,
  codes: Attack['codes'] = ['BYTE_RANGE_INVALID'],
): Attack => ({
  name: `the byte range ${name}`,
  codes,
  shows: FORGED,
  async make(lab) {
    const pdf = await forged(lab);
    const { range, byteRange } = lastSignature(pdf);
    return overwritten(pdf, range, text(byteRange, pdf.length));
  },
});

const contentsAttack = (
  name: string,
  text: (value: string) => string,
  codes: Attack['codes'] = ['CONTENTS_INVALID'],
): Attack => ({
  name: `the signature value ${name}`,
  codes,
  shows: FORGED,
  async make(lab) {
    const pdf = await forged(lab);
    const { contents } = lastSignature(pdf);
    const before = pdf.toString('latin1', contents.start, contents.end);
    return overwritten(pdf, contents, text(before.slice(before.indexOf('<'))));
  },
});

const RANGES: Attack[] = [
  rangeAttack('is missing', () => ''),
  rangeAttack('has no value', () => '/ByteRange'),
  rangeAttack('is null', () => '/ByteRange null'),
  rangeAttack('is an empty array', () => '/ByteRange []'),
  rangeAttack('is a number', () => '/ByteRange 0'),
  rangeAttack('is a string', ([a, b, c, d]) => `/ByteRange ([${a} ${b} ${c} ${d}])`),
  rangeAttack('is a name', () => '/ByteRange /All'),
  rangeAttack('is a dictionary', () => '/ByteRange <</0 0>>'),
  rangeAttack('refers to a missing object', () => '/ByteRange 99 0 R'),
  rangeAttack('has one number', () => '/ByteRange [0]'),
  rangeAttack('has three numbers', ([a, b, c]) => `/ByteRange [${a} ${b} ${c}]`),
  rangeAttack('has six numbers', ([a, b, c]) => `/ByteRange [${a} ${b} ${c} 1 ${c} 0]`),
  rangeAttack('has strings instead of numbers', ([, b, c, d]) => `/ByteRange [(0)(${b})(${c})(${d})]`),
  rangeAttack('has nulls instead of numbers', () => '/ByteRange [null null null null]'),
  rangeAttack('has references instead of numbers', () => '/ByteRange [98 0 R 98 0 R 98 0 R 98 0 R]'),
  rangeAttack('is within another array', ([a, b, c, d]) => `/ByteRange [[${a} ${b} ${c} ${d}]]`),
  rangeAttack('has fractions', ([a, b, c, d]) => `/ByteRange [${a} ${b}.5 ${c} ${d}]`),
  rangeAttack(
    'has whole numbers written as reals',
    ([a, b, c, d]) => `/ByteRange [${a}.0 ${b}.0 ${c}.0 ${d}.0]`,
    ['BYTE_RANGE_INVALID', 'DIGEST_MISMATCH'],
  ),
  rangeAttack('has a negative length', ([a, , c, d]) => `/ByteRange [${a} -1 ${c} ${d}]`),
  rangeAttack('begins below zero', ([, b, c, d]) => `/ByteRange [-1 ${b} ${c} ${d}]`),
  rangeAttack('has a negative second length', ([a, b, c]) => `/ByteRange [${a} ${b} ${c} -1]`),
  rangeAttack('starts after the header', ([, b, c, d]) => `/ByteRange [9 ${b - 9} ${c} ${d}]`),
  rangeAttack('is four zeros', () => '/ByteRange [0 0 0 0]', ['BYTE_RANGE_INVALID', 'BYTE_RANGE_GAP']),
  rangeAttack('has no second part', ([a, b, c]) => `/ByteRange [${a} ${b} ${c} 0]`, [
    'COVERAGE_PARTIAL',
    'BYTE_RANGE_INVALID',
  ]),
  rangeAttack('has no first part', ([, , c, d]) => `/ByteRange [0 0 ${c} ${d}]`, ['BYTE_RANGE_GAP']),
  rangeAttack('has no gap', (_, length) => `/ByteRange [0 ${length} ${length} 0]`, [
    'BYTE_RANGE_GAP',
    'BYTE_RANGE_INVALID',
  ]),
  rangeAttack('has overlapping parts', ([a, b, , d]) => `/ByteRange [${a} ${b} ${b - 100} ${d}]`, [
    'BYTE_RANGE_INVALID',
    'BYTE_RANGE_GAP',
  ]),
  rangeAttack('has its parts in reverse order', ([a, b, c, d]) => `/ByteRange [${c} ${d} ${a} ${b}]`),
  rangeAttack('ends after the file', ([a, b, c, d]) => `/ByteRange [${a} ${b} ${c} ${d + 1000}]`),
  rangeAttack('has a number of 20 digits', ([a, b, c]) => `/ByteRange [${a} ${b} ${c} 99999999999999999999]`),
  rangeAttack('has a number that overflows 32 bits', ([a, b, c]) => `/ByteRange [${a} ${b} ${c} 4294967296]`),
  rangeAttack('has a number that overflows 53 bits', ([, b]) => `/ByteRange [0 ${b} 9007199254740993 1]`),
  rangeAttack('wraps around 32 bits', ([a, b]) => `/ByteRange [${a} ${b} 4294967295 2]`),
];

const VALUES: Attack[] = [
  contentsAttack('is missing', () => ''),
  contentsAttack('is a key without a value', () => '/Contents'),
  contentsAttack('is null', () => '/Contents null'),
  contentsAttack('is empty', () => '/Contents <>'),
  contentsAttack('is one zero', () => '/Contents <00>', ['CONTENTS_INVALID', 'CMS_INVALID']),
  contentsAttack('is zeros only', (value) => `/Contents <${'0'.repeat(value.length - 2)}>`, [
    'CONTENTS_INVALID',
    'CMS_INVALID',
  ]),
  contentsAttack('is not hexadecimal', (value) => `/Contents <${'zz'.repeat(value.length / 2 - 1)}>`),
  contentsAttack('is a string in brackets', () => '/Contents (signed)'),
  contentsAttack('is an empty string in brackets', () => '/Contents ()'),
  contentsAttack('is a number', () => '/Contents 0'),
  contentsAttack('is a name', () => '/Contents /Signed'),
  contentsAttack('is an array', () => '/Contents [<3080>]'),
  contentsAttack('refers to a missing object', () => '/Contents 99 0 R'),
  contentsAttack('is an empty sequence', (value) => `/Contents <3000${'0'.repeat(value.length - 6)}>`, [
    'CMS_INVALID',
  ]),
  contentsAttack(
    'claims to extend beyond its end',
    (value) => `/Contents <3084FFFFFFFF${'0'.repeat(value.length - 14)}>`,
    ['CMS_INVALID'],
  ),
  contentsAttack('is nested sequences', (value) => `/Contents <${'3080'.repeat((value.length - 2) / 4)}>`, [
    'CMS_INVALID',
  ]),
  contentsAttack(
    'is in mixed case with spaces, over a changed text',
    (value) => `/Contents ${value.replace(/00>$/, ' \n>')}`,
    ['BYTE_RANGE_GAP', 'DIGEST_MISMATCH'],
  ),
];

const BOTH: Attack[] = [
  {
    name: 'the text is changed, but not the signature',
    codes: ['DIGEST_MISMATCH'],
    shows: FORGED,
    make: forged,
  },
  {
    name: 'byte range and value are both missing',
    codes: ['BYTE_RANGE_INVALID', 'CONTENTS_INVALID'],
    shows: FORGED,
    async make(lab) {
      const pdf = await forged(lab);
      const { range, contents } = lastSignature(pdf);
      return overwritten(overwritten(pdf, contents, ''), range, '');
    },
  },
  {
    name: 'the signature names a format that readers do not support',
    verdict: 'indeterminate',
    codes: ['FORMAT_UNSUPPORTED'],
    shows: FORGED,
    make: async (lab) => replaced(await forged(lab), '/ETSI.CAdES.detached', '/none'),
  },
  {
    name: 'the signature does not name a format',
    verdict: 'indeterminate',
    codes: ['FORMAT_UNSUPPORTED'],
    shows: FORGED,
    make: async (lab) => replaced(await forged(lab), '/SubFilter/ETSI.CAdES.detached', ''),
  },
  {
    name: 'the signature has the type of a time-stamp',
    codes: ['CMS_INVALID', 'DIGEST_MISMATCH', 'TIMESTAMP_INVALID'],
    shows: FORGED,
    make: async (lab) => replaced(await forged(lab), '/ETSI.CAdES.detached', '/ETSI.RFC3161'),
  },
];

export const universalForgery: AttackClass = {
  name: 'Universal signature forgery',
  source: 'Mladenov et al., 1 Trillion Dollar Refund, CCS 2019, 5.1',
  attacks: [...BOTH, ...RANGES, ...VALUES],
};
