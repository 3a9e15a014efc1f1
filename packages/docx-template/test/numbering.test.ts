import { expect, it } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { PackageEditor } from '../src/package-editor.ts';
import { openTemplate } from '../src/template/template.ts';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const LEVELS =
  '<n:lvl n:ilvl="0"><n:start n:val="3"/><n:numFmt n:val="decimal"/><n:lvlText n:val="%1)"/></n:lvl>';

function withNumbering(content: string): Buffer {
  const data =
    content === '' ? `<n:numbering xmlns:n="${W}"/>` : `<n:numbering xmlns:n="${W}">${content}</n:numbering>`;
  return templateOf(p(run('x')), {
    links: [{ id: 'rId9', kind: 'numbering', target: 'numbering.xml' }],
    parts: [{ name: 'word/numbering.xml', data, type: wordType('numbering') }],
  });
}

async function edited(source: Buffer, use: (editor: PackageEditor) => void) {
  const editor = new PackageEditor(await openTemplate(source));
  use(editor);
  const bytes = editor.build();
  expect(await newFaultsOf(source, bytes)).toEqual([]);
  const { parts, main } = await openPackage(bytes);
  const link = main.relationships.list.find(({ kind }) => kind === 'numbering');
  return { bytes, link, part: parts.get(link?.part ?? '') };
}

const namesIn = (xml = '') =>
  [...xml.matchAll(/<\w+:(abstractNum|num|numIdMacAtCleanup) /g)].map(([, name]) => name);

it.each([
  ['no list', ''],
  ['definitions only', `<n:abstractNum n:abstractNumId="4">${LEVELS}</n:abstractNum>`],
  [
    'lists',
    `<n:abstractNum n:abstractNumId="4">${LEVELS}</n:abstractNum><n:num n:numId="2"><n:abstractNumId n:val="4"/></n:num>`,
  ],
  [
    'a cleanup mark',
    `<n:abstractNum n:abstractNumId="4">${LEVELS}</n:abstractNum><n:num n:numId="2"><n:abstractNumId n:val="4"/></n:num><n:numIdMacAtCleanup n:val="1"/>`,
  ],
])('new lists are in the order of the schema in a part with %s', async (_, content) => {
  const { part } = await edited(withNumbering(content), ({ numbering }) => {
    expect(numbering.bulletList()).toBe(numbering.bulletList());
    expect(numbering.decimalList(0, 1)).not.toBe(numbering.decimalList(0, 1));
  });
  const order = ['abstractNum', 'num', 'numIdMacAtCleanup'];
  const names = namesIn(part?.xml);
  expect(names).toEqual(names.toSorted((one = '', other = '') => order.indexOf(one) - order.indexOf(other)));
  const ids = [...(part?.xml ?? '').matchAll(/:(?:abstractNumId|numId)="(\d+)"/g)].map(([whole]) => whole);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, id] of (part?.xml ?? '').matchAll(/<\w+:abstractNumId \w+:val="(\d+)"/g))
    expect(ids).toContain(`:abstractNumId="${id}"`);
});

it.each([false, true])('a document without lists gets a part for them (Strict: %s)', async (strict) => {
  const strictXml =
    '<q:document xmlns:q="http://purl.oclc.org/ooxml/wordprocessingml/main"><q:body><q:p/></q:body></q:document>';
  const source = strict ? zip(packageEntries({ strict: true, mainXml: strictXml })) : templateOf(p(run('x')));
  const { part, link } = await edited(source, ({ numbering }) => numbering.decimalList(1, 4));
  expect(part).toMatchObject({
    name: 'word/numbering.xml',
    contentType: expect.stringMatching(/numbering\+xml$/),
  });
  expect(link?.type.startsWith(strict ? 'http://purl.oclc.org/' : 'http://schemas.')).toBe(true);
  expect(part?.xml).toContain(strict ? 'http://purl.oclc.org/ooxml/wordprocessingml/main' : W);
  expect(part?.xml).toContain('<w:lvlOverride w:ilvl="1"><w:startOverride w:val="4"/></w:lvlOverride>');
});

it('a restarted list looks like the other one and starts as that does', async () => {
  const own = '<n:lvlOverride n:ilvl="1"><n:lvl n:ilvl="1"><n:start n:val="7"/></n:lvl></n:lvlOverride>';
  const lists = `<n:abstractNum n:abstractNumId="4">${LEVELS}</n:abstractNum><n:num n:numId="2"><n:abstractNumId n:val="4"/>${own}</n:num>`;
  const { part } = await edited(withNumbering(lists), ({ numbering }) => {
    expect(numbering.restartedList('2')).toBe('3');
    expect(numbering.restartedList('99')).toBeUndefined();
  });
  expect(part?.xml).toContain(
    '<n:num n:numId="3"><n:abstractNumId n:val="4"/><n:lvlOverride n:ilvl="0"><n:startOverride n:val="3"/></n:lvlOverride>' +
      '<n:lvlOverride n:ilvl="1"><n:startOverride n:val="7"/><n:lvl n:ilvl="1"><n:start n:val="7"/></n:lvl></n:lvlOverride>',
  );
});

it('a document without new lists keeps its bytes', async () => {
  const source = withNumbering(`<n:abstractNum n:abstractNumId="4">${LEVELS}</n:abstractNum>`);
  const { bytes } = await edited(source, ({ numbering }) => numbering.restartedList('99'));
  expect(bytes).toEqual(source);
});
