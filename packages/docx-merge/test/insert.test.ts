import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { usedMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { documentOf, paragraph, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { TEMPLATES } from '@scriptorium/testing/fixtures/templates/all';
import { p, run, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { faultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { randomNumbers } from '@scriptorium/testing/random';
import { insertDocuments } from '../src/insert.ts';
import { documentWith, textsOf, valuesOf } from './merging.ts';

const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
const place = (name: string) => paragraph(`place ${name}`);

/** The document after these insertions: the text of its main part, and of others. */
async function inserted(document: Buffer, insertions: Record<string, Buffer>) {
  const list = Object.entries(insertions).map(([name, source]) => ({ paragraph: place(name), source }));
  const { bytes, ...lost } = await insertDocuments(document, list);
  const opened = await openPackage(bytes);
  return {
    bytes,
    lost,
    main: opened.main.xml ?? '',
    part: (kind: string) =>
      opened.parts.get(opened.main.relationships.list.find((entry) => entry.kind === kind)?.part ?? '')
        ?.xml ?? '',
  };
}

/** A document with a list and a footnote. */
function withList(text: string): Buffer {
  const item = (at: number) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${run(`${text} ${at}`)}</w:p>`;
  const lists =
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
  const note = `<w:footnote w:id="1">${paragraph(`note of ${text}`)}</w:footnote>`;
  return documentWith(`${item(1)}${p('<w:r><w:footnoteReference w:id="1"/></w:r>')}${item(2)}${SECTION}`, {
    links: [
      { id: 'rId1', kind: 'numbering', target: 'numbering.xml' },
      { id: 'rId2', kind: 'footnotes', target: 'footnotes.xml' },
    ],
    parts: [
      {
        name: 'word/numbering.xml',
        type: wordType('numbering'),
        data: wordPart('numbering' as 'hdr', lists),
      },
      { name: 'word/footnotes.xml', type: wordType('footnotes'), data: wordPart('footnotes', note) },
    ],
  });
}

describe('inserted documents', () => {
  test('take the place of their paragraphs, without their sections', async () => {
    const landscape = '<w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/></w:sectPr>';
    const host = documentWith(`${paragraph('a')}${place('1')}${paragraph('b')}${place('2')}${SECTION}`);
    const { main } = await inserted(host, {
      1: documentWith(paragraph('x') + p(run('y'), landscape) + paragraph('z') + landscape),
      2: docxWith(['last']),
    });
    expect(textsOf(main)).toEqual(['a', 'x', 'y', 'z', 'b', 'last']);
    expect(main.match(/<w:sectPr/g)).toHaveLength(1);
    expect(main).not.toContain('landscape');
  });

  test('have lists and notes of their own, also if one is inserted twice', async () => {
    const source = withList('item');
    const host = documentWith(place('1') + place('2') + SECTION);
    const { main, part } = await inserted(host, { 1: source, 2: source });
    const lists = valuesOf(main, 'w:numId');
    expect(lists[0]).toBe(lists[1]);
    expect(lists[2]).toBe(lists[3]);
    expect(lists[0]).not.toBe(lists[2]);
    const ids = valuesOf(main, 'w:footnoteReference', 'w:id');
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(part('footnotes')).toContain(`<w:footnote w:id="${id}">`);
  });

  test('take the styles of the document that have the same name', async () => {
    const styled = (size: number, id: string) =>
      documentWith(
        `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${run('styled')}</w:p>${place('1')}${SECTION}`,
        {
          links: [{ id: 'rId1', kind: 'styles', target: 'styles.xml' }],
          parts: [
            {
              name: 'word/styles.xml',
              type: wordType('styles'),
              data: wordPart(
                'styles' as 'hdr',
                `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="heading 1"/><w:rPr><w:sz w:val="${size}"/></w:rPr></w:style>`,
              ),
            },
          ],
        },
      );
    const { main, part } = await inserted(styled(40, 'Own'), { 1: styled(20, 'Berschrift1') });
    expect(valuesOf(main, 'w:pStyle')).toEqual(['Own', 'Own']);
    expect(part('styles').match(/<w:style /g)).toHaveLength(1);
  });

  test('leave a paragraph at the end of a cell', async () => {
    const table = `<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc>${paragraph('inner')}</w:tc></w:tr></w:tbl>`;
    const cell = `<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc>${place('1')}</w:tc><w:tc>${place('2')}</w:tc></w:tr></w:tbl>`;
    const { main } = await inserted(documentWith(cell + SECTION), {
      1: documentWith(table + SECTION),
      2: documentWith(SECTION),
    });
    const cells = main.match(/<\/w:(\w+)><\/w:tc>/g);
    expect(cells).toEqual(['</w:p></w:tc>', '</w:p></w:tc>', '</w:p></w:tc>']);
  });

  test('end with a paragraph also where the document has another prefix for its names', async () => {
    const renamed = (xml: string) =>
      xml
        .replaceAll('<w:', '<x:')
        .replaceAll('</w:', '</x:')
        .replaceAll(' w:', ' x:')
        .replace('xmlns:w=', 'xmlns:x=');
    const table = '<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>';
    const of = (body: string) =>
      documentOf({ mainXml: renamed(wordPart('document', `<w:body>${body}<w:sectPr/></w:body>`)) });
    const { bytes } = await insertDocuments(of(place('1')), [
      { paragraph: renamed(place('1')), source: of(table) },
    ]);
    expect(await faultsOf(bytes)).toEqual([]);
  });

  test('loses its active content, which is named', async () => {
    const active =
      '<w:p><w:fldSimple w:instr="INCLUDETEXT x"><w:r><w:t>shown</w:t></w:r></w:fldSimple></w:p>';
    const host = documentWith(place('1') + SECTION);
    const { main, lost } = await inserted(host, { 1: documentWith(active + SECTION) });
    expect(main).not.toContain('INCLUDETEXT');
    expect(main).toContain('shown');
    expect(lost).toEqual({ hasLostLinks: false, activeContent: ['fields'] });
  });

  describe('many times', () => {
    const COUNT = 40;
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
    const host = documentWith(
      numbers(COUNT)
        .map((at) => place(String(at)))
        .join('') + SECTION,
    );
    const withPart = (kind: 'styles' | 'footnotes', content: string) =>
      documentWith(paragraph('x') + SECTION, {
        links: [{ id: 'rId1', kind, target: `${kind}.xml` }],
        parts: [
          { name: `word/${kind}.xml`, type: wordType(kind), data: wordPart(kind as 'footnotes', content) },
        ],
      });
    const everywhere = (source: Buffer) =>
      insertDocuments(
        host,
        numbers(COUNT).map((at) => ({ paragraph: place(String(at)), source })),
      );

    testInWhole('cost the reading of their styles once', async () => {
      const style = (at: number) =>
        `<w:style w:type="paragraph" w:styleId="S${at}"><w:name w:val="S ${at}"/><w:rPr><w:b/></w:rPr></w:style>`;
      const source = withPart('styles', numbers(20_000).map(style).join(''));
      const cpuMsOf = async (work: () => Promise<unknown>) => {
        const startedAt = process.cpuUsage();
        await work();
        return usedMsSince(startedAt);
      };
      const once = await cpuMsOf(() => insertDocuments(host, [{ paragraph: place('0'), source }]));
      expect(await cpuMsOf(() => everywhere(source))).toBeLessThan(15 * once);
    });

    test('count with their notes, of which each has its own', async () => {
      const note = `<w:footnote w:id="2">${paragraph('x'.repeat(2_000_000))}</w:footnote>`;
      await expect(everywhere(withPart('footnotes', note))).rejects.toMatchObject({
        code: 'DOCUMENT_TOO_COMPLEX',
      });
    });
  });

  test('name the insertion whose document cannot be read', async () => {
    const host = documentWith(place('1') + place('2') + SECTION);
    const failing = inserted(host, { 1: docxWith(['good']), 2: Buffer.from('PK no document') });
    await expect(failing).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT', document: 1 });
    const broken = insertDocuments(Buffer.from('PK nothing'), []);
    await expect(broken).rejects.toMatchObject({ code: 'INVALID_FILE_FORMAT', document: undefined });
  });

  test('make sound packages of any documents', async () => {
    const random = randomNumbers(5);
    const names = Object.keys(TEMPLATES);
    for (let round = 0; round < 12; round++) {
      const picked = [1, 2].map(() => names[random(names.length)] ?? '');
      const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = picked.map((name) => TEMPLATES[name]?.());
      const host = documentWith(place('1') + paragraph('between') + place('2') + SECTION);
      const { bytes, main } = await inserted(host, { 1: first, 2: second });
      const known = new Set((await Promise.all([first, second].map(faultsOf))).flat().map(kindOf));
      const faults = (await faultsOf(bytes)).filter((fault) => !known.has(kindOf(fault)));
      expect({ picked, faults }).toEqual({ picked, faults: [] });
      expect(textsOf(main)).toContain('between');
    }
  });
});

/** A fault without the names of parts and numbers, which differ. */
const kindOf = (fault: string): string => fault.replace(/[\w/]+\.xml|rId\w+|\d+/g, '#');
