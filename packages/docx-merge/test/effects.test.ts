import { describe, expect, test } from '@jest/globals';
import { paragraph, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { documentWith, merged, settings, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr/>';

/** A document with these styles. */
const styled = (body: string, styles: string) =>
  documentWith(body + SECTION, {
    links: [{ id: 'rIdS', kind: 'styles', target: 'styles.xml' }],
    parts: [{ name: 'word/styles.xml', type: wordType('styles'), data: wordPart('styles' as 'hdr', styles) }],
  });

const defaults = (after: number) =>
  `<w:docDefaults><w:pPrDefault><w:pPr><w:spacing w:after="${after}"/></w:pPr></w:pPrDefault></w:docDefaults>`;
const NORMAL = '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>';
const table = (style: string, cell: string) =>
  `<w:tbl><w:tblPr>${style === '' ? '' : `<w:tblStyle w:val="${style}"/>`}</w:tblPr><w:tblGrid/><w:tr><w:tc>${cell}</w:tc></w:tr></w:tbl>`;
const TIGHT =
  '<w:style w:type="table" w:styleId="T"><w:name w:val="Tight"/><w:pPr><w:spacing w:after="0"/></w:pPr></w:style>';

/** The space after each paragraph of the body by its style alone, by the text of the paragraph. */
function spaces(main: string, styles: string): Record<string, string | undefined> {
  const byId = new Map(
    [...styles.matchAll(/<w:style [^>]*?w:styleId="([^"]*)"[^>]*>([\s\S]*?)<\/w:style>/g)].map(
      ([, id = '', content = '']) => [id, valuesOf(content, 'w:spacing', 'w:after')[0]],
    ),
  );
  return Object.fromEntries(
    [...main.matchAll(/<w:p>((?:(?!<w:p>)[\s\S])*?)<w:t>([^<]*)</g)].map(([, head = '', text = '']) => [
      text,
      byId.get(valuesOf(head, 'w:pStyle')[0] ?? ''),
    ]),
  );
}

describe('paragraphs without a style, where the defaults of documents differ', () => {
  test('get the defaults of their document, but leave to the style of a table what it sets', async () => {
    const box = `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>${paragraph('in a box')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`;
    const body =
      paragraph('outside') +
      table('T', paragraph('tight') + box + table('', paragraph('inner'))) +
      table('', paragraph('plain'));
    const documents = [
      styled(paragraph('first'), defaults(100) + NORMAL),
      styled(body, defaults(300) + NORMAL + TIGHT),
    ];
    const { main, part } = await merged(documents);
    expect(spaces(main, part('word/styles.xml'))).toEqual({
      first: undefined,
      outside: '300',
      tight: undefined,
      'in a box': '300',
      inner: '300',
      plain: '300',
    });
  });
});

const field = (instruction: string, result: string) =>
  p(
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`,
  );

/** A document with these fields, this title, this property "Client" and this variable "Town". */
function withProperties(fields: string, title: string, client: string, town: string): Buffer {
  const core = `<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></c:coreProperties>`;
  const custom = `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="Client"><vt:lpwstr>${client}</vt:lpwstr></property></Properties>`;
  const variables = settings(`<w:docVars><w:docVar w:name="Town" w:val="${town}"/></w:docVars>`);
  const type = 'application/vnd.openxmlformats';
  return documentWith(fields + SECTION, {
    links: variables.links,
    packageLinks: [
      {
        id: 'rIdC',
        kind: 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties',
        target: 'docProps/core.xml',
      },
      { id: 'rIdD', kind: 'custom-properties', target: 'docProps/custom.xml' },
    ],
    parts: [
      ...variables.parts,
      { name: 'docProps/core.xml', type: `${type}-package.core-properties+xml`, data: core },
      {
        name: 'docProps/custom.xml',
        type: `${type}-officedocument.custom-properties+xml`,
        data: custom,
      },
    ],
  });
}

describe('fields that show properties of a document', () => {
  const FIELDS =
    field(' TITLE ', 'shown title') +
    field(' DOCPROPERTY  Client \\* MERGEFORMAT ', 'A "B" \\ C') +
    field(' DOCPROPERTY &quot;Title&quot; ', 'shown title') +
    field(' DOCVARIABLE Town ', 'Bern') +
    p('<w:fldSimple w:instr=" SUBJECT "><w:r><w:t>none</w:t></w:r></w:fldSimple>') +
    p('<w:fldSimple w:instr=" TITLE "/>');

  test('show the same text as before where the first document has other properties', async () => {
    const first = withProperties(field(' TITLE ', 'one'), 'one', 'X', 'Basel');
    const second = withProperties(FIELDS, 'two &amp; a &quot;half&quot;', 'Y', 'Bern');
    const { main, warnings } = await merged([first, second]);
    const codes = [...main.matchAll(/<w:instrText>([^<]*)</g)].map(([, code]) => code);
    expect(codes).toEqual([
      ' TITLE ',
      ' QUOTE &quot;shown title&quot; ',
      ' QUOTE &quot;A \\&quot;B\\&quot; \\\\ C&quot; ',
      ' QUOTE &quot;shown title&quot; ',
      ' QUOTE &quot;Bern&quot; ',
    ]);
    expect(valuesOf(main, 'w:fldSimple', 'w:instr')).toEqual([
      ' SUBJECT ',
      ' QUOTE &quot;two &amp; a \\&quot;half\\&quot;&quot; ',
    ]);
    expect(warnings.map(({ document, code }) => [document, code])).toEqual([[1, 'PROPERTY_FIELD']]);
  });

  test('stay fields where the properties are alike', async () => {
    const { main, warnings } = await merged([
      withProperties(FIELDS, 'one', 'X', 'Basel'),
      withProperties(FIELDS, 'one', 'X', 'Basel'),
    ]);
    expect(main).not.toContain('QUOTE');
    expect(warnings).toEqual([]);
  });
});

test('a merge warns where the first document decides about hyphenation', async () => {
  const plain = documentWith(paragraph('a') + SECTION);
  const hyphenated = documentWith(paragraph('b') + SECTION, settings('<w:autoHyphenation/>'));
  const off = documentWith(paragraph('c') + SECTION, settings('<w:autoHyphenation w:val="0"/>'));
  const warned = async (documents: Buffer[]) =>
    (await merged(documents)).warnings.map(({ document }) => document);
  expect(await warned([plain, hyphenated, off])).toEqual([1]);
  expect(await warned([hyphenated, hyphenated, plain, off])).toEqual([2, 3]);
});

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';

/** A document with a diagram, whose drawing has this text, and a theme with this font. */
function withDiagram(text: string, font: string): Buffer {
  const office = 'application/vnd.openxmlformats-officedocument';
  const frame = `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="${DRAWING}/diagram"><dgm:relIds xmlns:dgm="${DRAWING}/diagram" r:dm="rIdD"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const fonts = `<a:fontScheme name="x"><a:minorFont><a:latin typeface="${font}"/></a:minorFont></a:fontScheme>`;
  const dsp = 'http://schemas.microsoft.com/office/drawing/2008/diagram';
  const model = `<a:extLst><a:ext uri="{5A}"><dsp:dataModelExt xmlns:dsp="${dsp}" relId="rIdX"/></a:ext></a:extLst>`;
  const part = (name: string, type: string, data: string) => ({ name, type: `${type}+xml`, data });
  return documentWith(frame + SECTION, {
    links: [
      { id: 'rIdD', kind: 'diagramData', target: 'diagrams/data1.xml' },
      {
        id: 'rIdX',
        kind: 'http://schemas.microsoft.com/office/2007/relationships/diagramDrawing',
        target: 'diagrams/drawing1.xml',
      },
      { id: 'rIdT', kind: 'theme', target: 'theme/theme1.xml' },
    ],
    parts: [
      part(
        'word/diagrams/data1.xml',
        `${office}.drawingml.diagramData`,
        `<dgm:dataModel xmlns:dgm="${DRAWING}/diagram" xmlns:a="${DRAWING}/main">${model}</dgm:dataModel>`,
      ),
      part(
        'word/diagrams/drawing1.xml',
        'application/vnd.ms-office.drawingml.diagramDrawing',
        `<dsp:drawing xmlns:dsp="${dsp}">${text}</dsp:drawing>`,
      ),
      part(
        'word/theme/theme1.xml',
        `${office}.theme`,
        `<a:theme xmlns:a="${DRAWING}/main"><a:themeElements>${fonts}</a:themeElements></a:theme>`,
      ),
    ],
  });
}

describe('diagrams', () => {
  test('show the drawing that they had', async () => {
    const { opened, warnings } = await merged([withDiagram('one', 'F'), withDiagram('two', 'F')]);
    const { list } = opened.main.relationships;
    const partOf = (id: string | undefined) =>
      opened.parts.get(list.find((relationship) => relationship.id === id)?.part ?? '')?.xml ?? '';
    const data = valuesOf(opened.main.xml ?? '', 'dgm:relIds', 'r:dm').map(partOf);
    const drawings = data.flatMap((xml) => valuesOf(xml, 'dsp:dataModelExt', 'relId')).map(partOf);
    expect(drawings.map((xml) => xml.replaceAll(/<[^>]*>/g, ''))).toEqual(['one', 'two']);
    expect(warnings).toEqual([]);
  });

  test('get the theme of their document if the first one has none', async () => {
    const plain = documentWith(paragraph('x') + SECTION);
    const { opened, warnings, part } = await merged([
      plain,
      withDiagram('one', 'F'),
      withDiagram('two', 'F'),
    ]);
    const themes = opened.main.relationships.list.filter(({ kind }) => kind === 'theme');
    expect(themes).toHaveLength(1);
    expect(part(themes[0]?.part ?? '')).toContain('typeface="F"');
    expect(warnings).toEqual([]);
  });

  test('warn where the theme of the first document decides about them', async () => {
    const { warnings } = await merged([withDiagram('one', 'F'), withDiagram('two', 'G')]);
    expect(warnings.map(({ document, code }) => [document, code])).toEqual([[1, 'THEME_DIFFERS']]);
  });
});

const ACTIVE =
  '<w:p><w:fldSimple w:instr="DDEAUTO a b"><w:r><w:t>shown</w:t></w:r></w:fldSimple>' +
  '<w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>';

test.each([1, 2])('a merge of %i documents removes active fields, and names them', async (count) => {
  const document = documentWith(ACTIVE + SECTION);
  const { main, warnings } = await merged(Array.from({ length: count }, () => document));
  expect(main).not.toContain('DDEAUTO');
  expect(main.match(/shown/g)).toHaveLength(count);
  expect(main.match(/PAGE/g)).toHaveLength(count);
  expect(warnings).toEqual(
    Array.from({ length: count }, (_, at) => ({
      document: at,
      code: 'FIELD_REMOVED',
      message: 'Fields that read or start something outside of the document became text: DDEAUTO.',
    })),
  );
});

test('a merge removes links that are not safe to follow, and warns', async () => {
  const link = (id: string) =>
    `<w:p><w:hyperlink r:id="${id}" w:tooltip="t">${run('text')}</w:hyperlink></w:p>`;
  const linked = documentWith(link('rId1') + link('rId2') + SECTION, {
    links: [
      { id: 'rId1', kind: 'hyperlink', target: 'https://example.com/', isExternal: true },
      { id: 'rId2', kind: 'hyperlink', target: 'file://server/share', isExternal: true },
    ],
  });
  const { opened, main, warnings } = await merged([linked, linked]);
  const targets = opened.main.relationships.list.map(({ target }) => target);
  expect(targets).toEqual(['https://example.com/', 'https://example.com/']);
  expect(main.match(/<w:hyperlink [^>]*r:id=/g)).toHaveLength(2);
  expect(main.match(/<w:hyperlink /g)).toHaveLength(4);
  expect(warnings.map(({ document, code }) => [document, code])).toEqual([
    [0, 'LINK_REMOVED'],
    [1, 'LINK_REMOVED'],
  ]);
});
