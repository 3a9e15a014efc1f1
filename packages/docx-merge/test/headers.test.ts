import { describe, expect, test } from '@jest/globals';
import { type Link, paragraph, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { faultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { documentWith, merged, sectionsOf, settings, textsOf, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';

const emptySettings = {
  ...settings(''),
  parts: settings('').parts.map((part) => ({ ...part, data: part.data.replace(/><\/w:settings>$/, '/>') })),
};

/** A document with one section and these headers and footers, by the end of their reference: `header default`. */
function withHeaders(texts: Record<string, string>, more = '', isEven = false): Buffer {
  const own = settings(isEven ? '<w:evenAndOddHeaders/>' : '');
  const links: Link[] = [...own.links];
  const parts = [...own.parts];
  const references = Object.entries(texts).map(([name, text], at) => {
    const [kind = '', type = ''] = name.split(' ');
    links.push({ id: `rId${at + 10}`, kind, target: `${kind}${at}.xml` });
    const root = kind === 'header' ? 'hdr' : 'ftr';
    parts.push({
      name: `word/${kind}${at}.xml`,
      type: wordType(kind),
      data: wordPart(root, paragraph(text)),
    });
    return `<w:${kind}Reference w:type="${type}" r:id="rId${at + 10}"/>`;
  });
  return documentWith(`${paragraph('text')}<w:sectPr>${references.join('')}${more}</w:sectPr>`, {
    links,
    parts,
  });
}

/** The text of each header of each section, as a reader shows them: a missing one is that of the section before. */
async function shownHeaders(documents: readonly Buffer[], options = {}): Promise<Record<string, string>[]> {
  return shownIn(await merged(documents, options));
}

function shownIn({ opened, main }: Awaited<ReturnType<typeof merged>>): Record<string, string>[] {
  const shown: Record<string, string> = {};
  return sectionsOf(main).map((section) => {
    for (const [, kind, type, id] of section.matchAll(/<w:(\w+)Reference w:type="(\w+)" r:id="(\w+)"/g)) {
      const target = opened.main.relationships.list.find((relationship) => relationship.id === id)?.part;
      shown[`${kind} ${type}`] = textsOf(opened.parts.get(target ?? '')?.xml ?? '?').join('');
    }
    return { ...shown };
  });
}

describe('headers and footers', () => {
  test('stay those of their document, also where it has none', async () => {
    const all = await shownHeaders([
      withHeaders({ 'header default': 'one', 'footer first': 'two' }),
      withHeaders({}),
      withHeaders({ 'header default': 'three' }),
    ]);
    expect(all).toEqual([
      { 'header default': 'one', 'footer first': 'two' },
      { 'header default': '', 'footer first': '' },
      { 'header default': 'three', 'footer first': '' },
    ]);
  });

  test('are those of the first document if the caller asks for it', async () => {
    const documents = [withHeaders({ 'header default': 'one' }), withHeaders({ 'header default': 'two' })];
    expect(await shownHeaders(documents, { headers: 'first' })).toEqual([
      { 'header default': 'one' },
      { 'header default': 'one' },
    ]);
  });

  test.each([
    [{ 'header default': 'one' }, 0],
    [{ 'header default': 'one', 'footer first': 'title' }, 1],
  ])('of a title page need a title page of the first document: %j', async (texts, count) => {
    const titled = withHeaders({ 'header default': 'two', 'header first': 'title' }, '<w:titlePg/>');
    const { main } = await merged([withHeaders(texts), titled], { headers: 'first' });
    expect(main.match(/<w:titlePg\/>/g) ?? []).toHaveLength(count);
  });

  test('are those of the first document also after a document that has its own', async () => {
    const [one, two] = [
      withHeaders({ 'header default': 'one' }),
      withHeaders({ 'header default': 'two', 'footer first': 'f' }),
    ];
    const own = await merged([one, { source: two, headers: 'keep' }, two, two], { headers: 'first' });
    expect(shownIn(own)).toEqual([
      { 'header default': 'one' },
      { 'header default': 'two', 'footer first': 'f' },
      { 'header default': 'one', 'footer first': '' },
      { 'header default': 'one', 'footer first': '' },
    ]);
  });

  test('of even pages are those of the other pages where a document does not tell them apart', async () => {
    const even = withHeaders({ 'header default': 'odd', 'header even': 'even' }, '', true);
    const plain = withHeaders({ 'header default': 'all', 'header even': 'hidden' });
    for (const documents of [
      [even, plain],
      [plain, even],
    ]) {
      const all = await shownHeaders(documents);
      const at = documents.indexOf(even);
      expect(all[at]).toEqual({ 'header default': 'odd', 'header even': 'even' });
      expect(all[1 - at]).toEqual({ 'header default': 'all', 'header even': 'all' });
      expect((await merged(documents)).part('word/settings.xml')).toContain('evenAndOddHeaders');
    }
    expect(await shownHeaders([even, withHeaders({})])).toEqual([
      { 'header default': 'odd', 'header even': 'even' },
      { 'header default': '', 'header even': '' },
    ]);
  });

  test.each([
    ['no settings', { links: [], parts: [] }],
    ['settings without content', settings('')],
    ['an empty element of settings', emptySettings],
    ['settings that do not tell them apart', settings('<w:evenAndOddHeaders w:val="0"/><w:compat/>')],
  ])('of even pages are those of their document after one with %s', async (_what, first) => {
    const even = withHeaders({ 'header default': 'odd', 'header even': 'even' }, '', true);
    const { bytes, opened } = await merged([documentWith(paragraph('x') + SECTION, first), even]);
    const name = opened.main.relationships.list.find(({ kind }) => kind === 'settings')?.part ?? '';
    expect(opened.parts.get(name)?.xml?.match(/<w:evenAndOddHeaders[^>]*>/g)).toEqual([
      '<w:evenAndOddHeaders/>',
    ]);
    expect(await faultsOf(bytes)).toEqual([]);
  });

  test('count the pages of their document if it is one section, and warn otherwise', async () => {
    const counting = (more = '') =>
      documentWith(`${p('<w:fldSimple w:instr=" NUMPAGES "/>')}${more}${SECTION}`);
    const one = await merged([counting(), counting()]);
    expect(valuesOf(one.main, 'w:fldSimple', 'w:instr')).toEqual([' SECTIONPAGES ', ' SECTIONPAGES ']);
    const ofPdf = { code: 'SECTION_PAGES', isOfPdf: true };
    expect(one.warnings).toMatchObject([
      { document: 0, ...ofPdf },
      { document: 1, ...ofPdf },
    ]);
    const continued = await merged([counting(), counting()], { pageNumbers: 'continue' });
    expect(valuesOf(continued.main, 'w:fldSimple', 'w:instr')).toEqual([' NUMPAGES ', ' NUMPAGES ']);
    const two = await merged([counting(), counting(p('', SECTION))]);
    expect(valuesOf(two.main, 'w:fldSimple', 'w:instr')).toEqual([' SECTIONPAGES ', ' NUMPAGES ']);
    expect(two.warnings).toMatchObject([
      { document: 0, ...ofPdf },
      { document: 1, code: 'PAGE_COUNT' },
    ]);
  });
});
