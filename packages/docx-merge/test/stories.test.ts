import { describe, expect, test } from '@jest/globals';
import { type Link, paragraph, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { documentWith, merged, sectionsOf, settings, textsOf, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';

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

/** A document with notes of these texts, and a comment with a reply. */
function withNotes(texts: readonly string[]): Buffer {
  const notes = texts
    .map((text, at) => `<w:footnote w:id="${at + 1}">${paragraph(text)}</w:footnote>`)
    .join('');
  const separator = `<w:footnote w:type="separator" w:id="-1">${paragraph('')}</w:footnote>`;
  const comment = (id: number, text: string, paraId: string) =>
    `<w:comment w:id="${id}" w:author="A"><w:p w14:paraId="${paraId}"><w:r><w:t>${text}</w:t></w:r></w:p></w:comment>`;
  const comments = `${comment(0, `about ${texts[0]}`, '00000001')}${comment(1, `reply to ${texts[0]}`, '00000002')}`;
  const w15 = 'http://schemas.microsoft.com/office/word/2012/wordml';
  const extended = `<w15:commentsEx xmlns:w15="${w15}"><w15:commentEx w15:paraId="00000001" w15:done="0"/><w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001" w15:done="1"/></w15:commentsEx>`;
  const body = texts
    .map((text, at) => p(`${run(text)}<w:r><w:footnoteReference w:id="${at + 1}"/></w:r>`))
    .join('');
  const commented = p(
    `<w:commentRangeStart w:id="0"/><w:commentRangeStart w:id="1"/>${run('commented')}<w:commentRangeEnd w:id="0"/><w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="0"/><w:commentReference w:id="1"/></w:r>`,
  );
  return documentWith(`${body}${commented}${SECTION}`, {
    links: [
      { id: 'rId1', kind: 'footnotes', target: 'footnotes.xml' },
      { id: 'rId2', kind: 'comments', target: 'comments.xml' },
      {
        id: 'rId3',
        kind: 'http://schemas.microsoft.com/office/2011/relationships/commentsExtended',
        target: 'commentsExtended.xml',
      },
    ],
    parts: [
      {
        name: 'word/footnotes.xml',
        type: wordType('footnotes'),
        data: wordPart('footnotes', separator + notes),
      },
      {
        name: 'word/comments.xml',
        type: wordType('comments'),
        data: wordPart('comments' as 'hdr', comments),
      },
      { name: 'word/commentsExtended.xml', type: wordType('commentsExtended'), data: extended },
    ],
  });
}

describe('notes and comments', () => {
  test.each([
    ['one document twice', () => [withNotes(['a', 'b']), withNotes(['a', 'b'])]],
    [
      'a first document without any',
      () => [documentWith(paragraph('x') + SECTION), withNotes(['c']), withNotes(['d'])],
    ],
  ])('keep their texts with %s', async (_what, documents) => {
    const all = documents();
    const { main, part, opened } = await merged(all);
    const notes = opened.main.relationships.list.find(({ kind }) => kind === 'footnotes')?.part ?? '';
    const byId = new Map(
      [...part(notes).matchAll(/<w:footnote [^>]*?w:id="(-?\d+)"[^>]*>([\s\S]*?)<\/w:footnote>/g)].map(
        ([, id = '', content = '']) => [id, textsOf(content).join('')],
      ),
    );
    const shown = valuesOf(main, 'w:footnoteReference', 'w:id').map((id) => byId.get(id));
    const texts = textsOf(main).filter((text) => /^[a-d]$/.test(text));
    expect(shown).toEqual(texts);
    expect(part(notes).match(/w:type="separator"/g)).toHaveLength(1);

    const comments = part(opened.main.relationships.list.find(({ kind }) => kind === 'comments')?.part ?? '');
    const ids = valuesOf(main, 'w:commentReference', 'w:id');
    expect(ids).toEqual(valuesOf(comments, 'w:comment', 'w:id'));
    expect(new Set(ids).size).toBe(ids.length);
    expect(valuesOf(main, 'w:commentRangeEnd', 'w:id')).toEqual(ids);
    const paragraphs = valuesOf(comments, 'w:p', 'w14:paraId');
    const extended = part(
      opened.main.relationships.list.find(({ kind }) => kind === 'commentsExtended')?.part ?? '',
    );
    expect(new Set(paragraphs).size).toBe(paragraphs.length);
    expect(valuesOf(extended, 'w15:commentEx', 'w15:paraId')).toEqual(paragraphs);
    const replies = valuesOf(extended, 'w15:commentEx', 'w15:paraIdParent');
    expect(replies).toEqual(paragraphs.filter((_, at) => at % 2 === 0));
  });

  const noted = (notes: string, more = '', other: Partial<ReturnType<typeof settings>> = {}) =>
    documentWith(
      `${p(`${run('x')}<w:r><w:footnoteReference w:id="2"/></w:r>`)}<w:sectPr>${more}</w:sectPr>`,
      {
        links: [{ id: 'rId1', kind: 'footnotes', target: 'footnotes.xml' }, ...(other.links ?? [])],
        parts: [
          { name: 'word/footnotes.xml', type: wordType('footnotes'), data: wordPart('footnotes', notes) },
          ...(other.parts ?? []),
        ],
      },
    );

  test('have other ids than the separators that come with them', async () => {
    const types = ['separator', 'continuationSeparator', 'continuationNotice'];
    const separators = types.map(
      (type, at) => `<w:footnote w:type="${type}" w:id="${at - 1}"><w:p/></w:footnote>`,
    );
    const note = `<w:footnote w:id="2">${paragraph('note')}</w:footnote>`;
    const { main, part } = await merged([
      documentWith(paragraph('x') + SECTION),
      noted(separators.join('') + note),
    ]);
    const ids = valuesOf(part('word/footnotes1.xml'), 'w:footnote', 'w:id');
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    expect(valuesOf(main, 'w:footnoteReference', 'w:id')).toEqual(ids.slice(3));
  });

  test('have numbers of their format, not of the format of the first document', async () => {
    const note = `<w:footnote w:id="2">${paragraph('note')}</w:footnote>`;
    const first = documentWith(
      paragraph('x') + SECTION,
      settings('<w:footnotePr><w:pos w:val="beneathText"/><w:numFmt w:val="upperRoman"/></w:footnotePr>'),
    );
    const foreign = wordPart(
      'settings' as 'hdr',
      '<w:footnotePr><w:numFmt w:val="chicago"></w:numFmt></w:footnotePr>',
    );
    const own = settings('');
    const other = {
      links: own.links,
      parts: own.parts.map((part) => ({
        ...part,
        data: foreign
          .replaceAll('<w:', '<x:')
          .replaceAll('</w:', '</x:')
          .replaceAll(' w:', ' x:')
          .replace('xmlns:w=', 'xmlns:x='),
      })),
    };
    const { main } = await merged([first, noted(note), noted(note, '', other)]);
    const sections = sectionsOf(main).slice(1);
    expect(sections.map((section) => valuesOf(section, 'w:numFmt'))).toEqual([['decimal'], ['chicago']]);
    expect(sections.map((section) => valuesOf(section, 'w:pos'))).toEqual([['pageBottom'], ['pageBottom']]);
  });

  test('begin to count anew in each document, section by section', async () => {
    const note = (id: number) => p(`<w:r><w:footnoteReference w:id="${id}"/></w:r>`);
    const many = (count: number) => {
      const ids = Array.from({ length: count }, (_, at) => at + 1);
      const notes = ids.map((id) => `<w:footnote w:id="${id}">${paragraph('n')}</w:footnote>`).join('');
      const [first = 1, ...rest] = ids;
      return documentWith(`${note(first)}${p('', SECTION)}${rest.map(note).join('')}${SECTION}`, {
        links: [{ id: 'rId1', kind: 'footnotes', target: 'footnotes.xml' }],
        parts: [
          { name: 'word/footnotes.xml', type: wordType('footnotes'), data: wordPart('footnotes', notes) },
        ],
      });
    };
    const { main } = await merged([many(3), many(4)]);
    const numbers = sectionsOf(main).map((section) => valuesOf(section, 'w:numStart')[0]);
    expect(numbers).toEqual([undefined, undefined, '1', '2']);
    const continued = await merged([many(3), many(4)], { numbering: 'continue' });
    expect(continued.main).not.toContain('w:numStart');
  });
});
