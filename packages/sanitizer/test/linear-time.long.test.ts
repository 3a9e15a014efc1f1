import { expect, test } from '@jest/globals';
import { wordsOf } from '@scriptorium/docx-normalize/instruction';
import { NAMESPACES } from '@scriptorium/ooxml/xml';
import { few } from '@scriptorium/testing/extent';
import { growthOf, LINEAR_GROWTH_MAX, unitsOf } from '@scriptorium/testing/growth';
import { withoutActiveFields } from '../src/docx/active-content.ts';
import { vetDocument } from '../src/results/vet-document.ts';
import { FormulaJudge } from '../src/sheets/formula.ts';
import { judgeCondition, judgeOpenFormula } from '../src/sheets/open-formula.ts';
import { prepare } from './sources/sanitizer-under-test.ts';

const judge = new FormulaJudge(new Set(['sheet1']));
const CODE = [
  'a',
  '1',
  ' ',
  '(',
  ')',
  '[',
  ']',
  '"',
  "'",
  '!',
  ':',
  '.',
  '$',
  '#',
  '{',
  '}',
  ',',
  ';',
  '|',
  '\\',
  '&',
];
const MARKUP = [
  '<',
  '>',
  '<a ',
  '<b>',
  '</b>',
  '<!--',
  '-->',
  '<![CDATA[',
  '&',
  '&amp;',
  '"',
  "'",
  '=',
  'x',
  ' ',
  '/',
];

/** Readers of texts of callers, and the pieces that their languages are made of. */
const READERS: readonly (readonly [
  name: string,
  read: (text: string) => unknown,
  pieces: readonly string[],
])[] = [
  ['formulas', (text) => judge.judge(text), [...CODE, 'HYPERLINK(']],
  ['formulas of OpenDocument', judgeOpenFormula, [...CODE, 'of:=', 'HYPERLINK(']],
  ['conditions', judgeCondition, [...CODE, 'between(', 'value']],
  ['fields', (text) => wordsOf(`IF ${text}`, []), ['"', '\\', '\\*', ' ', 'a', '=', '<', '\ufffe1\ufffe']],
  [
    'HTML',
    (text) => prepare('html', text),
    [...MARKUP, '<p>', '<table>', '<td>', '<li>', '<style>', '<meta charset='],
  ],
  [
    'CSS',
    (text) => prepare('html', `<p style="${text}">x</p>`),
    ['a', ':', ';', '(', ')', '/*', '*/', 'url(', '\\', ' ', '1px'],
  ],
  [
    'style sheets',
    (text) => prepare('html', `<style>${text}</style><p class=a>x</p>`),
    [
      'a',
      '.',
      '#',
      '{',
      '}',
      ':not(',
      '[a="',
      ']',
      '@media print{',
      'display:none',
      ';',
      '"',
      '\\',
      '>',
      ',',
      ' ',
    ],
  ],
  [
    'Markdown',
    (text) => prepare('md', text),
    ['*', '_', '`', '[', ']', '(', ')', '!', '#', '> ', '- ', '|', '\n', ' ', 'a', '<', '\\'],
  ],
  [
    'RTF',
    (text) => prepare('rtf', `{\\rtf1 ${text}}`),
    ['{', '}', '\\', '\\b', "\\'41", '\\u1 ', '\\*', '\\bin1 ', 'x', ' ', '{\\field'],
  ],
  [
    'CSV',
    (text) => prepare('csv', text),
    [',', ';', '"', '""', '\n', '\r', '1', ' ', 'x', '\t', '.', '%', '-'],
  ],
  [
    'HTML of a result',
    (text) =>
      vetDocument('html', Buffer.from(`<html><body>${text}`), 'file:///dev/shm/scriptorium-engine-1/job-1'),
    [
      ...MARKUP,
      '<p style="',
      '<style>',
      '<script>',
      '<img src="',
      'javascript:',
      '/dev/shm/scriptorium-engine-',
    ],
  ],
  [
    'fields in the code of a field',
    (text) => {
      const code = `<w:fldChar w:fldCharType="begin"/><w:instrText>${'a'.repeat(text.length)}</w:instrText>`;
      const xml = `<w:p xmlns:w="${NAMESPACES.w}">${code}${text}</w:p>`;
      const part = { key: 'x', name: 'x', contentType: 'x', bytes: Buffer.alloc(0), xml, edits: [] };
      return withoutActiveFields({ ...part, relationships: { list: [] } }, []);
    },
    [
      '<w:fldSimple w:instr="x"/>',
      '<w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="end"/>',
      '<w:t>x</w:t>',
    ],
  ],
  ['text', (text) => prepare('txt', text), ['a', ' ', '\t', '\n', '\r\n', '\f', '\u00a0']],
];

test.each(READERS)(
  'the time for %s grows with the text',
  async (name, read, pieces) => {
    for (const unit of few(unitsOf(pieces, 10, 11), 0, 12)) {
      const isLinear = (await growthOf(read, unit)) < LINEAR_GROWTH_MAX;
      expect({ name, unit, isLinear }).toEqual({ name, unit, isLinear: true });
    }
  },
  600_000,
);
