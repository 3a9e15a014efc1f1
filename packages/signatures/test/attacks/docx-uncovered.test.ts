import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { letter } from '../docx/documents.ts';
import { filesOf } from '../docx/judges.ts';
import { type Files, packed, replaceIn, without } from '../docx/resigned.ts';
import { addPart, MAIN, MAIN_RELS, R, relate, WORD } from './docx/changes.ts';
import { DocxLab, evidenceOf, objectionsTo } from './docx/lab.ts';

let lab: DocxLab;

beforeAll(() => {
  lab = new DocxLab();
});

afterAll(() => lab.close());

describe('content that Office leaves uncovered', () => {
  const ROOT_RELS = '_rels/.rels';
  const CORE_ID = 'rId9';

  /** Signs like Office: without the properties of the document and the relationships to them. */
  async function asOffice(
    document: Buffer,
    change: (files: Files) => void = () => undefined,
  ): Promise<Buffer> {
    const files = await filesOf(await lab.sign(document));
    await without(files, lab.signer, ['docProps/core.xml'], { [ROOT_RELS]: [CORE_ID] });
    change(files);
    return packed(files);
  }

  test('is reported without a fault, also after a change', async () => {
    const bytes = await asOffice(letter(), (files) =>
      replaceIn(files, 'docProps/core.xml', 'Letter', 'Order'),
    );
    expect(await objectionsTo(bytes)).toEqual([]);
    expect((await evidenceOf(bytes))[0]?.faults.map(({ code }) => code)).toEqual(['PROPERTIES_UNSIGNED']);
    expect((await lab.verify(bytes)).verdict).toBe('valid');
  });

  test('is doubtful if the text shows it', async () => {
    const showing = [
      '<w:p><w:fldSimple w:instr=" TITLE \\* MERGEFORMAT "><w:r><w:t>Letter</w:t></w:r></w:fldSimple></w:p>',
      '<w:p><w:fldSimple w:instr=" &#84;IT&#x4c;E"><w:r><w:t>Letter</w:t></w:r></w:fldSimple></w:p>',
      '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText> TI<!-- -->TLE</w:instrText><w:fldChar w:fldCharType="end"/></w:r></w:p>',
      '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText> TI</w:instrText><w:instrText>TLE </w:instrText><w:fldChar w:fldCharType="end"/></w:r></w:p>',
      '<w:p><w:sdt><w:sdtPr><w:dataBinding w:xpath="/c" w:storeItemID="{6c3c8bc8-f283-45ae-878a-bab7291924a1}"/></w:sdtPr><w:sdtContent><w:r><w:t>Letter</w:t></w:r></w:sdtContent></w:sdt></w:p>',
    ];
    const title = showing[0] ?? '';
    const disguised = [
      // Neither mark begins or ends a comment.
      `<w:p><w:r><w:t><![CDATA[<!--]]></w:t></w:r></w:p>${title}<w:p><w:r><w:t>--></w:t></w:r></w:p>`,
      `<w:p><w:r><w:t><![CDATA[<?]]></w:t></w:r></w:p>${title}<w:p><w:r><w:t>?></w:t></w:r></w:p>`,
      title.replace(' w:instr', ' xmlns:a=">" w:instr'),
      title.replace('" TITLE', `"${' '.repeat(200)}TITLE`),
      (showing[2] ?? '').replace('<w:instrText>', `<w:instrText xmlns:a='>'>${' '.repeat(200)}`),
    ];
    const [begin, separate, end] = ['begin', 'separate', 'end'].map(
      (type) => `<w:fldChar w:fldCharType="${type}"/>`,
    );
    const nested = `${begin}<w:instrText> QUOTE </w:instrText>${separate}<w:t>0</w:t>${end}`;
    const onlyInLibreOffice = [
      title.replace('" TITLE', '"&quot;&quot; TITLE'),
      ...[
        `<w:instrText> TI</w:instrText>${nested}<w:instrText>TLE</w:instrText>`,
        '<w:instrText> TI</w:instrText><w:t>TLE</w:t>',
        '<w:delInstrText> TITLE</w:delInstrText>',
      ].map(
        (instruction) => `<w:p><w:r>${begin}${instruction}${separate}<w:t>Letter</w:t>${end}</w:r></w:p>`,
      ),
    ];
    for (const paragraph of [...showing, ...disguised, ...onlyInLibreOffice]) {
      const files = await filesOf(letter());
      replaceIn(files, MAIN, '<w:sectPr>', `${paragraph}<w:sectPr>`);
      const bytes = await asOffice(packed(files));
      expect(await objectionsTo(bytes)).toEqual(['PROPERTIES_SHOWN']);
      expect((await lab.verify(bytes)).verdict).toBe('indeterminate');
    }
  });

  test.each([
    '<HyperlinkBase>https://evil.example/</HyperlinkBase>',
    '<HyperlinkBase xmlns:a="/>">https://evil.example/</HyperlinkBase>',
    '<Company><![CDATA[<!--]]></Company><HyperlinkBase>https://evil.example/</HyperlinkBase><Manager>--></Manager>',
  ])('is doubtful if it moves links: %s', async (base) => {
    const bytes = await asOffice(letter(), (files) => {
      const type = 'application/vnd.openxmlformats-officedocument.extended-properties+xml';
      const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties';
      addPart(files, 'docProps/app.xml', `<Properties xmlns="${namespace}">${base}</Properties>`, type);
      relate(files, ROOT_RELS, 'app', `${R}/extended-properties`, 'docProps/app.xml');
    });
    expect(await objectionsTo(bytes)).toEqual(['PROPERTIES_SHOWN']);
  });

  test('cannot hide other parts', async () => {
    for (const [type, contentType] of [
      [
        'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties',
        `${WORD}.footnotes+xml`,
      ],
      [`${R}/footnotes`, 'application/vnd.openxmlformats-package.core-properties+xml'],
    ] as const) {
      const bytes = await asOffice(letter(), (files) => {
        addPart(files, 'word/evil.xml', '<a/>', contentType);
        relate(files, ROOT_RELS, 'evil', type, 'word/evil.xml');
      });
      expect(await objectionsTo(bytes)).toEqual(['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED']);
    }
  });

  describe('such as custom data', () => {
    async function withData(paragraph: string): Promise<Buffer> {
      const files = await filesOf(letter());
      replaceIn(files, MAIN, '<w:sectPr>', `${paragraph}<w:sectPr>`);
      addPart(files, 'customXml/item1.xml', '<a/>');
      relate(files, MAIN_RELS, 'data', `${R}/customXml`, '../customXml/item1.xml');
      const made = await filesOf(await lab.sign(packed(files)));
      await without(made, lab.signer, ['customXml/item1.xml'], { [MAIN_RELS]: ['data'] });
      replaceIn(made, 'customXml/item1.xml', '<a/>', '<b/>');
      return packed(made);
    }

    test('has no fault if the text does not show it', async () => {
      expect(await objectionsTo(await withData('<w:p/>'))).toEqual([]);
    });

    test('has a fault if the text shows it', async () => {
      const bound =
        '<w:p><w:sdt><w:sdtPr><w:dataBinding w:xpath="/a" w:storeItemID="{00000000-0000-0000-0000-000000000001}"/></w:sdtPr><w:sdtContent/></w:sdt></w:p>';
      const disguised = bound.replace('"/a"', '"/a[.!=\'{6C3C8BC8-F283-45AE-878A-BAB7291924A1}\']"');
      const called = `<w:p><w:hyperlink xmlns:r="${R}" r:id="data"/></w:p>`;
      const spelt = called.replace('"data"', '"d&#97;ta"');
      for (const paragraph of [bound, disguised, called, spelt])
        expect(await objectionsTo(await withData(paragraph))).toEqual([
          'PART_UNSIGNED',
          'RELATIONSHIP_UNSIGNED',
        ]);
    });
  });
});
