import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { documentOf, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { IMAGES } from '@scriptorium/testing/fixtures/images';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fill } from './filling.ts';
import { fillPictures, imagesOf, type PictureField, sizesIn } from './pictures.ts';

type Options = Extract<PictureField, { type: 'signature' }>['options'];

const SCRIBBLE = pngImage(100, 40);
const ALL: Options = { arcElement: {}, topLabel: {}, bottomLabel: {} };
const idOf = (image: Buffer) => createHash('sha256').update(image).digest('hex').slice(0, 8).toUpperCase();

async function filled(options: Options, body = p(sdt({ tag: 'x' }, run('old'))), image = SCRIBBLE) {
  const { xml } = await fillPictures(templateOf(body), [{ id: 'x', type: 'signature', image, options }]);
  return /<w:body>(.*)<w:sectPr\/>/s.exec(xml())?.[1] ?? '';
}

/** The forms for Word and for other readers. */
function formsOf(xml: string): [word: string, others: string] {
  const [, word = '', others = ''] =
    /<mc:Choice [^>]*>(.*)<\/mc:Choice><mc:Fallback>(.*)<\/mc:Fallback>/s.exec(xml) ?? [];
  return [word, others];
}

function textsOf(xml: string): string[] {
  return [...xml.matchAll(/<w:t xml:space="preserve">([^<]*)<\/w:t>/g)].map(([, text = '']) => text);
}

describe('a signature', () => {
  test('without options is only its image', async () => {
    const result = await filled({});
    expect(result).toContain('<pic:pic>');
    expect(result).not.toMatch(/AlternateContent|Signed by/);
    expect(sizesIn(result)).toEqual([[100, 40]]);
  });

  test.each<[string, Options, { isArched: boolean; texts: string[] }]>([
    ['an arc', { arcElement: { color: '#ff8800' } }, { isArched: true, texts: [] }],
    ['a top label', { topLabel: { color: '#0000ff' } }, { isArched: false, texts: ['Signed by:'] }],
    ['a bottom label', { bottomLabel: {} }, { isArched: false, texts: [idOf(SCRIBBLE)] }],
    ['a custom text', { bottomLabel: { text: 'Ann & Bob' } }, { isArched: false, texts: ['Ann &amp; Bob'] }],
    ['all options', ALL, { isArched: true, texts: ['Signed by:', idOf(SCRIBBLE)] }],
  ])(
    'with %s shows exactly that, in Word and in other readers',
    async (_what, options, { isArched, texts }) => {
      const forms = formsOf(await filled(options));
      for (const form of forms) {
        expect(textsOf(form)).toEqual(texts);
        expect(/a:arcTo|path="/.test(form)).toBe(isArched);
        expect(form).toMatch(/r:embed|r:id/);
      }
    },
  );

  test('has the requested colors, and black by default', async () => {
    const [word, others] = formsOf(
      await filled({ arcElement: { color: '#ff8800' }, topLabel: { color: '#0000ff' }, bottomLabel: {} }),
    );
    expect(word).toContain('<a:srgbClr val="FF8800"/>');
    expect(others).toContain('strokecolor="#ff8800"');
    for (const form of [word, others])
      expect([...form.matchAll(/<w:color w:val="(\w+)"\/>/g)].map(([, color]) => color)).toEqual([
        '0000FF',
        '000000',
      ]);
  });

  test('has a short id that depends only on its image', async () => {
    const other = pngImage(100, 41);
    expect(await filled(ALL)).toContain(idOf(SCRIBBLE));
    expect(await filled(ALL, undefined, other)).toContain(idOf(other));
    expect(idOf(other)).not.toBe(idOf(SCRIBBLE));
  });

  test('contains its image once, although it is written twice', async () => {
    const { bytes } = await fillPictures(templateOf(p(sdt({ tag: 'x' }, run('old')))), [
      { id: 'x', type: 'signature', image: SCRIBBLE, options: ALL },
    ]);
    expect((await imagesOf(bytes)).map(({ ids }) => ids.length)).toEqual([1]);
  });

  test('in SVG keeps the SVG for Word', async () => {
    const [word, others] = formsOf(await filled(ALL, undefined, IMAGES.SVG(90, 30)));
    expect(word).toContain('asvg:svgBlip');
    expect(others).not.toContain('svg');
  });

  test('gives each of its drawings an id', async () => {
    const result = await filled(ALL);
    const ids = [...result.matchAll(/<(?:wp:docPr|wps:cNvPr|pic:cNvPr) id="(\d+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });

  test('changes a picture control to a rich text control', async () => {
    const body = p(sdt({ tag: 'x', properties: '<w:picture/>' }, run('old')));
    expect(await filled(ALL, body)).not.toContain('<w:picture/>');
    expect(await filled({}, body)).toContain('<w:picture/>');
  });

  test('contains no text box for Word inside a text box or a note', async () => {
    const box =
      '<w:r><w:pict><v:shape style="width:300pt;height:300pt"><v:textbox><w:txbxContent>' +
      `${p(sdt({ tag: 'x' }, run('old')))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
    const [word] = formsOf(await filled(ALL, p(box)));
    expect(word).toContain('<lc:lockedCanvas');
    expect(word).not.toContain('txbxContent');
    expect(word).toContain('<a:t>Signed by:</a:t>');
    const note = wordPart(
      'footnotes',
      `<w:footnote w:id="2">${p(sdt({ tag: 'x' }, run('old')))}</w:footnote>`,
    );
    const { xml } = await fillPictures(
      documentOf({
        links: [{ id: 'rId1', kind: 'footnotes', target: 'footnotes.xml' }],
        parts: [{ name: 'word/footnotes.xml', data: note, type: wordType('footnotes') }],
      }),
      [{ id: 'x', type: 'signature', image: SCRIBBLE, options: ALL }],
    );
    expect(formsOf(xml('word/footnotes.xml'))[0]).not.toContain('txbxContent');
  });
});

describe('the size of a signature', () => {
  test('is the size of its image, plus arc and labels', async () => {
    expect(sizesIn(await filled(ALL))).toEqual([[116, 68]]);
    expect(sizesIn(await filled({ topLabel: {} }))).toEqual([[100, 54]]);
  });

  test('is the requested total size', async () => {
    expect(sizesIn(await filled({ ...ALL, dimensions: { width: 200, height: 100 } }))).toEqual([[200, 100]]);
  });

  test('keeps the ratio of the image if one side is given', async () => {
    expect(sizesIn(await filled({ ...ALL, dimensions: { width: 216 } }))).toEqual([[216, 108]]);
    expect(sizesIn(await filled({ ...ALL, dimensions: { height: 108 } }))).toEqual([[216, 108]]);
  });

  test('grows for a text wider than the image, up to the available room', async () => {
    const text = 'x'.repeat(40);
    const [[natural] = [0]] = sizesIn(await filled({ bottomLabel: { text } }));
    expect(natural).toBeCloseTo(248);
    const [[fitted] = [0]] = sizesIn(await filled({ bottomLabel: { text: text.repeat(10) } }));
    expect(fitted).toBeCloseTo(624);
  });

  test('leaves half of a small frame to the image', async () => {
    const [word] = formsOf(await filled({ ...ALL, dimensions: { width: 40, height: 20 } }));
    const [, height] = /<pic:spPr><a:xfrm><a:off [^>]*><a:ext cx="\d+" cy="(\d+)"/.exec(word) ?? [];
    expect(Number(height) / 9_525).toBeCloseTo(10, 0);
  });

  test('is rejected above 22 inches', async () => {
    await expect(filled({ ...ALL, dimensions: { height: 2_000 } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields[0].options.dimensions' }],
    });
  });
});

test('a signature that is not an image is rejected with the name of its field', async () => {
  await expect(filled(ALL, undefined, Buffer.from('Ann'))).rejects.toMatchObject({
    code: 'IMAGE_INVALID',
    details: [{ field: 'fields[0].value' }],
  });
});

describe('the place of a field', () => {
  const place = (options: Options, body: string, value: null | { start: number; bytes: number } = null) =>
    fill(templateOf(body), [{ id: 'x', type: 'signature', value, options }], { flatten: true });
  const tagsIn = (xml: string) => [...xml.matchAll(/<w:tag w:val="([^"]*)"/g)].map(([, tag]) => tag);

  test.each([
    ['a control around a paragraph', sdt({ tag: 'x' }, p(run('old')))],
    ['a control in a paragraph', p(sdt({ tag: 'x' }, run('old')))],
    ['a placeholder', p(run('Sign here: {x}'))],
  ])('is a control of its role in %s, also in a flattened document', async (_what, body) => {
    const { xml, bytes } = await place({ field: 'tenant', dimensions: { width: 200, height: 80 } }, body);
    expect(tagsIn(xml())).toEqual(['sign:tenant width=150pt height=60pt']);
    expect(await newFaultsOf(templateOf(body), bytes)).toEqual([]);
  });

  test('has the size of the picture in the control', async () => {
    const { bytes } = await fillPictures(templateOf(p(sdt({ tag: 'x' }, run('old')))), [
      { id: 'x', type: 'image', image: SCRIBBLE, options: { dimensions: { width: 160, height: 40 } } },
    ]);
    const { xml } = await fill(bytes, [{ id: 'x', type: 'signature', value: null, options: { field: 'a' } }]);
    expect(tagsIn(xml())).toContain('sign:a width=120pt height=30pt');
  });

  test.each<[string, Options, null | { start: number; bytes: number }]>([
    ['fields[0].value', { field: 'a' }, { start: 0, bytes: 0 }],
    ['fields[0].options.topLabel', { field: 'a', topLabel: {} }, null],
    ['fields[0].options.dimensions.width', { field: 'a', dimensions: { width: 99_999 } }, null],
  ])('is refused for %s', async (field, options, value) => {
    await expect(place(options, p(run('{x}')), value)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field }],
    });
  });
});
