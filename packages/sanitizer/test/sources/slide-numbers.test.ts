import { expect, test } from '@jest/globals';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { partsOf, prepare } from './sanitizer-under-test.ts';

const field = (inside: string, type = 'slidenum') =>
  `<a:fld id="{3201FDD2-27F9-4966-B34E-DF3AF7EF0736}" type="${type}">${inside}</a:fld>`;
const run = (text: string) => `<a:r><a:rPr sz="900"/><a:t>${text}</a:t></a:r>`;

/** The fields of the second slide, as they come out. */
async function secondSlide(attributes: string, inside: string): Promise<string> {
  const shapes = textShape('').replace(/<a:r>.*<\/a:r>/, inside);
  const { bytes } = await prepare('pptx', presentationWith({ attributes, slides: [{ shapes }, { shapes }] }));
  const xml = (await partsOf(bytes))['ppt/slides/slide2.xml'] ?? '';
  return /<a:p>(.*)<\/a:p>/.exec(xml)?.[1] ?? '';
}

test.each([
  ['firstSlideNum="0"', field('<a:rPr sz="900"/><a:pPr/><a:t>‹#›</a:t>'), run('1')],
  ['firstSlideNum="41"', field('<a:rPr sz="900"/><a:t/>'), run('42')],
  ['firstSlideNum="41"', field('<a:rPr sz="900"/>'), run('42')],
])('the second slide of a presentation with %s has its number', async (attributes, inside, outside) => {
  expect(await secondSlide(attributes, inside)).toBe(outside);
});

test.each([
  ['', field('<a:rPr sz="900"/><a:t>2</a:t>')],
  ['firstSlideNum="1"', field('<a:rPr sz="900"/><a:t>2</a:t>')],
  ['firstSlideNum="many"', field('<a:rPr sz="900"/><a:t>2</a:t>')],
  ['firstSlideNum="0"', field('<a:rPr sz="900"/><a:t>1/2/2026</a:t>', 'datetime1')],
])('a presentation with "%s" keeps its other fields', async (attributes, inside) => {
  expect(await secondSlide(attributes, inside)).toBe(inside);
});
