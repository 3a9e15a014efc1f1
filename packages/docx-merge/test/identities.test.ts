import { describe, expect, test } from '@jest/globals';
import { paragraph, picture, relationshipsXml } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt } from '@scriptorium/testing/fixtures/word-markup';
import { documentWith, merged, settings, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('references inside a document', () => {
  const mark = (id: number, name: string) =>
    `<w:bookmarkStart w:id="${id}" w:name="${name}"/>${run(name)}<w:bookmarkEnd w:id="${id}"/>`;
  const field = (instruction: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;

  test('follow a bookmark that gets another name', async () => {
    const document = documentWith(
      `${p(mark(0, 'Part'))}${p(`<w:hyperlink w:anchor="Part">${run('x')}</w:hyperlink>`)}${p(field(' REF Part \\h '))}` +
        `${p('<w:fldSimple w:instr=" PAGEREF &quot;Part&quot; "/>')}${SECTION}`,
    );
    const { main } = await merged([document, document, document]);
    const names = valuesOf(main, 'w:bookmarkStart', 'w:name');
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(3);
    expect(valuesOf(main, 'w:hyperlink', 'w:anchor')).toEqual(names);
    expect([...main.matchAll(/ REF (\S+) /g)].map(([, name]) => name)).toEqual(names);
    expect([...main.matchAll(/PAGEREF &quot;(\S+?)&quot;/g)].map(([, name]) => name)).toEqual(names);
    expect(new Set(valuesOf(main, 'w:bookmarkStart', 'w:id')).size).toBe(3);
    expect(valuesOf(main, 'w:bookmarkEnd', 'w:id')).toEqual(valuesOf(main, 'w:bookmarkStart', 'w:id'));
  });

  test('warns of a name that runs divide', async () => {
    const divided = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF Pa</w:instrText></w:r><w:r><w:instrText>rt </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const document = documentWith(`${p(mark(0, 'Part'))}${p(divided)}${SECTION}`);
    const { warnings } = await merged([document, document]);
    expect(warnings.map(({ code }) => code)).toEqual(['FIELD_REFERENCE']);
  });

  test('begins captions of a label at 1 again, once a document and only if it was used before', async () => {
    const captions = (...labels: string[]) =>
      documentWith(labels.map((label) => p(field(` SEQ ${label} \\* ARABIC `))).join('') + SECTION);
    const documents = [
      captions('Table', 'Table'),
      captions('Table', 'Table', 'Figure'),
      captions('Figure', 'Other'),
    ];
    const { main } = await merged(documents);
    const found = [...main.matchAll(/SEQ (\w+)[^<]*/g)].map(([all, label]) => [label, all.includes('\\r 1')]);
    expect(found).toEqual([
      ['Table', false],
      ['Table', false],
      ['Table', true],
      ['Table', false],
      ['Figure', false],
      ['Figure', true],
      ['Other', false],
    ]);
    expect((await merged(documents, { numbering: 'continue' })).main).not.toContain('\\r 1');
  });
});

describe('parts and identities', () => {
  const withPicture = (bytes: Buffer, name: string) =>
    documentWith(`${picture('r:embed="rId7"')}${SECTION}`, {
      links: [{ id: 'rId7', kind: 'image', target: `media/${name}` }],
      parts: [{ name: `word/media/${name}`, data: bytes }],
    });

  test('has a picture once, and pictures of one name each', async () => {
    const other = Buffer.concat([PNG, Buffer.from('another')]);
    const documents = [withPicture(PNG, 'a.png'), withPicture(PNG, 'A.PNG'), withPicture(other, 'a.png')];
    const { opened, main } = await merged(documents);
    const targets = valuesOf(main, 'a:blip', 'r:embed').map((id) => {
      const target =
        opened.main.relationships.list.find((relationship) => relationship.id === id)?.part ?? '';
      return opened.parts.get(target)?.bytes.length;
    });
    expect(targets).toEqual([PNG.length, PNG.length, other.length]);
    const media = [...opened.parts.values()].filter(({ name }) => name.includes('media'));
    expect(media.map(({ contentType }) => contentType)).toEqual(['image/png', 'image/png']);
    const drawings = valuesOf(main, 'wp:docPr', 'id');
    expect(new Set(drawings).size).toBe(3);
  });

  test('lets text flow through the text boxes of one document only', async () => {
    const wps = 'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"';
    const boxes = `<wps:txbx ${wps} id="1"/><wps:linkedTxbx ${wps} id="1" seq="1"/><wps:txbx ${wps} id="4"/>`;
    const document = documentWith(p(`<w:r>${boxes}</w:r>`) + SECTION);
    const { main } = await merged([document, document]);
    expect(valuesOf(main, 'wps:txbx', 'id')).toEqual(['1', '4', '5', '6']);
    expect(valuesOf(main, 'wps:linkedTxbx', 'id')).toEqual(['1', '5']);
  });

  test('gives another name to a part whose name could not be longer', async () => {
    for (const name of [`${'a'.repeat(985)}.png`, `a.${'b'.repeat(987)}`, `${'a'.repeat(983)}/b.png`]) {
      const documents = [PNG, Buffer.concat([PNG, Buffer.from('another')])].map((bytes) =>
        documentWith(`${picture('r:embed="rId7"')}${SECTION}`, {
          links: [{ id: 'rId7', kind: 'image', target: `m/${name}` }],
          parts: [{ name: `word/m/${name}`, data: bytes, type: 'image/png' }],
        }),
      );
      const { opened } = await merged([...documents, ...documents]);
      expect(
        [...opened.parts.values()].filter(({ contentType }) => contentType === 'image/png'),
      ).toHaveLength(2);
    }
  });

  test('gives each content control an id, and its data store to each document', async () => {
    const ITEM = '{11111111-1111-1111-1111-111111111111}';
    const custom = 'http://schemas.openxmlformats.org/officeDocument/2006/customXml';
    const bound = (value: string) =>
      documentWith(
        sdt(
          { id: 5, properties: `<w:dataBinding w:xpath="/a" w:storeItemID="${ITEM}"/>` },
          paragraph(value),
        ) + SECTION,
        {
          links: [{ id: 'rId1', kind: 'customXml', target: '../customXml/item1.xml' }],
          parts: [
            { name: 'customXml/item1.xml', data: `<a>${value}</a>` },
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
        },
      );
    const { opened, main } = await merged([bound('one'), bound('two')]);
    expect(new Set(valuesOf(main, 'w:id')).size).toBe(2);
    const stores = opened.main.relationships.list.filter(({ kind }) => kind === 'customXml');
    const found = stores.map(({ part = '' }) => {
      const store = opened.parts.get(part);
      const properties = opened.parts.get(store?.relationships.list[0]?.part ?? '')?.xml ?? '';
      return [valuesOf(properties, 'ds:datastoreItem', 'ds:itemID')[0], store?.xml];
    });
    const ids = valuesOf(main, 'w:dataBinding', 'w:storeItemID');
    expect(found).toEqual([
      [ids[0], '<a>one</a>'],
      [ids[1], '<a>two</a>'],
    ]);
    expect(new Set(ids).size).toBe(2);
  });

  test('removes what cannot hold for the whole, and says so', async () => {
    const guarded = (content: string) => documentWith(paragraph('x') + SECTION, settings(content));
    const lost = '<w:documentProtection w:edit="readOnly" w:enforcement="1"/><w:defaultTabStop w:val="100"/>';
    for (const at of [0, 1]) {
      const documents = [0, 1].map((place) => guarded(place === at ? lost : ''));
      const { warnings, part } = await merged(documents);
      expect(part('word/settings.xml')).not.toContain('documentProtection');
      expect(warnings.map(({ code, document }) => [code, document])).toEqual([
        ...(at === 0 ? [['SETTING_REMOVED', 0]] : [['SETTING_REMOVED', 1]]),
        ['SETTING_DIFFERS', 1],
      ]);
    }
  });
});
