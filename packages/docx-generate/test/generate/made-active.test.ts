import { describe, expect, it } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { excludedIn } from '@scriptorium/testing/judges/excluded';
import { generate } from '../../src/generate/generate.ts';
import { generation } from '../../src/generation.ts';

const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const END = mark('separate') + run('shown') + mark('end');
const field = (...codes: string[]) => p(mark('begin') + codes.map(code).join('') + END);

async function filled(body: string, data: Json) {
  const request = { source: templateOf(body), data, images: Buffer.alloc(0), options: generation.parse({}) };
  const { bytes, report } = await generate(request, new TemplateCache(0).of());
  const { main } = await openPackage(bytes);
  expect(await excludedIn(bytes)).toEqual([]);
  return { report, xml: main.xml ?? '' };
}

describe('a field that data make active becomes text, and is named', () => {
  it.each([
    ['its name is a value', field('{x}TEXT "/etc/passwd"'), { x: 'INCLUDE' }],
    ['its name is in pieces', field('INCL', '{x}', ' "/etc/passwd"'), { x: 'UDETEXT' }],
    ['its name is a text', p(mark('begin') + run('{x}') + code(' ') + END), { x: 'DDEAUTO c a b' }],
    ['its name ends in a text', p(mark('begin') + code('{x}') + run('TEXT "x"') + END), { x: 'INCLUDE' }],
    [
      'another code before it goes',
      p(mark('begin') + run('{#x}') + code('PAGE ') + run('{/x}') + code('DDEAUTO c a b') + END),
      { x: false },
    ],
    [
      'paragraphs before it go',
      p(mark('begin')) + p(run('{#x}')) + p(code('PAGE')) + p(run('{/x}')) + p(code('DDE x') + END),
      { x: [] },
    ],
  ])('if %s', async (_, body, data) => {
    const { report, xml } = await filled(body, data);
    expect(xml).not.toMatch(/fldChar|instrText/);
    expect(report.contentRemoved).toEqual(['fields']);
    if (body.includes('shown')) expect(xml).toContain('shown');
  });

  it.each([
    ['an absolute path', field('HYPERLINK "{x}"'), { x: '/etc/passwd' }],
    ['a hidden scheme', field('HYPERLINK "{x}"'), { x: '\u200bfile:///x' }],
    ['no quotation marks', field('HYPERLINK {x}'), { x: 'file:///x' }],
    ['a switch before it', field('HYPERLINK \\h "{x}"'), { x: 'file:///x' }],
    ['pieces', field('HYPERLINK "', '{x}', '"'), { x: 'file:///x' }],
    ['pieces of a scheme', field('HYPERLINK "{x}', '{y}"'), { x: 'fi', y: 'le:///x' }],
  ])('if its link has %s', async (_, body, data) => {
    const { report, xml } = await filled(body, data);
    expect(xml).not.toMatch(/fldChar|instrText/);
    expect(report.linksRemoved).toBe(true);
  });

  it('but others stay', async () => {
    const { report, xml } = await filled(field('HYPERLINK "https://{x}"') + field('PAGE') + p(run('{x}')), {
      x: 'example.com',
    });
    expect(xml.match(/<w:fldChar /g)).toHaveLength(6);
    expect(report).toMatchObject({ contentRemoved: [], linksRemoved: false });
  });
});

it.each([
  ['an address of VML behind a space', '<v:shape id="a"><v:imagedata src=" file:///x"/></v:shape>'],
  ['a picture at a root', '<v:roundrect id="a"><v:fill src="/etc/x.png"/></v:roundrect>'],
  ['a link of a shape', '<v:line id="a" href="file:///x"/>'],
  ['a link of a group', '<v:group href="javascript:x"><v:shape id="a"/></v:group>'],
])('%s goes', async (_, shape) => {
  const { report, xml } = await filled(p(`<w:r><w:pict>${shape}</w:pict></w:r>`) + p(run('{x}')), { x: 1 });
  expect(xml).toContain('id="a"');
  expect(xml).not.toMatch(/file:|javascript:|etc/);
  expect(report.linksRemoved || report.contentRemoved.includes('external-content')).toBe(true);
});
