import { expect, test } from '@jest/globals';
import { placeLinks } from '@scriptorium/pdf/fields';
import { type Dict, eachPage, openPdf, type PdfString, readBox } from '@scriptorium/pdf/read';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';

const LINKS = [
  { color: '336699', address: 'https://example.com/a' },
  { color: '000001', address: 'https://example.com/b' },
];
const TEXT = 'q 0 0 0 rg\nBT\nET\nQ\n';
const A = '0.2 0.4 0.6 rg';
const B = '0 0 0.003921568 rg';
function onPage(content: string, form?: string): Buffer {
  const keys = form === undefined ? '' : '/Resources<</XObject<</Tr 6 0 R>>>>';
  const bodies = [
    ...onePage().map((body, at) => (at === 2 ? `<</Type/Page/Parent 2 0 R/Contents 4 0 R${keys}>>` : body)),
  ];
  bodies[3] = streamBody('', Buffer.from(content));
  if (form !== undefined)
    bodies.push(streamBody('/Type/XObject/Subtype/Form/BBox[0 0 9 9]', Buffer.from(form)));
  return classicPdf(bodies);
}

function linksOf(pdf: Buffer | undefined): string[] {
  const { document } = openPdf(pdf ?? Buffer.alloc(0));
  const annotations = [...eachPage(document)].flatMap((page) => document.get(page, 'Annots'));
  return annotations.map((item) => {
    const annotation = document.resolve(item) as Dict;
    const action = document.dict(annotation, 'A');
    const address = action && document.get(action, 'URI');
    return `${(address as PdfString).text} ${readBox(document.get(annotation, 'Rect'), document)}`;
  });
}

test('rectangles and polygons of the colors become links, and areas of other colors stay', () => {
  const content = `1 0 0 rg\n1 1 2 2 re f*\n${A}\n10 20 30 5 re f*\n-1.5 2 4 4 re f*\n${TEXT}q ${B}\n1 2 m\n3 4 l 5 1 l 2 0 l\n1 2 l h\nf*\n${TEXT}Q\n`;
  expect(linksOf(placeLinks(onPage(content), LINKS, false))).toEqual([
    'https://example.com/a 10,20,40,25',
    'https://example.com/a -1.5,2,2.5,6',
    'https://example.com/b 1,0,5,4',
  ]);
});

test('a PDF in which a link has no place, or one that is not on the page itself, gets none', () => {
  const onlyA = `${A}\n10 20 30 5 re f*\n${TEXT}`;
  expect(placeLinks(onPage(onlyA), LINKS, false)).toBeUndefined();
  expect(linksOf(placeLinks(onPage(onlyA), LINKS, true))).toHaveLength(1);
  expect(placeLinks(onPage(onlyA, `${B}\n1 1 2 2 re f*\n`), LINKS, true)).toBeUndefined();
});

test.each([
  ['a step of a gradient', `${A}\n1 1 2 2 re f*\n0.3 0.4 0.6 rg\n1 1 2 1 re f*\n`],
  ['a clipped area', `${A}\n1 1 2 2 re\nW* n\n1 1 2 2 re f*\n${TEXT}`],
])('a PDF in which %s has the color of a link gets none', (_what, other) => {
  const links = `${A}\n10 20 30 5 re f*\n${TEXT}`;
  expect(placeLinks(onPage(links + other), LINKS, true)).toBeUndefined();
  expect(placeLinks(onPage(links, other), LINKS, true)).toBeUndefined();
});

test('a color without an area, and content without an end, are read in one pass', () => {
  const numbers = `${A}\n${'1 2 l '.repeat(200_000)}${`${A}\n`.repeat(50_000)}`;
  expect(placeLinks(onPage(numbers), LINKS, true)).toBeUndefined();
  const many = `${A}\n${'1 2 3 4 re f '.repeat(50_000)}${TEXT}${`0 0 0 rg\n${'1 2 l '.repeat(20)}`.repeat(10_000)}`;
  expect(linksOf(placeLinks(onPage(many), LINKS, true))).toHaveLength(50_000);
});
