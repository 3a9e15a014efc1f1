import { describe, expect, test } from '@jest/globals';
import { openPackage, writePackage } from '@scriptorium/ooxml/package';
import { activeContent, activeContentIn } from '../../src/docx/active-content.ts';
import { documentOf, field, instruction, type Link, relationships, text } from './sanitized.ts';

const SETTINGS = 'application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml';

/** The document without its active content, which is sound and has no more of it. */
async function cleaned(source: Buffer) {
  const { dropped, ...document } = await openPackage(source, activeContent());
  const bytes = writePackage(document as typeof document & { dropped: typeof dropped }, {
    isCompressed: true,
  });
  const again = await openPackage(bytes, activeContent());
  expect(again.dropped).toEqual([]);
  return {
    body: (again.main.xml ?? '').replace(/^.*<w:body>|<\/w:body>.*$/gs, ''),
    parts: again.parts,
    relations: again.main.relationships.list.map(({ target }) => target),
    what: dropped.map(({ what }) => what),
    content: activeContentIn(dropped),
  };
}

const ACTIVE = [
  ...['DDE prog topic item', 'DDEAUTO prog topic item', 'INCLUDETEXT "file:///etc/hostname"'],
  ...[
    'INCLUDEPICTURE "http://files.example/a.png" \\d',
    'LINK Excel.Sheet.12 "C:\\\\x.xlsx"',
    'IMPORT x.png',
  ],
  ...['DATABASE \\c "DSN=x" \\s "SELECT 1"', 'INCLUDE x.docx', 'RD x.docx', 'PRINT "x"'],
];

describe('of a document that stays editable', () => {
  test.each(ACTIVE)('the field %s becomes its result', async (code) => {
    const { body, content, what } = await cleaned(
      documentOf(`<w:p>${field(instruction(code), text('shown'))}</w:p>`),
    );
    expect(body).toBe(`<w:p>${'<w:r></w:r>'.repeat(2)}<w:r></w:r>${text('shown')}<w:r></w:r></w:p>`);
    expect([content, what]).toEqual([['fields'], ['field']]);
  });

  test('a field within another one, and one in an attribute, become their results', async () => {
    const nested = field(
      instruction('IF 1 = 1 "') + field(instruction('INCLUDETEXT x'), text('inner')) + instruction('"'),
      text('outer'),
    );
    const simple = `<w:fldSimple w:instr="DDEAUTO a b">${text('simple')}</w:fldSimple>`;
    const { body } = await cleaned(documentOf(`<w:p>${nested}${simple}</w:p>`));
    expect(body).not.toMatch(/INCLUDETEXT|DDEAUTO/);
    expect(body).toContain('outer');
    expect(body).toContain('simple');
  });

  test.each([
    ['', 'QUOTE 68 68 69', ' c x'],
    ['INCLUDE', 'QUOTE TEXT', ' "x"'],
    ['HYPERLINK "', 'DOCPROPERTY x', '"', 'file:///etc/x'],
  ])('a field whose code %s an inner field goes on with', async (start, inner, end, result = '') => {
    const code = instruction(start) + field(instruction(inner), text(result)) + instruction(end);
    const { what } = await cleaned(documentOf(`<w:p>${field(code, text('shown'))}</w:p>`));
    expect(what).toHaveLength(1);
  });

  test('a field of a condition, and one in the address of a link, stays', async () => {
    const inner = (code: string) => field(instruction(code), text('«x»'));
    const link = field(instruction('HYPERLINK "') + inner('MERGEFIELD x') + instruction('"'), text('y'));
    const body = `<w:p>${field(instruction('IF') + inner('PAGE') + instruction('=1 a'), text('a'))}${link}</w:p>`;
    expect((await cleaned(documentOf(body))).body).toBe(body);
  });

  test('a page of a video goes', async () => {
    const uri = 'http://schemas.microsoft.com/office/word/2012/wordprocessingDrawing';
    const { body, content } = await cleaned(
      documentOf(`<w:p><x:webVideoPr xmlns:x="${uri}" embeddedHtml="&lt;script>"/></w:p>`),
    );
    expect([body, content]).toEqual(['<w:p></w:p>', ['external-content']]);
  });

  test('a picture loses the address of a link', async () => {
    const blip = '<v:fill r:id="rId1"/><w:altChunk r:id="rId1"/><w:hyperlink r:id="rId1"></w:hyperlink>';
    const { body } = await cleaned(documentOf(blip, [['hyperlink', 'http://h/x', 'External']]));
    expect(body).toMatch(/^<v:fill ?\/><w:hyperlink r:id="rId1"><\/w:hyperlink>$/);
  });

  test('an instruction outside of a field goes', async () => {
    const { body } = await cleaned(documentOf(`<w:p>${instruction('DDEAUTO a b')}</w:p>`));
    expect(body).toBe('<w:p><w:r></w:r></w:p>');
  });

  test('a button becomes its text', async () => {
    const { body, what } = await cleaned(
      documentOf(`<w:p>${field(instruction('MACROBUTTON NoMacro Click here'), '')}</w:p>`),
    );
    expect(body).toContain('>Click here<');
    expect(what).toEqual(['field']);
  });

  test('links that are not safe become text', async () => {
    const { body, what, content } = await cleaned(
      documentOf(`<w:p>${field(instruction('HYPERLINK "file:///etc/hostname"'), text('shown'))}</w:p>`),
    );
    expect(body).not.toContain('HYPERLINK');
    expect([what, content]).toEqual([['unsafe link'], []]);
  });

  test('pictures and objects that are elsewhere lose their addresses', async () => {
    const body =
      '<w:p><w:r><w:pict><v:shape o:href="http://files.example/x"><v:imagedata r:id="rId1" src="a.png" o:title="t"/></v:shape></w:pict></w:r>' +
      '<w:r><w:object><o:OLEObject Type="Link" r:id="rId2"/></w:object></w:r></w:p><w:subDoc r:id="rId3"/>';
    const links: Link[] = [
      ['image', 'http://files.example/a.png', 'External'],
      ['oleObject', 'file:///x.xlsx', 'External'],
      ['subDocument', 'x.docx', 'External'],
      ['hyperlink', 'https://example.org/', 'External'],
    ];
    const result = await cleaned(documentOf(body, links));
    expect(result.body).toBe(
      '<w:p><w:r><w:pict><v:shape ><v:imagedata  src="a.png" o:title="t"/></v:shape></w:pict></w:r>' +
        '<w:r><w:object></w:object></w:r></w:p>',
    );
    expect(result.relations).toEqual(['https://example.org/']);
    expect(result.content).toEqual(['external-content']);
  });

  test('the template and the data source are forgotten', async () => {
    const settings =
      '<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">' +
      '<w:zoom w:percent="100"/><w:attachedTemplate r:id="rId1"/><w:mailMerge><w:dataSource r:id="rId2"/></w:mailMerge></w:settings>';
    const parts = [
      { name: 'word/settings.xml', data: settings },
      {
        name: 'word/_rels/settings.xml.rels',
        data: relationships([
          ['attachedTemplate', 'http://files.example/t.dotm', 'External'],
          ['mailMergeSource', 'file:///x.mdb', 'External'],
        ]),
      },
    ];
    const type = `<Override PartName="/word/settings.xml" ContentType="${SETTINGS}"/>`;
    const source = documentOf('<w:p/>', [['settings', 'settings.xml']], parts, type);
    const { parts: written, content } = await cleaned(source);
    expect(written.get('word/settings.xml')?.xml).toContain('<w:zoom w:percent="100"/></w:settings>');
    expect(written.get('word/settings.xml')?.relationships.list).toEqual([]);
    expect(content).toEqual(['external-content', 'remote-template']);
  });

  test('everything else keeps its bytes', async () => {
    const body =
      `<w:p>${field(instruction('MERGEFIELD name'), text('«name»'))}${field(instruction('PAGE'), text('1'))}</w:p>` +
      `<w:p>${field(instruction('HYPERLINK "https://example.org/"'), text('x'))}${field(instruction('EMBED Excel.Sheet.12'), '<w:r><w:object/></w:r>')}</w:p>` +
      `<w:p>${instruction('{name}')}</w:p><w:p><w:fldSimple w:instr="AUTHOR">${text('a')}</w:fldSimple><w:r><w:pict><v:shape><v:imagedata src="local.png"/></v:shape></w:pict></w:r></w:p>`;
    const source = documentOf(body, [['hyperlink', 'annex.txt', 'External']]);
    const given = await openPackage(source, activeContent());
    expect(given.dropped).toEqual([]);
    expect([...given.parts.values()].flatMap(({ edits }) => edits)).toEqual([]);
  });
});
