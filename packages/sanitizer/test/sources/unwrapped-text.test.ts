import { expect, test } from '@jest/globals';
import { presentationWith, textShape } from '@scriptorium/testing/fixtures/presentation';
import { partsOf, prepare } from './sanitizer-under-test.ts';

test.each([
  ['<a:bodyPr wrap="none"><a:spAutoFit/></a:bodyPr>', '<a:bodyPr wrap="none"><a:noAutofit/></a:bodyPr>'],
  ['<a:bodyPr wrap="square"><a:spAutoFit/></a:bodyPr>', '<a:bodyPr wrap="square"><a:spAutoFit/></a:bodyPr>'],
  ['<a:bodyPr><a:spAutoFit/></a:bodyPr>', '<a:bodyPr><a:spAutoFit/></a:bodyPr>'],
])('a text box with %s has the lines of PowerPoint', async (before, after) => {
  const shapes = textShape('one line').replace('<a:bodyPr/>', before);
  const { bytes } = await prepare('pptx', presentationWith({ slides: [{ shapes }] }));
  expect((await partsOf(bytes))['ppt/slides/slide1.xml']).toContain(after);
});
