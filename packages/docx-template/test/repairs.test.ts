import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { testInWhole } from '@scriptorium/testing/extent';
import { relationshipsXml, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { shownTexts } from '@scriptorium/testing/office';
import { fill, text } from './filling.ts';

const HYPERLINK = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink';

describe.each([
  ['without a target', ''],
  ['to a script', 'Target="javascript:alert(1)"'],
  ['to another computer', 'Target="\\\\server\\share"'],
])('a hyperlink relationship %s', (_, target) => {
  const body =
    p(`<w:hyperlink r:id="rId8" w:history="1">${run('our page')}</w:hyperlink>`) +
    p(sdt({ id: 1, tag: 'x' }, run('old'))) +
    p(`<w:hyperlink r:id="rId9">${run('example')}</w:hyperlink>`);
  const links = relationshipsXml([
    { id: 'rId9', kind: 'hyperlink', target: 'https://example.com/', isExternal: true },
  ]).replace(
    '</Relationships>',
    `<Relationship Id="rId8" Type="${HYPERLINK}" ${target} TargetMode="External"/></Relationships>`,
  );
  const source = templateOf(body, { parts: [{ name: 'word/_rels/document.xml.rels', data: links }] });

  testInWhole('is removed, with a warning, and the text of the link stays', async () => {
    const { xml, bytes, report } = await fill(source, [text({ id: 'x' }, 'Ada')]);
    expect(report).toMatchObject({ filled: 1, linksRemoved: true });
    expect(xml()).not.toContain('rId8');
    expect(xml()).toContain('r:id="rId9"');
    expect((await shownTexts([bytes]))[0]).toMatch(/our page\s+Ada\s+example/);
  });

  test('is removed from a field that is filled over it', async () => {
    const around = templateOf(sdt({ id: 1, tag: 'x' }, body), {
      parts: [{ name: 'word/_rels/document.xml.rels', data: links }],
    });
    const { xml } = await fill(around, [text({ id: 'x' }, 'Ada')]);
    expect(xml()).not.toMatch(/rId8|our page/);
  });
});

test('parts to which no relationship leads are reported if they go', async () => {
  const parts = [{ name: 'word/lost.xml', data: wordPart('hdr', p(run('lost'))), type: wordType('header') }];
  const source = templateOf(p(sdt({ id: 1, tag: 'x' }, run('old'))), { parts });
  expect((await fill(source, [text({ id: 'x' }, 'Ada')])).report.partsRemoved).toBe(true);
  const untouched = await fill(source, [text({ id: 'y' }, 'Ada')]);
  expect(untouched.bytes).toEqual(source);
  expect(untouched.report.partsRemoved).toBe(false);
  const plain = templateOf(p(sdt({ id: 1, tag: 'x' }, run('old'))));
  expect((await fill(plain, [text({ id: 'x' }, 'Ada')])).report.partsRemoved).toBe(false);
});

describe('active content of a template', () => {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const field = (code: string, result: string) =>
    `${mark('begin')}<w:r><w:instrText>${code}</w:instrText></w:r>${mark('separate')}${run(result)}${mark('end')}`;
  const picture = '<w:r><w:pict><v:shape><v:imagedata r:id="rId8"/></v:shape></w:pict></w:r>';
  const links = relationshipsXml([
    { id: 'rId8', kind: 'image', target: 'http://files.example/a.png', isExternal: true },
  ]);
  const parts = [{ name: 'word/_rels/document.xml.rels', data: links }];
  const body =
    p(field('DDEAUTO a b', 'shown')) +
    p(picture) +
    p(field('PAGE', '7')) +
    p(sdt({ id: 1, tag: 'x' }, field('INCLUDETEXT x', 'old')));

  test('is removed, with warnings, and other fields stay as they are', async () => {
    const { xml, report } = await fill(templateOf(body, { parts }), [text({ id: 'x' }, 'Ada')]);
    expect(report).toMatchObject({ filled: 1, contentRemoved: ['fields', 'external-content'] });
    expect(xml()).not.toMatch(/DDEAUTO|INCLUDETEXT|rId8|old/);
    expect(xml()).toContain(field('PAGE', '7'));
    expect(xml()).toMatch(/shown.*Ada/s);
  });

  test('is removed if nothing is filled, too', async () => {
    const { xml, report } = await fill(templateOf(body, { parts }), []);
    expect(report.contentRemoved).toEqual(['fields', 'external-content']);
    expect(xml()).not.toMatch(/DDEAUTO|INCLUDETEXT|rId8/);
  });

  test('is removed if it is a binding of keys to macros, of which no warning is given', async () => {
    const keys = relationshipsXml([
      { id: 'rId9', kind: 'keyMapCustomizations', target: 'customizations.xml' },
    ]);
    const data = '<wne:tcg xmlns:wne="http://schemas.microsoft.com/office/word/2006/wordml"/>';
    const bound = [
      { name: 'word/_rels/document.xml.rels', data: keys },
      { name: 'word/customizations.xml', data },
    ];
    const { bytes, report } = await fill(templateOf(p(run('Letter')), { parts: bound }), []);
    expect(report.contentRemoved).toEqual([]);
    expect((await openPackage(bytes)).main.relationships.list).toEqual([]);
  });
});
