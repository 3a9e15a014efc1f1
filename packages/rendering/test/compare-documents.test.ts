import { describe, expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { compareDocuments } from '../src/compare-documents.ts';

interface Parts {
  link?: string;
  rect?: string;
  outline?: string;
  inner?: string;
}

/** Two pages. The first has a link, the outline an entry with one inside. */
const navigable = ({
  link = '/Dest[4 0 R/XYZ 0 100 0]',
  rect = '10 10 60 30',
  outline = '/Title(One)/Dest[3 0 R/Fit]',
  inner = '/Title(Two)/Dest[4 0 R/XYZ 0 50 0]',
}: Parts = {}): Buffer =>
  classicPdf([
    '<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 200 200]>>',
    '<</Type/Page/Parent 2 0 R/Annots[5 0 R]>>',
    '<</Type/Page/Parent 2 0 R>>',
    `<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[${rect}]${link}>>`,
    '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 2>>',
    `<</Parent 6 0 R/First 8 0 R/Last 8 0 R/Count 1${outline}>>`,
    `<</Parent 7 0 R${inner}>>`,
  ]);

const uri = (address: string): string => `/A<</S/URI/URI(${address})>>`;

describe('two documents with the same text and pictures', () => {
  test('are the same if their links and outlines lead to the same places', async () => {
    expect(await compareDocuments(navigable(), navigable())).toBeUndefined();
    const link = uri('http://example.com/a');
    expect(await compareDocuments(navigable({ link }), navigable({ link }))).toBeUndefined();
  });

  test.each<[string, Parts]>([
    ['leads to another page', { link: '/Dest[3 0 R/XYZ 0 100 0]' }],
    ['leads to another place', { link: '/Dest[4 0 R/XYZ 0 101 0]' }],
    ['leads nowhere', { link: '' }],
    ['leads to an address', { link: uri('http://example.com/b') }],
    ['has another area', { rect: '10 10 60 31' }],
  ])('differ if a link %s', async (_what, parts) => {
    expect(await compareDocuments(navigable(), navigable(parts))).toEqual({ what: 'links', page: 0 });
  });

  test.each<[string, Parts]>([
    ['another title', { outline: '/Title(Uno)/Dest[3 0 R/Fit]' }],
    ['another page', { inner: '/Title(Two)/Dest[3 0 R/XYZ 0 50 0]' }],
    ['no place', { inner: '/Title(Two)' }],
  ])('differ if an entry of the outline has %s', async (_what, parts) => {
    expect(await compareDocuments(navigable(), navigable(parts))).toEqual({ what: 'outline' });
  });

  test('differ if links have other addresses', async () => {
    const [one, two] = ['http://example.com/a', 'http://example.com/b'].map((address) =>
      navigable({ link: uri(address) }),
    );
    expect(await compareDocuments(one ?? Buffer.of(), two ?? Buffer.of())).toEqual({
      what: 'links',
      page: 0,
    });
  });
});
