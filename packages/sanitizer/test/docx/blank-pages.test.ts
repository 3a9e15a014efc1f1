import { expect, test } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/tracked-changes';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { prepareDocx } from '../../src/sources/docx.ts';

const START = '<w:pgNumType w:start="1"/>';
const FORMER = '<w:sectPrChange><w:sectPr><w:type w:val="nextPage"/></w:sectPr></w:sectPrChange>';
const section = (properties: string) => `<w:p><w:pPr><w:sectPr>${properties}</w:sectPr></w:pPr></w:p>`;
const type = (name: string) => `<w:type w:val="${name}"/>`;

test.each([
  ['a section on an even page', ['', type('evenPage')], true],
  ['a section on an odd page, with numbers from 1', ['', type('oddPage') + START], true],
  ['such a section, formerly on the next page', ['', type('oddPage') + FORMER], true],
  ['sections on the next page', ['', type('nextPage'), ''], false],
  ['numbers that restart on the next page', ['', type('oddPage'), START], false],
  ['a first section on an even page', [type('evenPage'), type('oddPage')], false],
])('blank pages are pages of a document with %s: %s', async (_name, sections, expected) => {
  const document = templateOf(
    sections.map((properties) => p(run('a')) + section(properties)).join('') + p(''),
  );
  const { facts } = await prepareDocx(document, { revisions: 'markup', updateFields: 'none' });
  expect(facts.hasBlankPages).toBe(expected);
});
