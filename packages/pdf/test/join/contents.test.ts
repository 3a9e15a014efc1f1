import { describe, expect, it } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { attachment, attachmentNames } from '@scriptorium/testing/pdf-reading';
import { readForm } from '../../src/read/form.ts';
import { Dict, type Name, PdfString, type PdfValue, Ref } from '../../src/read/values.ts';
import { followed, joined, joinedBytes, pagesOf, written } from './joined.ts';

const LINK = '/Type/Annot/Subtype/Link/Rect[0 0 50 50]';

/** Two pages; the first has links of all kinds to the second. */
const linked = (name: string): Buffer =>
  classicPdf([
    `<</Type/Catalog/Pages 2 0 R/Dests<</old[4 0 R/XYZ 1 2 0]>>/Names<</Dests<</Names[(${name})<</D[4 0 R/FitH 7]>>]>>>>>>`,
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 400 600]>>',
    '<</Type/Page/Parent 2 0 R/Annots[5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]>>',
    '<</Type/Page/Parent 2 0 R>>',
    `<<${LINK}/Dest[4 0 R/Fit]>>`,
    `<<${LINK}/A<</S/GoTo/D(${name})>>>>`,
    `<<${LINK}/Dest/old>>`,
    `<<${LINK}/A<</S/GoTo/D[1/Fit]>>>>`,
    `<<${LINK}/A<</S/URI/URI(https://example.org/)>>>>`,
    `<<${LINK}/A<</S/GoToR/F(other.pdf)/D(${name})>>>>`,
    `<<${LINK}/A<</S/GoTo/D(undefined here)>>>>`,
  ]);

/** The index of the page that a link of a page leads to, as a reader finds it; undefined if it leads nowhere. */
function destination({ document, at }: Awaited<ReturnType<typeof joined>>, page: number, link: number) {
  const pages = pagesOf(document);
  const annotation = followed(document, pages[page] ?? null, ['Annots', link]);
  const found = followed(document, annotation, ['Dest']) ?? followed(document, annotation, ['A', 'D']);
  const named = (key: PdfString): PdfValue => {
    const names = at('Names', 'Dests', 'Names');
    const place = Array.isArray(names)
      ? names.findIndex((item) => item instanceof PdfString && item.bytes.equals(key.bytes))
      : -1;
    return place === -1 ? null : at('Names', 'Dests', 'Names', place + 1);
  };
  const list = found instanceof PdfString ? named(found) : found;
  const target = Array.isArray(list) ? list[0] : undefined;
  return target instanceof Ref ? pages.findIndex(({ num }) => num === target.num) : undefined;
}

describe('links', () => {
  it('lead to pages of their own document, by page, name or index', async () => {
    const result = await joined([
      { bytes: linked('same') },
      { bytes: linked('same') },
      { bytes: linked('other') },
    ]);
    for (const document of [0, 1, 2]) {
      const targets = [0, 1, 2, 3].map((link) => destination(result, 2 * document, link));
      expect(targets).toEqual(Array(4).fill(2 * document + 1));
    }
  });

  it('to other files and addresses stay, and a name without a destination finds none of another document', async () => {
    const defined = linked('undefined here');
    const result = await joined([{ bytes: linked('a') }, { bytes: defined }]);
    const action = (link: number, ...path: string[]) =>
      followed(result.document, pagesOf(result.document)[0] ?? null, ['Annots', link, 'A', ...path]);
    expect((action(4, 'URI') as PdfString).text).toBe('https://example.org/');
    expect((action(5, 'D') as PdfString).text).toBe('a');
    expect(destination(result, 0, 6)).toBeUndefined();
    expect(destination(result, 2, 6)).toBe(3);
  });
});

describe('bookmarks', () => {
  const outlined = classicPdf(
    onePage('', '/Outlines 6 0 R', [
      '<</First 7 0 R/Last 8 0 R/Count 3>>',
      '<</Title(One)/Parent 6 0 R/Next 8 0 R/First 9 0 R/Last 9 0 R/Count 1/Dest[3 0 R/Fit]>>',
      '<</Title<FEFF00FC>/Parent 6 0 R/Prev 7 0 R/A<</S/GoTo/D[3 0 R/Fit]>>/C[1 0 0]/F 2>>',
      '<</Title(Below)/Parent 7 0 R/Dest[3 0 R/Fit]>>',
    ]),
  );

  /** The outline as qpdf reads it. */
  const outlineOf = (pdf: Buffer): Promise<unknown[]> =>
    withFiles([pdf], '.pdf', async ([path = '']) => {
      const { text } = await outcomeOf('qpdf', ['--json', '--json-key=outlines', path]);
      interface Item {
        title: string;
        destpageposfrom1: number;
        open: boolean;
        kids: Item[];
      }
      const lean = ({ title, destpageposfrom1, kids }: Item): unknown[] => [
        title,
        destpageposfrom1,
        kids.map(lean),
      ];
      return JSON.parse(text).outlines.map(lean);
    });

  it('lead to the first page of each document, with its own below', async () => {
    const { bytes } = await joined([
      { bytes: outlined, title: 'Zoë' },
      { bytes: plainPdf(), title: 'Plain (2)' },
      { bytes: outlined },
      { bytes: outlined, title: '' },
    ]);
    const own = (page: number) => [
      ['One', page, [['Below', page, []]]],
      ['ü', page, []],
    ];
    expect(await outlineOf(bytes)).toEqual([
      ['Zoë', 1, own(1)],
      ['Plain (2)', 2, []],
      ...own(3),
      ['', 4, own(4)],
    ]);
  });

  it('that are circular or too deep are refused', () => {
    const circular = onePage('', '/Outlines 6 0 R', [
      '<</First 7 0 R/Last 7 0 R>>',
      '<</Title(a)/Next 7 0 R>>',
    ]);
    expect(() => joinedBytes([{ bytes: classicPdf(circular) }])).toThrow('circular');
    const deep = Array.from({ length: 50_000 }, (_, index) => `<</Title(a)/First ${index + 8} 0 R>>`);
    const bytes = classicPdf(onePage('', '/Outlines 6 0 R', ['<</First 7 0 R/Last 7 0 R>>', ...deep]));
    expect(() => joinedBytes([{ bytes }])).toThrow('nested');
  });
});

describe('page labels', () => {
  it('go on in each document as they were', async () => {
    const roman = classicPdf(onePage('', '/PageLabels<</Nums[0<</S/r/St 4/P(A-)>>]>>'));
    const { bytes } = await joined(
      [plainPdf(), plainPdf(), roman, plainPdf(), roman].map((pdf) => ({ bytes: pdf })),
    );
    await withFiles([bytes], '.pdf', async ([path = '']) => {
      const { text } = await outcomeOf('qpdf', ['--json', '--json-key=pagelabels', path]);
      const labels = JSON.parse(text).pagelabels.map((item: { index: number; label: object }) => [
        item.index,
        item.label,
      ]);
      expect(labels).toEqual([
        [0, { '/S': '/D', '/St': 1 }],
        [2, { '/S': '/r', '/St': 4, '/P': 'u:A-' }],
        [3, { '/S': '/D', '/St': 4 }],
        [4, { '/S': '/r', '/St': 4, '/P': 'u:A-' }],
      ]);
    });
  });
});

describe('form fields', () => {
  it('of each document stay fields of their own', async () => {
    const { document, warnings } = await joined([{ bytes: formPdf() }, { bytes: formPdf() }]);
    const { names, signatureFields } = readForm(document);
    expect([...names]).toEqual(['Name', 'Signature', 'Name_2', 'Signature_2']);
    expect(signatureFields.map(({ name, signature }) => [name, signature])).toEqual([
      ['Signature', undefined],
      ['Signature_2', undefined],
    ]);
    expect(warnings).toMatchObject([{ code: 'FIELDS_RENAMED', document: 1 }]);
    for (const page of pagesOf(document)) {
      const widget = followed(document, page, ['Annots', 0]);
      const fields = followed(document, document.catalog.value, ['AcroForm', 'Fields']);
      const listed = (fields as PdfValue[]).map((field) => document.resolve(field));
      expect(listed).toContain(widget);
      expect(widget instanceof Dict && String(widget.get('P'))).toBe(String(page));
    }
  });

  it.each([
    ['in PDFDocEncoding', '(\\200 5)', '8020355f32'],
    ['in UTF-16', '<FEFF00FC>', 'feff00fc005f0032'],
    ['in UTF-8', '<EFBBBFC3BC>', 'efbbbfc3bc5f32'],
  ])('keep the characters of names %s, also in actions that name them', async (_, name, renamed) => {
    const form = classicPdf(
      onePage('/Annots[6 0 R]', '/AcroForm<</Fields[6 0 R]>>', [
        `<</Subtype/Widget/FT/Btn/T${name}/Rect[0 0 9 9]/A<</S/ResetForm/Fields[${name}]>>>>`,
      ]),
    );
    const { document } = await joined([{ bytes: form }, { bytes: form }]);
    for (const [page, last] of [renamed.slice(0, -(name.startsWith('<FEFF') ? 8 : 4)), renamed].entries()) {
      const paths = [['T'], ['A', 'Fields', 0]];
      const found = paths.map((path) => {
        return followed(document, pagesOf(document)[page] ?? null, ['Annots', 0, ...path]) as PdfString;
      });
      expect(found.map(({ bytes }) => bytes.toString('hex'))).toEqual([last, last]);
    }
  });

  it('keep their fonts and looks where other documents name others alike', async () => {
    const form = (font: string, look: string) =>
      classicPdf(
        onePage(
          '/Annots[6 0 R 7 0 R]',
          `/AcroForm<</Fields[6 0 R 7 0 R]/DA(${look})/DR<</Font<</F 8 0 R>>>>>>`,
          [
            '<</Subtype/Widget/FT/Tx/T(own)/DA(/F 9 Tf 1 g)/Rect[0 0 9 9]/P 3 0 R>>',
            '<</Subtype/Widget/FT/Tx/T(default)/Rect[0 0 9 9]/P 3 0 R>>',
            `<</Type/Font/Subtype/Type1/BaseFont/${font}>>`,
          ],
        ),
      );
    const { document, at } = await joined([
      { bytes: form('Courier', '/F 12 Tf 0 g') },
      { bytes: form('Symbol', '/F 0 Tf 0 g') },
      { bytes: form('Courier', '/F 12 Tf 0 g') },
    ]);
    const fontOf = (page: number, widget: number): unknown => {
      const field = followed(document, pagesOf(document)[page] ?? null, ['Annots', widget]);
      const own = followed(document, field, ['DA']) ?? at('AcroForm', 'DA');
      const [, name = '', size] = /\/(\S+) (\d+) Tf/.exec((own as PdfString).text) ?? [];
      return [(at('AcroForm', 'DR', 'Font', name, 'BaseFont') as Name).text, size];
    };
    expect([0, 1, 2].map((page) => [fontOf(page, 0), fontOf(page, 1)])).toEqual([
      [
        ['Courier', '9'],
        ['Courier', '12'],
      ],
      [
        ['Symbol', '9'],
        ['Symbol', '0'],
      ],
      [
        ['Courier', '9'],
        ['Courier', '12'],
      ],
    ]);
  });
});

describe('layers and files', () => {
  it('have the layers of all documents in their states', async () => {
    const layered = (state: string) =>
      classicPdf(
        onePage('/Extra 6 0 R', `/OCProperties<</OCGs[6 0 R 7 0 R]/D<</Order[6 0 R[7 0 R]]${state}>>>>`, [
          '<</Type/OCG/Name(a)>>',
          '<</Type/OCG/Name(b)>>',
        ]),
      );
    const { at } = await joined([
      { bytes: layered('/OFF[7 0 R]') },
      { bytes: layered('/BaseState/OFF/ON[7 0 R]') },
    ]);
    const groups = at('OCProperties', 'OCGs') as Ref[];
    expect(new Set(groups.map(({ num }) => num)).size).toBe(4);
    const off = (at('OCProperties', 'D', 'OFF') as Ref[]).map(String);
    expect(off).toEqual([String(groups[1]), String(groups[2])]);
    expect((at('OCProperties', 'D', 'Order') as PdfValue[]).length).toBe(4);
  });

  it('have all embedded files, also of equal names', async () => {
    const embedding = (content: string) =>
      classicPdf(
        onePage('', '/Names<</EmbeddedFiles<</Names[<FEFF00FC>6 0 R]>>>>/AF[6 0 R]', [
          '<</Type/Filespec/F(note.txt)/UF(note.txt)/EF<</F 7 0 R>>/AFRelationship/Data>>',
          `<</Type/EmbeddedFile/Length ${content.length}>>\nstream\n${content}\nendstream`,
        ]),
      );
    const { bytes, at } = await joined(['one', 'two', 'one'].map((text) => ({ bytes: embedding(text) })));
    expect(await attachmentNames(bytes)).toHaveLength(3);
    const contents = await Promise.all([1, 2, 3].map((place) => attachment(bytes, place)));
    expect(contents.map(String).sort()).toEqual(['one', 'one', 'two']);
    expect((at('AF') as PdfValue[]).length).toBe(2);
  });
});

it('joined PDFs contain no programs of models and films, and no data of other files', async () => {
  const outside = '/F(\\\\\\\\evil\\\\x)';
  const stream = (keys: string) => `<<${keys}/Length 0>>\nstream\n\nendstream`;
  const annotations = [
    '<</Subtype/3D/3DD 6 0 R/AP<</N 7 0 R>>>>',
    '<</Subtype/RichMedia/RichMediaContent<</Assets<</Names[(evil.swf) null]>>>>>>',
    `<</Subtype/Movie/Movie<<${outside}>>>>`,
    '<</Subtype/FileAttachment/FS<</FS/URL/F(file://evil/x)>>>>',
    '<</Subtype/Link/A<</S/URI/URI/javascript:evil>>>>',
  ];
  const page = `/Annots[${annotations.join('')}]/Thumb 8 0 R`;
  const model = stream('/Type/3D/OnInstantiate(evil)');
  const more = [model, stream(`/Subtype/Form/Ref<<${outside}/Page 0>>`), stream('/Subtype/Image/F(evil)')];
  const bytes = classicPdf(onePage(page, '', more));
  const { warnings, document } = await joined([{ bytes }]);
  expect(warnings.map(({ code }) => code)).toEqual(['ACTION_REMOVED', 'LINK_REMOVED']);
  const left = pagesOf(document).map((one) => written(document, one));
  expect(left.join('')).toContain('/3D');
  expect(left.join('')).not.toContain('evil');
});
