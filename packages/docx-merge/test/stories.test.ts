import { describe, expect, test } from '@jest/globals';
import { paragraph, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { documentWith, merged, sectionsOf, settings, textsOf, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';

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
  const cid = 'http://schemas.microsoft.com/office/word/2016/wordml/cid';
  const durable = `<w16cid:commentsIds xmlns:w16cid="${cid}"><w16cid:commentId w16cid:paraId="00000001" w16cid:durableId="1A000001"/></w16cid:commentsIds>`;
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
      {
        id: 'rId4',
        kind: 'http://schemas.microsoft.com/office/2016/09/relationships/commentsIds',
        target: 'commentsIds.xml',
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
      { name: 'word/commentsIds.xml', type: wordType('commentsIds'), data: durable },
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
    const durable = part(
      opened.main.relationships.list.find(({ kind }) => kind === 'commentsIds')?.part ?? '',
    );
    const lasting = valuesOf(durable, 'w16cid:commentId', 'w16cid:durableId');
    expect(lasting).toHaveLength(ids.length / 2);
    expect(new Set(lasting).size).toBe(lasting.length);
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
