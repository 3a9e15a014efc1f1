import { describe, expect, test } from '@jest/globals';
import { documentOf, NAMESPACES } from '../src/fixtures/hostile/document.ts';
import { TEMPLATES } from '../src/fixtures/templates/all.ts';
import { templateOf } from '../src/fixtures/templates/template.ts';
import { cell, control, paragraph, row, run, table } from '../src/fixtures/templates/word.ts';
import { type ZipEntry, zip } from '../src/fixtures/zip.ts';
import { onlyFilledControlsDiffer } from '../src/ooxml-validator/differences.ts';
import { faultsOf, newFaultsOf } from '../src/ooxml-validator/validate.ts';

const IMAGE = { name: 'word/media/image1.png', data: 'png', type: 'image/png' };

function picture(
  id: number,
  parts = '<wp:extent cx="1" cy="1"/><wp:docPr/>',
  blip = 'r:embed="rId1"',
): string {
  const inside =
    `<a:graphic><a:graphicData><pic:pic><pic:nvPicPr/><pic:blipFill><a:blip ${blip}/></pic:blipFill><pic:spPr/>` +
    '</pic:pic></a:graphicData></a:graphic>';
  const places = parts.replace('<wp:docPr/>', `<wp:docPr id="${id}" name="p"/>`);
  return paragraph(`<w:r><w:drawing><wp:inline>${places}${inside}</wp:inline></w:drawing></w:r>`);
}

const withImage = (body: string) =>
  templateOf({
    body,
    links: [{ id: 'rId1', kind: 'image', target: 'media/image1.png' }],
    parts: [IMAGE],
  });

/** Broken bodies by their expected fault. */
const BROKEN_BODIES: Readonly<Record<string, string>> = {
  'w:body/w:tbl has no row': table(1, []) + paragraph(''),
  'w:body/w:tbl/w:tr has no cell': table(1, ['<w:tr/>']) + paragraph(''),
  'w:body/w:tbl/w:sdt/w:sdtContent has no row':
    table(1, [row(['x']), control({ id: 1 }, '')]) + paragraph(''),
  'w:body/w:tbl lacks w:tblGrid': '<w:tbl><w:tblPr/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>',
  'w:body/w:tbl/w:tr/w:tc does not end with a paragraph': table(1, [row([cell(table(1, [row(['x'])]))])]),
  'w:body/w:p may not hold w:tbl': `<w:p>${table(1, [row(['x'])])}</w:p>`,
  'w:body/w:p/w:sdt/w:sdtContent may not hold w:p': paragraph(control({ id: 1 }, paragraph('x'))),
  'w:body/w:sdt/w:sdtContent may not hold w:r': control({ id: 1 }, run('x')),
  'w:body/w:p/w:sdt/w:sdtPr holds w:alias behind w:id':
    '<w:p><w:sdt><w:sdtPr><w:id w:val="1"/><w:alias w:val="x"/></w:sdtPr><w:sdtContent/></w:sdt></w:p>',
  'w:body/w:p/w:sdt/w:sdtPr holds w:text beside w:date':
    '<w:p><w:sdt><w:sdtPr><w:date/><w:text/></w:sdtPr><w:sdtContent/></w:sdt></w:p>',
  'w:body/w:p/w:sdt holds w:sdtPr behind w:sdtContent': '<w:p><w:sdt><w:sdtContent/><w:sdtPr/></w:sdt></w:p>',
  'w:body/w:p holds w:pPr behind what it must precede': `<w:p>${run('x')}<w:pPr/></w:p>`,
  'w:body/w:p/w:r holds w:rPr behind what it must precede': '<w:p><w:r><w:t>x</w:t><w:rPr/></w:r></w:p>',
  'w:body/w:p/w:r may not hold w:p': '<w:p><w:r><w:p/></w:r></w:p>',
  'w:body/w:p/w:r holds loose text': '<w:p><w:r>x</w:r></w:p>',
  'w:body/w:p/w:pPr holds w:jc behind w:rPr': paragraph('x', '<w:rPr/><w:jc w:val="center"/>'),
  'w:body/w:tbl/w:tr/w:tc/w:tcPr holds w:gridSpan behind w:vMerge':
    table(1, [row([cell('x', '<w:vMerge/><w:gridSpan w:val="2"/>')])]) + paragraph(''),
  'two w:sdtPr have the id 7': paragraph(control({ id: 7 }, run('x')) + control({ id: 7 }, run('y'))),
  'w:bookmarkStart 1 has no end': paragraph('<w:bookmarkStart w:id="1" w:name="a"/>'),
  'w:bookmarkEnd 1 ends nothing': paragraph('<w:bookmarkEnd w:id="1"/>'),
  'two bookmarks have the name a': paragraph(
    [1, 2].map((id) => `<w:bookmarkStart w:id="${id}" w:name="a"/><w:bookmarkEnd w:id="${id}"/>`).join(''),
  ),
  'w:commentRangeStart 0 has no end': paragraph('<w:commentRangeStart w:id="0"/>'),
  'comment 4 is missing': paragraph('<w:r><w:commentReference w:id="4"/></w:r>'),
  'two elements have the paragraph id 00000001': '<w:p w14:paraId="00000001"/><w:p w14:paraId="00000001"/>',
  'w:body/w:p/w:hyperlink refers to rId9, which is not a relationship of the part': paragraph(
    `<w:hyperlink r:id="rId9">${run('x')}</w:hyperlink>`,
  ),
};

describe('for a broken document, the validator reports', () => {
  test.each(Object.entries(BROKEN_BODIES))('%s', async (fault, body) => {
    expect(await faultsOf(templateOf({ body }))).toContain(`word/document.xml: ${fault}`);
  });

  test('a picture with parts out of order, with a duplicate id, or without an image', async () => {
    expect(await faultsOf(withImage(picture(1)))).toEqual([]);
    expect(await faultsOf(withImage(picture(1) + picture(1)))).toEqual([
      'word/document.xml: two wp:docPr have the id 1',
    ]);
    const [fault] = await faultsOf(withImage(picture(1, '<wp:docPr/><wp:extent cx="1" cy="1"/>')));
    expect(fault).toContain('holds wp:extent behind wp:docPr');
    expect((await faultsOf(withImage(picture(1, undefined, ''))))[0]).toContain('a:blip shows no image');
  });

  test('a part that is not well-formed, or with an undeclared prefix', async () => {
    const faultOf = async (mainXml: string) => (await faultsOf(documentOf({ mainXml })))[0];
    expect(await faultOf(`<w:document ${NAMESPACES}><w:body></w:document>`)).toContain('is not well-formed');
    expect(await faultOf(`<w:document ${NAMESPACES}><w15:x/></w:document>`)).toContain('is not well-formed');
    expect(await faultOf(`<!DOCTYPE w><w:document ${NAMESPACES}/>`)).toContain('is not well-formed');
    const ignorable =
      'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="w14"';
    expect(await faultOf(`<w:document ${NAMESPACES} ${ignorable}/>`)).toBe(
      'word/document.xml: mc:Ignorable names w14, which is not declared',
    );
  });

  test('a package whose relationships and types do not match its parts', async () => {
    const links = [{ id: 'rId1', kind: 'image', target: 'media/image1.png' }];
    const png = { name: 'word/media/image1.png', data: 'png' };
    const faults = (content: Parameters<typeof documentOf>[0]) => faultsOf(documentOf(content));
    expect(await faults({ links, parts: [png] })).toEqual([]);
    expect(await faults({ parts: [png] })).toEqual(['no relationship leads to word/media/image1.png']);
    expect(await faults({ links })).toEqual([
      'word/_rels/document.xml.rels: rId1 leads to media/image1.png, which does not exist',
    ]);
    expect(await faults({ links: [...links, ...links], parts: [png] })).toEqual([
      'word/_rels/document.xml.rels holds the id rId1 twice',
    ]);
    expect(await faults({ links, parts: [{ ...png, type: 'text/plain' }] })).toEqual([
      'word/_rels/document.xml.rels: rId1 leads to an image of the type text/plain',
    ]);
    const unknown = { name: 'word/media/image1.xyz', data: '' };
    expect(
      await faults({ links: [{ id: 'rId1', kind: 'x', target: 'media/image1.xyz' }], parts: [unknown] }),
    ).toEqual(['word/media/image1.xyz has no content type']);
    expect(await faults({ parts: [{ name: 'word/_rels/gone.xml.rels', data: '<Relationships/>' }] })).toEqual(
      ['word/_rels/gone.xml.rels belongs to no part'],
    );
  });

  test('a duplicate file in an archive, or an invalid archive', async () => {
    const part: ZipEntry = { name: '[Content_Types].xml', data: '<Types/>' };
    expect(await faultsOf(zip([part, part]))).toContain('the archive holds [Content_Types].xml twice');
    expect((await faultsOf(Buffer.from('no archive')))[0]).toContain('the archive cannot be read');
    expect(await faultsOf(zip([]))).toContain('there is no [Content_Types].xml');
  });

  test('only properties outside any schema for the templates', async () => {
    for (const [name, make] of Object.entries(TEMPLATES)) {
      const faults = await faultsOf(make());
      const isLegacy = name === 'a legacy control whose properties have children of their own';
      expect([name, faults]).toEqual([name, isLegacy ? [expect.any(String), expect.any(String)] : []]);
      expect(await newFaultsOf(make(), make())).toEqual([]);
    }
  });
});

describe('between a template and its filled document, the validator finds', () => {
  const before = (inside: string, outside = 'outside', more = {}) =>
    templateOf({ body: paragraph(run(outside) + control({ tag: 'a', id: 1 }, run(inside))), ...more });
  const differences = (after: Buffer, template = before('x')) =>
    onlyFilledControlsDiffer(template, after, ['a']);

  test('no difference if only filled controls have changed', async () => {
    expect(await differences(before('new'))).toEqual([]);
    expect(await differences(withImageOf(before('new')))).toEqual([]);
  });

  test('changed text outside of a filled control, or in a part without one', async () => {
    expect(await differences(before('x', 'other'))).toEqual([
      'word/document.xml differs outside of its filled controls',
    ]);
    expect(await onlyFilledControlsDiffer(before('x'), before('y'), ['b'])).toEqual([
      'word/document.xml differs and has no filled control',
    ]);
    const header = (text: string) => before('x', undefined, { header: paragraph(text) });
    expect(await differences(header('new'), header('old'))).toEqual([
      'word/header.xml differs and has no filled control',
    ]);
  });

  test('a changed order of parts, and lost relationships', async () => {
    const header = before('x', undefined, { header: paragraph('x') });
    expect(await differences(before('x'), header)).toEqual([
      'the parts are not those of the template in their order',
      expect.stringContaining('[Content_Types].xml lost'),
      expect.stringContaining('word/document.xml differs'),
      expect.stringContaining('word/_rels/document.xml.rels lost'),
    ]);
  });
});

/** The document with an additional file at its end. */
function withImageOf(docx: Buffer): Buffer {
  const end = docx.lastIndexOf('PK\x05\x06');
  const directory = docx.readUInt32LE(end + 16);
  const count = docx.readUInt16LE(end + 10);
  const added = zip([{ name: 'word/media/new.png', data: 'png' }]);
  const addedEnd = added.lastIndexOf('PK\x05\x06');
  const addedDirectory = added.readUInt32LE(addedEnd + 16);
  const entry = Buffer.from(added.subarray(addedDirectory, addedEnd));
  entry.writeUInt32LE(directory, 42);
  const tail = Buffer.from(docx.subarray(end));
  tail.writeUInt16LE(count + 1, 8);
  tail.writeUInt16LE(count + 1, 10);
  tail.writeUInt32LE(end - directory + entry.length, 12);
  tail.writeUInt32LE(directory + addedDirectory, 16);
  return Buffer.concat([
    docx.subarray(0, directory),
    added.subarray(0, addedDirectory),
    docx.subarray(directory, end),
    entry,
    tail,
  ]);
}
