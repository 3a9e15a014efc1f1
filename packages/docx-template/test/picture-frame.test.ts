import { afterAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { jpegImage } from '@scriptorium/testing/fixtures/jpeg';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { Office, Page } from '@scriptorium/testing/rendered-page';
import { fill, inspected } from './filling.ts';
import { fillPictures, imagesOf, type PictureField, sizesIn } from './pictures.ts';

const RED = [220, 30, 40] as const;
const office = new Office();
afterAll(() => office.close());

const jpegOf = (width: number, height: number) => jpegImage(width, height, () => [...RED]);
const SAMPLE = pngImage(30, 20);

/** A template with a picture control whose sample has a frame of 200 × 100 pixels, made by filling another. */
async function framed(change: (drawing: string) => string = (drawing) => drawing): Promise<Buffer> {
  const plain = templateOf(p(sdt({ id: 1, tag: 'logo', properties: '<w:picture/>' }, run('old'))));
  const dimensions = { width: 200, height: 100 };
  const filled = await fillPictures(plain, [
    { id: 'logo', type: 'image', image: SAMPLE, options: { dimensions } },
  ]);
  const drawing = /<w:drawing>.*?<\/w:drawing>/s.exec(filled.xml())?.[0] ?? '';
  const image = (await imagesOf(filled.bytes))[0];
  return templateOf(
    p(
      sdt({ id: 1, tag: 'logo', alias: 'Logo', properties: '<w:picture/>' }, `<w:r>${change(drawing)}</w:r>`),
    ),
    {
      links: [{ id: image?.ids[0] ?? '', kind: 'image', target: 'media/sample.png' }],
      parts: [{ name: 'word/media/sample.png', data: SAMPLE, type: 'image/png' }],
    },
  );
}

const logo = (image: Buffer, options: PictureField['options'] = {}): PictureField => ({
  id: 'logo',
  type: 'image',
  image,
  options,
});

describe('the frame of the sample in a picture control', () => {
  test('keeps its size, alternative text and name, and shows the new picture', async () => {
    const source = await framed((drawing) =>
      drawing.replace('name="Picture 1"', 'name="Logo 7" descr="Our logo"'),
    );
    const { xml, bytes } = await fillPictures(source, [logo(jpegOf(400, 200))]);
    expect(sizesIn(xml())).toEqual([[200, 100]]);
    expect(xml()).toContain('name="Logo 7" descr="Our logo"');
    expect(xml()).toContain('<w:picture/>');
    expect(xml()).not.toContain('srcRect');
    expect((await imagesOf(bytes)).map(({ contentType }) => contentType)).toContain('image/jpeg');
  });

  testInWhole('keeps its place on the page if it is anchored', async () => {
    const place =
      '<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="page"><wp:posOffset>1905000</wp:posOffset></wp:positionH>' +
      '<wp:positionV relativeFrom="page"><wp:posOffset>2857500</wp:posOffset></wp:positionV>';
    const anchored = (drawing: string) =>
      drawing
        .replace(
          '<wp:inline ',
          '<wp:anchor simplePos="0" relativeHeight="2" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1" ',
        )
        .replace('<wp:extent', `${place}<wp:extent`)
        .replace('<wp:docPr', '<wp:wrapNone/><wp:docPr')
        .replace('</wp:inline>', '</wp:anchor>');
    const { xml, bytes } = await fillPictures(await framed(anchored), [logo(jpegOf(400, 200))]);
    expect(xml()).toContain(place);
    const area = new Page(office.convert(bytes, 'pdf')).areaOf(RED);
    expect(area?.left).toBeCloseTo(200, -1);
    expect(area?.top).toBeCloseTo(300, -1);
  });

  testInWhole.each([
    ['a square one', 100, 100, 100, 100],
    ['a wide one', 400, 100, 200, 50],
    ['a tall one', 50, 400, 12, 100],
  ])('does not distort the picture: %s', async (_, width, height, seenWidth, seenHeight) => {
    const { xml, bytes } = await fillPictures(await framed(), [logo(jpegOf(width, height))]);
    expect(sizesIn(xml())).toEqual([[200, 100]]);
    const area = new Page(office.convert(bytes, 'pdf')).areaOf(RED);
    if (area === undefined) throw new Error('the picture is not visible');
    expect(Math.abs(area.right - area.left - seenWidth)).toBeLessThanOrEqual(3);
    expect(Math.abs(area.bottom - area.top - seenHeight)).toBeLessThanOrEqual(3);
  });

  test('keeps the crop of the template', async () => {
    const crop = '<a:srcRect l="10000" r="20000"/>';
    const source = await framed((drawing) => drawing.replace('<a:stretch>', `${crop}<a:stretch>`));
    const { xml } = await fillPictures(source, [logo(jpegOf(100, 100))]);
    expect(xml().match(/<a:srcRect[^>]*>/g)).toEqual([crop]);
  });

  test('goes if the caller gives dimensions', async () => {
    const { xml } = await fillPictures(await framed(), [
      logo(jpegOf(100, 100), { dimensions: { width: 50 } }),
    ]);
    expect(sizesIn(xml())).toEqual([[50, 50]]);
  });

  test('holds one picture after another', async () => {
    const first = await fillPictures(await framed(), [logo(jpegOf(100, 100))]);
    const second = await fillPictures(first.bytes, [logo(jpegOf(400, 200))]);
    expect(sizesIn(second.xml())).toEqual([[200, 100]]);
  });
});

describe('an empty value', () => {
  test.each(['image', 'signature'] as const)('of an %s empties a control and a placeholder', async (type) => {
    const source = templateOf(
      p(sdt({ id: 1, tag: 'x', properties: '<w:picture/>' }, run('old')) + run(' and {y}')) +
        sdt({ id: 2, tag: 'z' }, p(run('block'))),
    );
    const empty = (id: string) => ({ id, type, value: null, options: {} }) as const;
    const { xml, report } = await fill(source, [empty('x'), empty('y'), empty('z')]);
    expect(report.filled).toBe(3);
    expect(xml()).not.toMatch(/old|\{y\}|block|<w:picture/);
    expect(xml()).toContain(' and ');
    expect((await inspected(source)).fields).toHaveLength(3);
  });
});
