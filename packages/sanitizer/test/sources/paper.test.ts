import { expect, it } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { prepare } from '../../src/prepare.ts';

const prepared = async (from: 'html' | 'md' | 'txt', text: string, paper?: 'letter') => {
  const options = { from, revisions: 'markup', updateFields: 'none', paper } as const;
  const { bytes } = await prepare(Buffer.from(text), options);
  return from === 'txt' ? ((await openPackage(bytes)).main.xml ?? '') : bytes.toString();
};

it('a text, a Markdown text and a page get the paper that the caller names', async () => {
  expect(await prepared('txt', 'x', 'letter')).toContain('<w:pgSz w:w="12240" w:h="15840"/>');
  expect(await prepared('md', 'x', 'letter')).toContain('@page { size: 21.59cm 27.94cm; margin: 2cm }');
  expect(await prepared('html', '<p>x</p>', 'letter')).toContain('@page { size: 21.59cm 27.94cm }');
});

it('the paper is A4 by default, and a page keeps its own', async () => {
  expect(await prepared('txt', 'x')).toContain('<w:pgSz w:w="11906" w:h="16838"/>');
  expect(await prepared('md', 'x')).toContain('@page { size: 21cm 29.7cm; margin: 2cm }');
  expect(await prepared('html', '<p>x</p>')).not.toContain('@page');
  const own = await prepared('html', '<style>@page { size: 10cm 10cm }</style><p>x</p>', 'letter');
  expect(own.indexOf('10cm 10cm')).toBeGreaterThan(own.indexOf('21.59cm'));
});

it.each([
  ['A4', '210mm 297mm'],
  ['a5 LANDSCAPE', '210mm 148mm'],
  ['landscape letter !important', '279.4mm 215.9mm'],
  ['JIS-B5', '182mm 257mm'],
  ['landscape', '355.6mm 215.9mm'],
  ['A4 A5', 'A4 A5'],
  ['constructor', 'constructor'],
  ['auto', 'auto'],
  ['10cm 20cm', '10cm 20cm'],
])('the size %s of a page is %s', async (size, lengths) => {
  const html = `<style>@page :first { margin: 1cm; size: ${size}; color: red } p { color: A4 }</style><p>x</p>`;
  const options = { from: 'html', revisions: 'markup', updateFields: 'none', paper: 'legal' } as const;
  const { bytes } = await prepare(Buffer.from(html), options);
  expect(bytes.toString()).toContain(`size: ${lengths}`);
  expect(bytes.toString()).toContain('p { color: A4 }');
});
