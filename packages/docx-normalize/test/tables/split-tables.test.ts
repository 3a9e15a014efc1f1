import { describe, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { wordXml } from '@scriptorium/testing/fixtures/hostile/document';
import { splitTables } from '../../src/tables/split-tables.ts';

const ROWS = 1_200;
const SHARED = 144;

interface Piece {
  /** Properties of a row. */
  trPr?: string;
  tcPr?: string;
  paragraph?: string;
}

const row = (text: string, { trPr = '', tcPr = '', paragraph = '' }: Piece = {}) =>
  `<w:tr><w:trPr>${trPr}</w:trPr>${['a', 'b']
    .map(
      (cell) =>
        `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/>${tcPr}</w:tcPr><w:p>${paragraph}<w:r><w:t>${text}${cell}</w:t></w:r></w:p></w:tc>`,
    )
    .join('')}</w:tr>`;
const HEAD = { trPr: '<w:tblHeader/>' };

/** A document with a table; `special` are rows with properties of their own. */
function documentOf(special: Readonly<Record<number, Piece>> = {}, { rows = ROWS, table = '' } = {}): string {
  const all = Array.from({ length: rows }, (_, at) => row(`${at}`, special[at]));
  return wordXml(
    `<w:p/><w:tbl><w:tblPr>${table}</w:tblPr><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid>${all.join('')}</w:tbl><w:p/>`,
  );
}

/** The numbers of the rows of each table. */
function rowsOf(xml: string): number[][] {
  return [...xml.matchAll(/<w:tbl>.*?<\/w:tbl>/gs)].map(([table]) =>
    [...table.matchAll(/<w:t>(\d+)a</g)].map(([, number]) => Number(number)),
  );
}

const split = (xml: string) => splitTables(xml, 1_000, new Budget());

describe('a long table', () => {
  test('is split into pieces that share rows, and have the heading rows', () => {
    const pieces = rowsOf(split(documentOf({ 0: HEAD, 1: HEAD })) ?? '');
    expect(pieces).toHaveLength(2);
    const [first = [], second = []] = pieces;
    expect(first).toEqual(Array.from({ length: first.length }, (_, at) => at));
    const from = first.length - SHARED;
    expect(second).toEqual([0, 1, ...Array.from({ length: ROWS - from }, (_, at) => from + at)]);
    // Stripes go on.
    expect((from - 2) % 12).toBe(0);
  });

  test('has a mark in the first row of each piece', () => {
    const xml = split(documentOf({ 0: { paragraph: '<w:pPr><w:jc w:val="center"/></w:pPr>' } })) ?? '';
    expect(xml).toMatch(/<\/w:pPr><w:bookmarkStart [^>]*w:name="_piece_0_0_0_2_even"/);
    expect(xml).toMatch(/<w:p><w:bookmarkStart [^>]*w:name="_piece_0_1_144_2_even"/);
  });

  test('looks even if all cells look like the first ones, but for numbers that grow', () => {
    const looksOf = (special: Readonly<Record<number, Piece>>) =>
      (split(documentOf(special)) ?? '').match(/(uneven|even)(?="\/)/g);
    const longer = { paragraph: '<w:r><w:t>a text that may take a second line</w:t></w:r>' };
    expect(looksOf({})).toEqual(['even', 'even']);
    expect(looksOf({ 20: longer, 900: longer })).toEqual(['even', 'even']);
    expect(looksOf({ 900: longer })).toEqual(['uneven', 'uneven']);
    const bold = { paragraph: '<w:pPr><w:rPr><w:b/></w:rPr></w:pPr>' };
    expect(looksOf({ 900: bold })).toEqual(['uneven', 'uneven']);
    expect(looksOf({ 20: bold, 900: bold })).toEqual(['even', 'even']);
  });

  test.each([999, 1_000])('of %i rows', (rows) => {
    // One of 1,000 rows has two pieces.
    expect(rowsOf(split(documentOf({}, { rows })) ?? '')).toHaveLength(rows < 1_000 ? 0 : 2);
  });

  test.each<[string, Piece]>([
    ['cells over several columns', { tcPr: '<w:gridSpan w:val="2"/>' }],
    ['cells over several rows', { tcPr: '<w:vMerge/>' }],
    ['other widths', { tcPr: '<w:tcW w:w="1" w:type="dxa"/>' }],
    ['lines only above its cells', { tcPr: '<w:tcBorders><w:top w:val="single"/></w:tcBorders>' }],
    ['paragraphs that keep with the next', { paragraph: '<w:pPr><w:keepNext/></w:pPr>' }],
    ['an exact height', { trPr: '<w:trHeight w:val="400" w:hRule="exact"/>' }],
    ['a page break', { paragraph: '<w:r><w:br w:type="page"/></w:r>' }],
    ['a tracked insertion', { trPr: '<w:ins w:id="1"/>' }],
    ['a floating picture', { paragraph: '<w:r><w:drawing><wp:anchor/></w:drawing></w:r>' }],
    ['a table inside', { paragraph: '</w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p>' }],
  ])('stays whole if a row has %s', (_what, piece) => {
    expect(split(documentOf({ 700: piece }))).toBeUndefined();
  });

  test('stays whole if it floats', () => {
    expect(split(documentOf({}, { table: '<w:tblpPr w:tblpY="1"/>' }))).toBeUndefined();
  });

  test.each([
    ['a footnote', '<w:r><w:footnoteReference w:id="2"/></w:r>'],
    ['a bookmark', '<w:bookmarkStart w:id="1" w:name="x"/><w:bookmarkEnd w:id="1"/>'],
    ['a picture', '<w:r><w:drawing><wp:inline/></w:drawing></w:r>'],
  ])('does not have a row with %s twice', (_what, paragraph) => {
    const [first = [], second = []] = rowsOf(split(documentOf({ 600: { paragraph } })) ?? '');
    expect(first.includes(600) && second.includes(600)).toBe(false);
    const all = Object.fromEntries(Array.from({ length: ROWS }, (_, at) => [at, { paragraph }]));
    expect(split(documentOf(all))).toBeUndefined();
  });
});
