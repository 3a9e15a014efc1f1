import { describe, expect, test } from '@jest/globals';
import { docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { documentOf, RELATIONSHIP, relationships, sanitize, text } from './sanitized.ts';

const DRAWING = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const CHUNK_TYPE = `<Default Extension="docx" ContentType="${WORD}.document.main+xml"/>`;
const BINARY_TYPE = '<Default Extension="bin" ContentType="application/octet-stream"/>';
const secret = ['hyperlink', 'http://127.0.0.1/secret.png', 'External'] as const;
const OFFICE_NAMESPACES = `xmlns:r="${RELATIONSHIP}" xmlns:v="urn:schemas-microsoft-com:vml"`;
const namespaces = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

describe('a hyperlink', () => {
  test.each([
    ['a linked picture', `<a:blip ${DRAWING} r:link="rId1"/>`],
    ['an embedded picture', `<a:blip ${DRAWING} r:embed="rId1"/>`],
    ['a video', `<a:videoFile ${DRAWING} r:link="rId1"/>`],
    ['a VML picture', '<v:imagedata r:href="rId1"/>'],
    ['alternative content', '<w:altChunk r:id="rId1"/>'],
  ])('is not loaded as %s', async (_name, element) => {
    const { body, package: opened } = await sanitize(
      documentOf(`<w:p><w:r>${element}</w:r></w:p>`, [secret]),
    );
    expect(body).not.toContain('rId1');
    expect(opened.dropped).toEqual([
      { what: 'external relationship', part: 'word/document.xml', detail: 'http://127.0.0.1/secret.png' },
    ]);
  });

  test('is not hidden by a line end in its id, which readers treat as a space', async () => {
    const file = zip(
      packageEntries({
        mainXml: `<w:document ${namespaces} ${OFFICE_NAMESPACES}><w:body><w:p><v:imagedata r:href="rId\n1"/></w:p></w:body></w:document>`,
        parts: [
          {
            name: 'word/_rels/document.xml.rels',
            data: relationships([secret]).replace('"rId1"', '"rId 1"'),
          },
        ],
      }),
    );
    expect((await sanitize(file)).body).not.toContain('r:href');
  });

  test('stays on elements that are clicked', async () => {
    const body =
      `<w:p><w:hyperlink r:id="rId1">${text('here')}</w:hyperlink>` +
      `<w:r><a:hlinkClick ${DRAWING} r:id="rId1"/></w:r></w:p>`;
    const { body: kept, package: opened } = await sanitize(
      documentOf(body, [['hyperlink', 'https://example.com/', 'External']]),
    );
    expect(kept).toBe(body);
    expect(opened.dropped).toEqual([]);
  });

  test('that is marked as internal must not run anything either', async () => {
    const { package: opened } = await sanitize(documentOf('<w:p/>', [['hyperlink', 'javascript:alert(1)']]));
    expect(opened.main.relationships.list).toEqual([]);
    expect(opened.dropped).toMatchObject([{ what: 'unsafe link' }]);
  });

  test('to a place in the document stays, even if it is marked as external', async () => {
    const { package: opened } = await sanitize(documentOf('<w:p/>', [['hyperlink', '#chapter']]));
    expect(opened.main.relationships.list).toMatchObject([{ target: '#chapter' }]);
  });
});

describe('a Word document inside another', () => {
  const chunk = { name: 'word/chunk.docx', data: docxWith(['inside']) };

  test.each(['customXml', 'printerSettings'])(
    'is not alternative content with a relationship of type %s',
    async (kind) => {
      const { body, package: opened } = await sanitize(
        documentOf('<w:altChunk r:id="rId1"/><w:p/>', [[kind, 'chunk.docx']], [chunk], CHUNK_TYPE),
      );
      expect(body).not.toContain('rId1');
      expect(opened.dropped).toMatchObject([{ what: 'alternative content' }]);
    },
  );

  test('is not alternative content if it was read as another part before', async () => {
    const header = `<w:hdr ${namespaces}><w:p/></w:hdr>`;
    const { package: opened } = await sanitize(
      documentOf(
        '<w:p/>',
        [
          ['customXml', 'chunk.docx'],
          ['header', 'header.xml'],
        ],
        [
          chunk,
          { name: 'word/header.xml', data: header },
          { name: 'word/_rels/header.xml.rels', data: relationships([['aFChunk', 'chunk.docx']]) },
        ],
        CHUNK_TYPE,
      ),
    );
    expect(opened.parts.get('word/header.xml')?.relationships.list).toEqual([]);
    expect(opened.dropped).toMatchObject([{ what: 'alternative content', part: 'word/header.xml' }]);
  });
});

test('an embedded font needs a relationship of the right type', async () => {
  const fonts = `<w:fonts ${namespaces} ${OFFICE_NAMESPACES}><w:font><w:embedRegular r:id="rId1"/></w:font></w:fonts>`;
  const { package: opened } = await sanitize(
    documentOf(
      '<w:p/>',
      [['fontTable', 'fontTable.xml']],
      [
        { name: 'word/fontTable.xml', data: fonts },
        { name: 'word/_rels/fontTable.xml.rels', data: relationships([['customXml', 'font.bin']]) },
        { name: 'word/font.bin', data: 'no font' },
      ],
      BINARY_TYPE,
    ),
  );
  expect(opened.dropped).toMatchObject([{ what: 'embedded font', part: 'word/fontTable.xml' }]);
});

describe('a part without an XML content type', () => {
  const header = (data: Buffer) =>
    documentOf('<w:p/>', [['header', 'header.bin']], [{ name: 'word/header.bin', data }], BINARY_TYPE);
  const xml = `<w:hdr ${namespaces}><w:p><w:fldSimple w:instr="DDE x"/></w:p></w:hdr>`;

  test('is read as XML after any amount of white space', async () => {
    const { package: opened } = await sanitize(header(Buffer.from(' '.repeat(5_000) + xml)));
    expect(opened.dropped).toMatchObject([{ what: 'field', part: 'word/header.bin' }]);
  });

  test('is rejected in EBCDIC, which LibreOffice reads', async () => {
    // <?xml in code page 37.
    const start = Buffer.from([0x4c, 0x6f, 0xa7, 0x94, 0x93, 0x40]);
    await expect(sanitize(header(start))).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test('does not change if it is a video with a first box of sixty bytes', async () => {
    const film = Buffer.from('\0\0\0\x3cftypisom', 'latin1');
    expect((await sanitize(header(film))).names).toContain('word/header.bin');
  });
});

test.each([
  '_rels/document.xml.rels',
  '/[Content_Types].xml',
  '_RELS/document.xml.RELS',
  '%5Frels/document.xml.rels',
])('a file that describes the package is not a part: %s', async (target) => {
  const { names } = await sanitize(documentOf('<w:p/>', [['customXml', target]]));
  expect(names).toEqual(['word/document.xml']);
});
