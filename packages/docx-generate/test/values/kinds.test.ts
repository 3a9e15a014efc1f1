import { describe, expect, it } from '@jest/globals';
import { ImageCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { IMAGES } from '@scriptorium/testing/fixtures/images';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { imagesOfData, valueIssues, withPlaces } from '../../src/values/data-files.ts';
import { ValueResources } from '../../src/values/resources.ts';
import { write } from './written.ts';

const SOURCE = templateOf(p(run('{x}')));
const PNG = IMAGES.PNG(40, 20, [255, 0, 0]);
const URI = `data:image/png;base64,${PNG.toString('base64')}`;

describe('an image', () => {
  const image = (value: Record<string, Json>) =>
    write(SOURCE, { x: { $image: { source: { start: 0, bytes: PNG.length }, ...value } } }, { images: PNG });

  it('has its own size, or the requested one, and its alternative text', async () => {
    expect((await image({})).xml()).toContain('<wp:extent cx="381000" cy="190500"/>');
    const { xml } = await image({ width: '80', alt: 'a "logo"' });
    expect(xml()).toContain('<wp:extent cx="762000" cy="381000"/>');
    expect(xml()).toContain('descr="a &quot;logo&quot;"');
  });

  it('of easy-template-x is the same', async () => {
    const place = { start: 0, bytes: PNG.length };
    const value = { _type: 'image', source: place, format: 'image/png', width: 80, altText: 'logo' };
    const { xml } = await write(SOURCE, { x: value }, { images: PNG });
    expect(xml()).toMatch(/cx="762000".*descr="logo"/);
  });

  it('of a text is read where the mark asks for an image', async () => {
    expect((await write(SOURCE, { x: URI }, { as: 'image' })).xml()).toContain('<w:drawing>');
    for (const value of ['https://example.com/x.png', 'logo.png'])
      await expect(write(SOURCE, { x: value }, { as: 'image' })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'data.x', issue: expect.stringContaining('$image') }],
      });
  });

  it.each([
    [{ width: 0 }, 'data.x.$image.width'],
    [{ width: 3_000 }, 'data.x.$image'],
    [{ colour: 'red' }, 'data.x.$image.colour'],
  ])('with %j is refused', async (value, field) => {
    await expect(image(value)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });
});

describe('a link', () => {
  it.each(['https://example.com/?a=1&b=2', 'mailto:a@example.com', 'tel:+49301234'])(
    'leads to %s',
    async (href) => {
      const values: Json[] = [{ $link: { href, text: 'see' } }, { _type: 'link', target: href, text: 'see' }];
      for (const value of values) {
        const { bytes, xml } = await write(SOURCE, { x: value });
        const { main } = await openPackage(bytes);
        const link = main.relationships.list.find(({ kind }) => kind === 'hyperlink');
        expect(link).toMatchObject({ target: href, isExternal: true });
        expect(xml()).toMatch(new RegExp(`<w:hyperlink [^>]*r:id="${link?.id}"`));
      }
    },
  );

  it('leads to a bookmark', async () => {
    expect((await write(SOURCE, { x: { $link: { href: '#terms' } } })).xml()).toContain(
      '<w:hyperlink w:anchor="terms">',
    );
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    '\\\\host\\share',
    'ftp://x',
    'https://a b',
    '',
    'data:text/html,x',
  ])('to %j is refused', async (href) => {
    await expect(write(SOURCE, { x: { $link: { href } } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.x.$link.href' }],
    });
  });

  it('shares its relationship with equal ones, however many there are', async () => {
    const names = Array.from({ length: 3_000 }, (_, number) => `x${number}`);
    const values = Object.fromEntries(
      names.map((name, n) => [name, { $link: { href: `https://example.com/${n % 1_500}` } }]),
    );
    const { bytes } = await write(templateOf(names.map((name) => p(run(`{${name}}`))).join('')), values);
    const { main } = await openPackage(bytes);
    expect(main.relationships.list.filter(({ kind }) => kind === 'hyperlink')).toHaveLength(1_500);
  });
});

describe('a barcode', () => {
  it.each([
    ['qr', 'https://example.com/ä?x=1'],
    ['code128', 'ABC-123'],
    ['ean13', '5901234123457'],
    ['ean13', '590123412345'],
    ['datamatrix', 'Grüße'],
  ])('%s of %j is drawn as vectors with a picture beside them', async (type, value) => {
    const { bytes, xml } = await write(SOURCE, { x: { $barcode: { type, value } } });
    const { parts } = await openPackage(bytes);
    const types = [...parts.values()].map(({ contentType }) => contentType);
    expect(types).toEqual(expect.arrayContaining(['image/svg+xml', 'image/png']));
    expect(xml()).toContain('svgBlip');
  });

  it.each([
    ['ean13', '5901234123458'],
    ['ean13', '123'],
    ['code128', 'ä'],
    ['qr', ''],
    ['qr', 'x'.repeat(5_000)],
    ['datamatrix', '漢'],
    ['datamatrix', 'x'.repeat(4_000)],
  ])('%s of a wrong value is refused', async (type, value) => {
    await expect(write(SOURCE, { x: { $barcode: { type, value } } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.x.$barcode.value' }],
    });
  });

  it('is refused before it is drawn if others take a second, each once', () => {
    const resources = new ValueResources(new ImageCache(Buffer.alloc(0)));
    const ask = (value: string, path: string) =>
      resources.barcode(value, 10, () => Promise.reject(new Error('drawn')), path);
    for (let at = 0; at < 300; at++) ask(`${at % 100}`, `data.x[${at}]`);
    expect(() => ask('another', 'data.y')).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [expect.objectContaining({ field: 'data.y' })],
      }),
    );
  });

  it('of an unknown type is refused', async () => {
    await expect(
      write(SOURCE, { x: { $barcode: { type: 'constructor', value: 'x' } } }),
    ).rejects.toMatchObject({
      details: [{ field: 'data.x.$barcode.type' }],
    });
  });
});

it('a page break breaks the page', async () => {
  expect((await write(SOURCE, { x: { $pageBreak: true } })).xml()).toContain('<w:br w:type="page"/>');
});

it('a signature has the frame of a signature field', async () => {
  const value = { start: 0, bytes: PNG.length };
  const options = { topLabel: {}, bottomLabel: { text: 'Ada' } };
  const { xml } = await write(SOURCE, { x: { $signature: { value, options } } }, { images: PNG });
  expect(xml()).toMatch(/Signed by:.*Ada/);
});

describe('the data of a request', () => {
  it('lists values that are not what their kind needs, with their paths', () => {
    const data = JSON.parse(`{
      "items": [{"logo": {"$image": {"source": 5}}}, {"logo": {"$image": "x"}}],
      "a": {"$link": {"href": "javascript:x"}}, "b": {"$html": 7}, "c": {"$image": 1, "$link": 2},
      "d": {"$unknown": 1}, "e": {"$pageBreak": true, "f": 1}, "g": {"$document": {"url": "https://e.com", "base64": ""}},
      "h": {"_type": "Invoice", "$pageBreak": false}, "i": {"$document": {}}, "j": {"$document": {"path": "x", "url": "y"}}, "good": {"$document": {"url": "https://e.com"}},
      "fine": {"_type": "image", "asset": "x"}, "constructor": {}
    }`);
    const issues = valueIssues(data);
    expect(issues.map(({ field }) => field).sort()).toEqual(
      [
        'data.a.$link.href',
        'data.b.$html',
        'data.c',
        'data.d',
        'data.e',
        'data.g.$document',
        'data.i.$document',
        'data.j.$document.path',
        'data.h',
        'data.items[0].logo.$image.source',
        'data.items[1].logo.$image',
      ].sort(),
    );
    for (const { issue } of issues) expect(issue).not.toMatch(/Invalid input|expected/);
  });

  it('names its images by path, and gets their places without changing itself', () => {
    const data = JSON.parse(`{"items": [{"logo": {"$image": {"source": "${URI}", "width": 9}}}, {"n": 1}],
      "__proto__": {"sign": {"$signature": {"value": "https://example.com/s.png"}}},
      "old": {"_type": "image", "source": "https://example.com/o.png"}, "none": {"$image": {"source": ""}}}`);
    const before = JSON.stringify(data);
    const images = imagesOfData(data);
    expect(Object.fromEntries(images)).toEqual({
      'data.items[0].logo.$image.source': URI,
      'data.__proto__.sign.$signature.value': 'https://example.com/s.png',
      'data.old.source': 'https://example.com/o.png',
    });
    const places = new Map([...images.keys()].map((path, start) => [path, { start, bytes: 1 }]));
    const sent = withPlaces(data, places);
    expect(JSON.parse(JSON.stringify(sent))).toEqual(
      JSON.parse(`{"items": [{"logo": {"$image": {"source": {"start": 0, "bytes": 1}, "width": 9}}}, {"n": 1}],
      "__proto__": {"sign": {"$signature": {"value": {"start": 1, "bytes": 1}}}},
      "old": {"_type": "image", "source": {"start": 2, "bytes": 1}}, "none": {"$image": {"source": null}}}`),
    );
    expect(JSON.stringify(data)).toBe(before);
    expect(withPlaces([1, 'x'], new Map())).toEqual([1, 'x']);
  });

  it('is searched fast, however deep and long it is', () => {
    const start = process.cpuUsage();
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `n${id}`, more: { a: 1 } }));
    expect(valueIssues([deep, rows])).toEqual([]);
    expect(imagesOfData([deep, rows]).size).toBe(0);
    expect(cpuMsSince(start)).toBeLessThan(3_000);
  });
});
