import { describe, expect, test } from '@jest/globals';
import {
  field,
  type Link,
  paragraph,
  picture,
  relationshipsXml,
  wordType,
} from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { documentWith, merged, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
const mark = (id: number, name: string) =>
  `<w:bookmarkStart w:id="${id}" w:name="${name}"/>${run(name)}<w:bookmarkEnd w:id="${id}"/>`;
const instructionsOf = (xml: string) =>
  [...xml.matchAll(/<w:instrText[^>]*>([^<]*)</g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').trim(),
  );

/** What the instructions of a document become when it follows itself. */
async function second(body: string, instructions: readonly string[], more = {}): Promise<string[]> {
  const document = documentWith(
    `${body}${instructions.map((text) => field(` ${text} `)).join('')}${SECTION}`,
    more,
  );
  const { main } = await merged([document, document]);
  const all = instructionsOf(main);
  expect(all.slice(0, instructions.length)).toEqual(instructions);
  return all.slice(instructions.length);
}

describe('references to a bookmark with a new name', () => {
  test.each([
    ['REF Part \\h', 'REF Part_2 \\h'],
    ['REF part', 'REF Part_2'],
    ['PAGEREF "PART"', 'PAGEREF "Part_2"'],
    ['=Part*2', '=Part_2*2'],
    ['=SUM(Part A1:B2)+Other', '=SUM(Part_2 A1:B2)+Other'],
    ['IF Part = 5 "Part" "Other"', 'IF Part_2 = 5 "Part" "Other"'],
    ['HYPERLINK \\l "Part"', 'HYPERLINK \\l "Part_2"'],
    ['HYPERLINK "other.docx" \\l "Part"', 'HYPERLINK "other.docx" \\l "Part"'],
    ['TOC \\b Part \\h', 'TOC \\b Part_2 \\h'],
    ['SEQ Figure Part', 'SEQ Figure Part_2 \\r 1'],
    ['Part', 'Part_2'],
  ])('change the field %s to %s', async (before, after) => {
    expect(await second(p(mark(0, 'Part')), [before])).toEqual([after]);
  });

  test('stay well-formed in single quotation marks', async () => {
    const body = p(`<w:bookmarkStart w:id='1' w:name='It&apos;s'/><w:bookmarkEnd w:id='1'/>`);
    const links = p(`<w:hyperlink w:anchor='It&apos;s'/><w:fldSimple w:instr='IF It = "It&apos;s" "a"'/>`);
    const document = documentWith(body + p(mark(2, 'It')) + links + SECTION);
    const { main } = await merged([document, document]);
    expect(main).toContain(`<w:hyperlink w:anchor='It&apos;s_2'/>`);
    expect(main).toContain(`<w:fldSimple w:instr='IF It_2 = &quot;It&apos;s&quot; &quot;a&quot;'/>`);
  });

  test('follow it in links, but not into other documents', async () => {
    const links: Link[] = [
      { id: 'rId1', kind: 'hyperlink', target: '#Part', isExternal: true },
      { id: 'rId2', kind: 'hyperlink', target: 'https://example.org/', isExternal: true },
    ];
    const body =
      p(mark(0, 'Part')) +
      p(`<w:hyperlink r:id="rId1">${run('here')}</w:hyperlink>`) +
      p(`<w:hyperlink w:anchor="part">${run('here')}</w:hyperlink>`) +
      p(`<w:hyperlink r:id="rId2" w:anchor="Part">${run('there')}</w:hyperlink>`);
    const document = documentWith(body + SECTION, { links });
    const { main, opened } = await merged([document, document]);
    expect(valuesOf(main, 'w:bookmarkStart', 'w:name')).toEqual(['Part', 'Part_2']);
    expect(valuesOf(main, 'w:hyperlink', 'w:anchor')).toEqual(['part', 'Part', 'Part_2', 'Part']);
    const ids = valuesOf(main, 'w:hyperlink', 'r:id');
    const targets = new Map(opened.main.relationships.list.map(({ id, target }) => [id, target]));
    expect(ids.map((id) => targets.get(id))).toEqual([
      '#Part',
      'https://example.org/',
      '#Part_2',
      'https://example.org/',
    ]);
  });
});

test('fields follow a style that gets another name, and no bookmark of its name', async () => {
  const style = (id: string, name: string, look: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:rPr>${look}</w:rPr></w:style>`;
  const withStyles = (look: string) =>
    documentWith(
      p(mark(0, look === '<w:b/>' ? 'Other' : 'Code'), '<w:pStyle w:val="A"/>') +
        [
          'STYLEREF "My Style" \\n',
          'STYLEREF code',
          'STYLEREF 1',
          'STYLEREF "Heading 1"',
          'REF Code',
          'TOC \\h \\t "My Style,1,Code,2,Else,3"',
        ]
          .map((text) => field(` ${text} `))
          .join('') +
        SECTION,
      {
        links: [{ id: 'rId1', kind: 'styles', target: 'styles.xml' }],
        parts: [
          {
            name: 'word/styles.xml',
            type: wordType('styles'),
            data: wordPart(
              'styles' as 'hdr',
              style('A', 'My Style', look) + style('B', 'Code', look) + style('C', 'heading 1', look),
            ),
          },
        ],
      },
    );
  const { main } = await merged([withStyles('<w:b/>'), withStyles('<w:i/>')]);
  expect(instructionsOf(main).slice(6)).toEqual([
    'STYLEREF "My Style (2)" \\n',
    'STYLEREF "Code (2)"',
    'STYLEREF "heading 1 (2)"',
    'STYLEREF "heading 1 (2)"',
    'REF Code',
    'TOC \\h \\t "My Style (2),1,Code (2),2,Else,3"',
  ]);
});

test('an empty id of a relationship stays empty', async () => {
  const document = documentWith(picture('r:embed="" r:link=""') + SECTION);
  const { main } = await merged([document, document]);
  expect(valuesOf(main, 'a:blip', 'r:embed')).toEqual(['', '']);
});

describe('bindings of controls', () => {
  const ITEM = '{11111111-1111-1111-1111-111111111111}';
  const CORE = '{6C3C8BC8-F283-45AE-878A-BAB7291924A1}';
  const w15 = 'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"';
  const custom = 'http://schemas.openxmlformats.org/officeDocument/2006/customXml';
  const bound = (properties: string) =>
    documentWith(sdt({ id: 5, properties }, paragraph('value')) + SECTION, {
      links: [{ id: 'rId1', kind: 'customXml', target: '../customXml/item1.xml' }],
      parts: [
        { name: 'customXml/item1.xml', data: '<a>value</a>' },
        {
          name: 'customXml/_rels/item1.xml.rels',
          data: relationshipsXml([{ id: 'rId1', kind: 'customXmlProps', target: 'itemProps1.xml' }]),
        },
        {
          name: 'customXml/itemProps1.xml',
          type: 'application/vnd.openxmlformats-officedocument.customXmlProperties+xml',
          data: `<ds:datastoreItem xmlns:ds="${custom}" ds:itemID="${ITEM}"/>`,
        },
      ],
    });

  test('of Word 2013 lead to the data of their document', async () => {
    const document = bound(`<w15:dataBinding ${w15} w:xpath="/a" w:storeItemID="${ITEM}"/>`);
    const { main, opened } = await merged([document, document]);
    const items = [...opened.parts.values()].flatMap(({ xml = '' }) =>
      valuesOf(xml, 'ds:datastoreItem', 'ds:itemID'),
    );
    expect(new Set(items).size).toBe(2);
    expect(valuesOf(main, 'w15:dataBinding', 'w:storeItemID')).toEqual(items);
  });

  test('to the properties of their document go, however they are written', async () => {
    for (const end of ['/>', '></w:dataBinding>']) {
      const document = bound(`<w:dataBinding w:xpath="/a" w:storeItemID="${CORE}"${end}`);
      expect((await merged([document, document])).main.match(/<w:dataBinding/g)).toHaveLength(1);
    }
  });
});

test('alternative content in HTML is vetted, and stands beside that of another document', async () => {
  const html = '<!DOCTYPE html><p>one<br><img src="http://evil.example/a.png"><script>evil()</script></p>';
  const document = documentWith(`${p(run('a'))}<w:altChunk r:id="rIdA"/>${SECTION}`, {
    links: [{ id: 'rIdA', kind: 'aFChunk', target: 'part.html' }],
    parts: [{ name: 'word/part.html', type: 'text/html', data: html }],
  });
  const { opened, main } = await merged([document, document]);
  const targets = valuesOf(main, 'w:altChunk', 'r:id').map(
    (id) => opened.main.relationships.list.find((link) => link.id === id)?.part ?? '',
  );
  const chunks = targets.map((key) => opened.parts.get(key)?.bytes.toString() ?? '');
  expect(chunks).toEqual([expect.stringContaining('one<br'), chunks[0]]);
  expect(chunks.join('')).not.toContain('evil');
});

test.each([
  ['texts', ['<w:r><w:fldChar w:fldCharType="begin"/></w:r>', `${run('DDEAUTO c a b')}END`]],
  ['codes', ['<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>DDE</w:instrText></w:r>', run('c'), 'END']],
])('a field of several documents is none: %s', async (_, paragraphs) => {
  const end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>';
  const { main } = await merged(paragraphs.map((content) => documentWith(p(content.replace('END', end)))));
  expect(main).not.toContain('fldChar');
});
