import { describe, expect, test } from '@jest/globals';
import { isSafeLink, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { docxWith, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { sanitizers } from '../../src/docx/steps.ts';
import { documentOf, field, instruction, RELATIONSHIP, relationships, sanitize, text } from './sanitized.ts';

describe('relationships', () => {
  test('to external targets are dropped, except hyperlinks', async () => {
    const { package: opened } = await sanitize(
      documentOf('<w:p/>', [
        ['hyperlink', 'https://example.com/', 'External'],
        ['hyperlink', 'consultantplus://offline/ref=1', 'External'],
        ['image', 'http://127.0.0.1/x.png', 'External'],
        ['oleObject', 'file:///etc/passwd', 'External'],
        ['attachedTemplate', 'http://127.0.0.1/x.dotm', 'External'],
        ['hyperlink', 'vnd.sun.star.script:x?language=Basic', 'External'],
      ]),
    );
    expect(opened.main.relationships.list.map(({ target }) => target)).toEqual([
      'https://example.com/',
      'consultantplus://offline/ref=1',
    ]);
    expect(opened.dropped.map(({ what }) => what)).toEqual([
      'external relationship',
      'external relationship',
      'remote template',
      'unsafe link',
    ]);
  });

  test('to macros are dropped, and the document becomes a plain one', async () => {
    const macroType = 'application/vnd.ms-word.document.macroEnabled.main+xml';
    const entries = packageEntries({
      mainType: macroType,
      parts: [
        {
          name: 'word/_rels/document.xml.rels',
          data: relationships([['vbaProject', 'vbaProject.bin']]).replace(
            RELATIONSHIP,
            'http://schemas.microsoft.com/office/2006/relationships',
          ),
        },
        { name: 'word/vbaProject.bin', data: 'macro' },
      ],
    });
    const { package: opened, names } = await sanitize(zip(entries));
    expect(names).toEqual(['word/document.xml']);
    expect(opened.main.contentType).toContain('wordprocessingml.document.main');
    expect(opened.dropped).toMatchObject([{ what: 'macro' }]);
  });

  test('to objects are dropped, and the picture of the object stays', async () => {
    const object =
      '<w:p><w:r><w:object><v:shape><v:imagedata r:id="rId2"/></v:shape>' +
      '<o:OLEObject Type="Embed" ProgID="Package" r:id="rId1"/></w:object></w:r></w:p>';
    const {
      body,
      names,
      package: opened,
    } = await sanitize(
      documentOf(
        object,
        [
          ['oleObject', 'embeddings/oleObject1.bin'],
          ['image', 'media/image1.png'],
        ],
        [
          { name: 'word/embeddings/oleObject1.bin', data: 'object' },
          { name: 'word/media/image1.png', data: png() },
        ],
        '<Default Extension="png" ContentType="image/png"/>',
      ),
    );
    expect(names).not.toContain('word/embeddings/oleObject1.bin');
    expect(body).toContain('v:imagedata');
    expect(body).not.toContain('OLEObject');
    expect(opened.dropped).toMatchObject([{ what: 'OLE object' }]);
  });
});

describe('alternative content', () => {
  const chunk = (name: string) => `<w:altChunk r:id="${name}"/><w:p/>`;
  const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

  test('in HTML is dropped', async () => {
    const { names, package: opened } = await sanitize(
      documentOf(
        chunk('rId1'),
        [['aFChunk', 'chunk.html']],
        [{ name: 'word/chunk.html', data: '<html><img src="file:///etc/passwd"></html>' }],
        '<Default Extension="html" ContentType="text/html"/>',
      ),
    );
    expect(names).toEqual(['word/document.xml']);
    expect(opened.dropped).toMatchObject([{ what: 'alternative content' }]);
  });

  test('in a Word document is sanitized too', async () => {
    const inner = documentOf(`<w:p>${field(instruction('DDE x'), text('inner text'))}</w:p>`, [
      ['aFChunk', 'deeper.docx'],
    ]);
    const { package: opened, names } = await sanitize(
      documentOf(
        chunk('rId1'),
        [['aFChunk', 'chunk.docx']],
        [{ name: 'word/chunk.docx', data: inner }],
        `<Default Extension="docx" ContentType="${DOCX}"/>`,
      ),
    );
    expect(names).toContain('word/chunk.docx');
    expect(opened.dropped.map(({ what }) => what)).toEqual(['alternative content', 'field']);
    const kept = await openPackage(opened.parts.get('word/chunk.docx')?.bytes ?? Buffer.alloc(0));
    expect(kept.main.xml).toContain('inner text');
    expect(kept.main.xml).not.toContain('DDE');
  });

  test('that is hostile makes the sanitizer reject the document', async () => {
    const hostile = zip(packageEntries({ mainXml: '<!DOCTYPE x><x/>' }));
    const file = documentOf(
      chunk('rId1'),
      [['aFChunk', 'chunk.docx']],
      [{ name: 'word/chunk.docx', data: hostile }],
      `<Default Extension="docx" ContentType="${DOCX}"/>`,
    );
    await expect(sanitize(file)).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });
});

test('addresses in VML are removed with any prefix', async () => {
  const { body, package: opened } = await sanitize(
    documentOf(
      '<w:p><w:r><w:pict xmlns:x="urn:schemas-microsoft-com:vml"><x:imagedata src="http://127.0.0.1/x.png" title="t"/></w:pict></w:r></w:p>',
    ),
  );
  expect(body).not.toContain('127.0.0.1');
  expect(body).toContain('title="t"');
  expect(opened.dropped).toMatchObject([{ what: 'external relationship' }]);
});

test('a document with nothing to remove keeps its parts byte for byte', async () => {
  const file = docxWith(['Nothing to see.']);
  const before = await openPackage(file);
  const after = await openPackage(
    writePackage(await openPackage(file, sanitizers()), { isCompressed: false }),
  );
  expect(after.main.bytes.equals(before.main.bytes)).toBe(true);
});

test.each([
  ['https://example.com', true],
  ['mailto:a@b.c', true],
  ['page.html#part', true],
  ['TEL:+49301234', true],
  ['urn:isbn:0451450523', true],
  ['annex/../other.docx#x', true],
  ['#/etc/passwd', true],
  ['?page=//x', true],
  ['annex.docx#Sheet1!A1:B2', true],
  ['[Book.xlsx]Sheet1!A1:B2', true],
  ['https://example.com/../..//x:y', true],
  ['../other.docx', false],
  ['a/../../other.docx', false],
  ['a\\..\\..\\b', false],
  ['%2e%2e/b', false],
  ['.\u200b./b', false],
  ['/etc/passwd', false],
  ['\\windows\\win.ini', false],
  ['\u00a0\ufeff/etc/passwd', false],
  ['\u3164\u00ad/etc/passwd', false],
  ['%2Fetc/passwd', false],
  ['%25252Fetc/passwd', false],
  ['%09%E2%80%8B/etc/passwd', false],
  ['%5C%5Cserver/share', false],
  ['\uff0f\uff0fserver', false],
  ['java%73cript:x', false],
  ['javascript%3Ax', false],
  ['java\u00adscript:x', false],
  ['C|/windows', false],
  ['c%3a/windows', false],
  ['::{20D04FE0-3AEA-1069-A2D8-08002B30309D}', false],
  ['%USERPROFILE%\\x', false],
  ['C:\\files\\a.docx', false],
  ['file:///etc/passwd', false],
  ['\\\\server\\share\\a.docx', false],
  ['//server/share', false],
  [' \t\\/server/share', false],
  ['smb://server/share', false],
  ['ms-msdt:/id PCWDiagnostic', false],
  ['search-ms:query=x&crumb=location:\\\\server', false],
  ['onenote:///x', false],
  ['javascript:alert(1)', false],
  ['Java\tScript:alert(1)', false],
  [' vnd.sun.star.expand:$X', false],
  ['.uno:Quit', false],
  ['macro:///Standard.Module1', false],
  ['data:text/html,x', false],
])('the link %j is safe: %s', (address, isSafe) => {
  expect(isSafeLink(address)).toBe(isSafe);
});
