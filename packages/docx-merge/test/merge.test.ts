import { describe, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { testInNightly, testInWhole } from '@scriptorium/testing/extent';
import { docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import {
  documentOf,
  paragraph,
  relationshipsXml,
  wordType,
} from '@scriptorium/testing/fixtures/hostile/document';
import { TEMPLATES } from '@scriptorium/testing/fixtures/templates/all';
import { p, run, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { faultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { randomNumbers } from '@scriptorium/testing/random';
import { MergeError, merge } from '../src/merge.ts';
import { documentWith, merged, OPTIONS, sectionsOf, textsOf, valuesOf } from './merging.ts';

const size = (width: number, height: number) => `<w:pgSz w:w="${width}" w:h="${height}"/>`;
const A4 = `<w:sectPr>${size(11906, 16838)}</w:sectPr>`;
const LETTER = `<w:sectPr>${size(12240, 15840)}</w:sectPr>`;

describe('a merge', () => {
  test('returns the bytes of a document alone', async () => {
    const document = docxWith(['Alone']);
    const { bytes, warnings } = await merged([document]);
    expect(bytes.equals(document)).toBe(true);
    expect(warnings).toEqual([]);
  });

  test('has the text of all documents in order, and a section for each', async () => {
    const { main } = await merged([docxWith(['a', 'b']), docxWith(['c']), docxWith(['d', 'e'])]);
    expect(textsOf(main)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(sectionsOf(main)).toHaveLength(3);
    expect(main.indexOf('<w:sectPr')).toBeGreaterThan(main.indexOf('>a<'));
    expect(main.indexOf('<w:sectPr')).toBeLessThan(main.indexOf('>c<'));
  });

  test('adds no paragraph after a document that ends with one, and a tiny one after a table or a section', async () => {
    const cell = '<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>';
    const count = (xml: string) => xml.match(/<w:p[ >/]/g)?.length;
    const next = documentWith(paragraph('next') + A4);
    expect(count((await merged([documentWith(paragraph('x') + A4), next])).main)).toBe(2);
    expect(count((await merged([documentWith(`${cell}${A4}`), next])).main)).toBe(3);
    expect(count((await merged([documentWith(p(run('x'), LETTER) + A4), next])).main)).toBe(3);
    expect(count((await merged([documentWith(A4), next])).main)).toBe(2);
    expect(count((await merged([next, documentWith(A4)])).main)).toBe(2);
  });

  test.each([
    ['page', 'nextPage'],
    ['odd', 'oddPage'],
    ['even', 'evenPage'],
    ['continuous', 'continuous'],
  ] as const)('begins a document with the break %s', async (name, type) => {
    const two =
      p(run('1'), `<w:sectPr><w:type w:val="continuous"/>${size(1, 2)}</w:sectPr>`) + paragraph('2') + A4;
    const all = await merged([documentWith(paragraph('a') + LETTER), documentWith(two)], { break: name });
    const [first = '', second = '', third = ''] = sectionsOf(all.main);
    expect(first).toBe(LETTER);
    expect(valuesOf(second, 'w:type')).toEqual([type]);
    expect(third).toBe(A4);
    const own = { source: documentWith(two), break: name };
    const again = await merged([documentWith(paragraph('a') + LETTER), own]);
    expect(sectionsOf(again.main)[1]).toBe(second);
  });

  test.each([
    ['keep', ['1', '7', '1']],
    ['restart', ['1', '1', '1']],
    ['continue', [undefined, undefined, undefined]],
  ] as const)('numbers pages with %s', async (pageNumbers, starts) => {
    const documents = [
      A4,
      `<w:sectPr><w:pgNumType w:start="7" w:fmt="lowerRoman"/></w:sectPr>`,
      `<w:sectPr><w:pgNumType w:fmt="upperRoman"/></w:sectPr>`,
    ].map((section) => documentWith(paragraph('x') + section));
    const { main } = await merged([documentWith(paragraph('first') + A4), ...documents], { pageNumbers });
    const sections = sectionsOf(main).slice(1);
    expect(sections.map((section) => valuesOf(section, 'w:pgNumType', 'w:start')[0])).toEqual(starts);
    expect(valuesOf(sections[1] ?? '', 'w:pgNumType', 'w:fmt')).toEqual(['lowerRoman']);
  });

  test('keeps the elements of sections in the order of the schema', async () => {
    const full = `<w:sectPr>${size(1, 2)}<w:cols w:num="2"/><w:titlePg/></w:sectPr>`;
    const { main } = await merged([documentWith(paragraph('a') + A4), documentWith(paragraph('b') + full)]);
    const [, section = ''] = sectionsOf(main);
    const names = [...section.matchAll(/<(w:\w+)/g)].map(([, name]) => name);
    expect(names).toEqual(['w:sectPr', 'w:type', 'w:pgSz', 'w:pgNumType', 'w:cols', 'w:titlePg']);
  });

  test('declares each prefix as its document does, also where documents disagree', async () => {
    const other = (uri: string, text: string) =>
      documentOf({
        mainXml: `<q:document xmlns:q="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:x="${uri}"><q:body><q:p x:a="1"><q:r><q:t>${text}</q:t></q:r></q:p></q:body></q:document>`,
      });
    const { opened, main } = await merged([docxWith(['a']), other('urn:one', 'b'), other('urn:two', 'c')]);
    expect(main).toContain('xmlns:x="urn:one"');
    expect(main).toMatch(/<q:p xmlns:x="urn:two"/);
    expect(await openText(opened.main.bytes)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test.each([
    ['after section properties', `${paragraph('a')}${A4}${paragraph('b')}`, undefined],
    ['between section properties', `${paragraph('a')}${LETTER}${paragraph('b')}${A4}`, A4],
  ])('keeps text %s', async (_where, body, section) => {
    const document = documentWith(body);
    const { main } = await merged([document, document, document]);
    expect(textsOf(main)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(sectionsOf(main)).toHaveLength(3);
    if (section !== undefined) expect(sectionsOf(main)[0]).toBe(section);
    expect(main).toMatch(/<\/w:sectPr><\/w:body>/);
    expect(main).not.toMatch(/<\/w:p><w:sectPr>.*<w:p>/);
  });

  test('ends a section after a paragraph whose end is a tracked change', async () => {
    for (const change of ['ins', 'del']) {
      const mark = `<w:rPr><w:${change} w:id="1" w:author="a"/></w:rPr>`;
      const inside = `<w:r>${mark}<w:t>b</w:t></w:r>`;
      const documents = [p(run('a'), mark), p(inside)].map((last) =>
        documentWith(paragraph('x') + last + A4),
      );
      const { main } = await merged([...documents, documentWith(A4)]);
      const [first = '', second = ''] = main.split(A4.slice(0, -'</w:sectPr>'.length));
      expect(first).toMatch(/<w:sz w:val="2"\/><\/w:rPr>$/);
      expect(second === '').toBe(false);
      expect(main).toMatch(/<w:p><w:pPr><w:sectPr>(?:(?!<\/w:p>).)*>b</);
    }
  });

  test('has one main part, also where others lead to that of their document', async () => {
    const document = documentWith(
      `${paragraph('a')}<w:sectPr><w:headerReference w:type="default" r:id="rId1"/></w:sectPr>`,
      {
        links: [{ id: 'rId1', kind: 'header', target: 'header1.xml' }],
        parts: [
          { name: 'word/header1.xml', type: wordType('header'), data: wordPart('hdr', paragraph('h')) },
          {
            name: 'word/_rels/header1.xml.rels',
            data: relationshipsXml([
              { id: 'rId1', kind: 'officeDocument', target: 'document.xml' },
              { id: 'rId2', kind: 'header', target: 'header1.xml' },
            ]),
          },
        ],
      },
    );
    const { opened } = await merged([document, document]);
    expect([...opened.parts.values()].map(({ name }) => name)).toEqual([
      'word/document.xml',
      'word/header1.xml',
      'word/header2.xml',
    ]);
  });

  test('ends a section after a block of custom XML', async () => {
    const block = `<w:customXml w:uri="u" w:element="e">${paragraph('inside')}</w:customXml>`;
    const { main } = await merged([
      documentWith(paragraph('a') + block + A4),
      documentWith(paragraph('b') + A4),
    ]);
    expect(main.indexOf('<w:sectPr')).toBeGreaterThan(main.indexOf('inside'));
  });

  test('is sound where documents have another prefix for their names', async () => {
    const renamed = (body: string, more = {}) =>
      documentOf({
        ...more,
        mainXml: wordPart('document', `<w:body>${body}</w:body>`)
          .replaceAll('<w:', '<x:')
          .replaceAll('</w:', '</x:')
          .replaceAll(' w:', ' x:')
          .replace('xmlns:w=', 'xmlns:x='),
      });
    const table = '<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>';
    const documents = [
      renamed(`${paragraph('a')}<w:sectPr><w:pgNumType w:fmt="lowerRoman"/></w:sectPr>`),
      renamed(`${table}<w:sectPr/>`),
      renamed(paragraph('b')),
      documentWith(paragraph('c') + A4),
    ];
    const foreign = documents.slice(0, 3);
    for (const all of [foreign, foreign.toReversed(), documents, documents.toReversed()])
      expect(await faultsOf((await merged([...all, ...all])).bytes)).toEqual([]);
  });

  test('makes a Strict document Transitional', async () => {
    const strict = zip(packageEntries({ strict: true, mainXml: strictXml('strict') }));
    for (const documents of [
      [docxWith(['a']), strict],
      [strict, docxWith(['a'])],
    ]) {
      const { bytes, main } = await merged(documents);
      expect(main).not.toContain('purl.oclc.org');
      expect(textsOf(main).toSorted()).toEqual(['a', 'strict']);
      expect(await faultsOf(bytes)).toEqual([]);
    }
  });

  test.each([
    ['is no DOCX', Buffer.from('%PDF-1.7'), 'INVALID_FILE_FORMAT'],
    ['is truncated', docxWith(['x']).subarray(0, 300), 'INVALID_FILE_FORMAT'],
    ['is empty', Buffer.alloc(0), 'INVALID_FILE_FORMAT'],
    ['has no body', documentOf({ mainXml: wordPart('document', '') }), 'INVALID_FILE_FORMAT'],
  ])('refuses all with the position of a document that %s', async (_what, bad, code) => {
    const parts = [docxWith(['a']), docxWith(['b']), bad].map((source) => ({ source }));
    const error = await merge(parts, OPTIONS).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MergeError);
    expect(error).toMatchObject({ code, document: 2 });
  });

  testInWhole('counts the bounds over all documents', async () => {
    const many = documentWith(paragraph('x').repeat(100_000) + A4);
    const parts = Array.from({ length: 8 }, () => ({ source: many }));
    expect(new Budget().elementsLeft).toBeLessThan(8 * 300_000);
    await expect(merge(parts, OPTIONS)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });

  testInNightly('changes more fields than a call may have arguments', async () => {
    const field = '<w:p><w:fldSimple w:instr=" NUMPAGES "/></w:p>';
    const many = documentWith(field.repeat(150_000) + A4);
    const { main } = await merged([many, many]);
    expect(main.split(' SECTIONPAGES ')).toHaveLength(300_001);
    expect(main).not.toContain(' NUMPAGES ');
  });

  testInWhole('makes sound packages of any documents', async () => {
    const names = Object.keys(TEMPLATES);
    const random = randomNumbers(19);
    for (let round = 0; round < 60; round++) {
      const picked = Array.from({ length: 3 }, () => names[random(names.length)] ?? '');
      const documents = picked.map((name) => TEMPLATES[name]?.() ?? Buffer.alloc(0));
      const known = new Set((await Promise.all(documents.map(faultsOf))).flat().map(kindOf));
      const { bytes, main } = await merged(documents);
      const faults = (await faultsOf(bytes)).filter((fault) => !known.has(kindOf(fault)));
      expect({ picked, faults }).toEqual({ picked, faults: [] });
      const texts = await Promise.all(documents.map(async (document) => textsOf(await mainOf(document))));
      expect(textsOf(main)).toEqual(texts.flat());
    }
  });
});

/** A fault without the names of parts and numbers, which differ in a merged document. */
const kindOf = (fault: string): string => fault.replace(/[\w/]+\.xml|rId\w+|\d+/g, '#');

const mainOf = async (document: Buffer): Promise<string> => (await merged([document])).main;

const openText = async (bytes: Buffer): Promise<string[]> =>
  [...bytes.toString().matchAll(/<\w+:t\b[^>]*>([^<]*)</g)].map(([, text = '']) => text);

const strictXml = (text: string): string =>
  `<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" w:conformance="strict"><w:body>${paragraph(text)}</w:body></w:document>`;
