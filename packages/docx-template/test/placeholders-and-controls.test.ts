import { describe, expect, test } from '@jest/globals';
import { bare, p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { TemplateCache } from '../src/template/cache.ts';
import { fill, inspected, text } from './filling.ts';
import { filled } from './placeholders.ts';
import { tableValue } from './table-filling.ts';

describe('placeholders beside controls', () => {
  test('do not match an id that a control has', async () => {
    const body = p(sdt({ tag: 'x' }, run('old'))) + p(bare('{x}'));
    expect(await filled(body, { x: 'Ada' })).toBe(p(sdt({ tag: 'x' }, run('Ada'))) + p(bare('{x}')));
  });

  test('count if they stay in the text, but not within content that a field replaces', async () => {
    const body = p(bare('{x}')) + p(bare('{#guests}')) + p(bare('{who} {{name}}')) + p(bare('{/guests}'));
    const source = templateOf(body + p(sdt({ tag: 'note' }, bare('{z}'))));
    const remaining = async (...fields: Parameters<typeof fill>[1]) =>
      (await fill(source, fields)).report.remaining;
    expect(await remaining()).toBe(6);
    expect(await remaining(text({ id: 'x' }, 'Ada'), text({ id: 'who' }, 'Bob'))).toBe(4);
    expect(await remaining(text({ id: 'note' }, 'none'))).toBe(5);
  });

  test('do not match a group', async () => {
    const source = templateOf(p(bare('{x}')));
    const { report } = await fill(source, [text({ group: 'x' }, 'Ada')]);
    expect(report).toMatchObject({ filled: 0, unmatched: { count: 1 } });
  });

  test('are replaced with the content of a filled control', async () => {
    for (const inner of ['{y}', 'a {y} b']) {
      const source = templateOf(p(sdt({ tag: 'x' }, bare(inner))));
      const { xml, report } = await fill(source, [text({ id: 'y' }, 'Bob'), text({ id: 'x' }, 'Ada')]);
      expect(xml()).toContain(p(sdt({ tag: 'x' }, run('Ada'))));
      expect(report.filled).toBe(1);
    }
  });

  test('are filled in header rows and other cells that a filled control does not replace', async () => {
    const cells = (...texts: string[]) => texts.map((inner) => `<w:tc>${p(bare(inner))}</w:tc>`).join('');
    const table = (rows: string) =>
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>${rows}</w:tbl>`;
    const header = `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cells('Goods {y}', 'Price')}</w:tr>`;
    const items = sdt({ tag: 'items' }, table(`${header}<w:tr>${cells('Nut', '{y}')}</w:tr>`));
    const first = table(sdt({ tag: 'x' }, `<w:tr>${cells('old {y}', 'by {y}')}</w:tr>`));
    const source = templateOf(items + p('') + first + p(''));
    const fields = [tableValue([['Fig', '9']]), text({ id: 'x' }, 'Ada'), text({ id: 'y' }, 'Bob')];
    const { xml, report, bytes } = await fill(source, fields);
    const shown = [...xml().matchAll(/<w:p>(.*?)<\/w:p>/g)].map(([, inner = '']) =>
      inner.replace(/<.*?>/g, ''),
    );
    expect(shown).toEqual(['Goods Bob', 'Price', 'Fig', '9', '', 'Ada', 'by Bob', '']);
    expect(report).toMatchObject({ filled: 4, unmatched: { count: 0 } });
    expect(await newFaultsOf(source, bytes)).toEqual([]);
  });

  test('are filled in an unfilled control, which loses its prompt mark and its data binding', async () => {
    const properties = '<w:showingPlcHdr/><w:dataBinding w:xpath="/a" w:storeItemID="{0}"/>';
    const body = p(sdt({ tag: 'x', properties }, bare('a {y}')));
    expect(await filled(body, { y: 'Bob' })).toBe(p(sdt({ tag: 'x' }, run('a ') + run('Bob'))));
  });

  test('are filled beside a filled control in the same paragraph, also when flattening', async () => {
    const source = templateOf(
      p(bare('{y}') + sdt({ tag: 'x' }, bare('old')) + sdt({ tag: 'z' }, bare('{y}'))),
    );
    const fields = [text({ id: 'y' }, 'Bob'), text({ id: 'x' }, 'Ada')];
    const { xml, report } = await fill(source, fields, { flatten: true });
    expect(xml()).toContain(p(run('Bob') + run('Ada') + run('Bob')));
    expect(report.filled).toBe(3);
  });

  test('get the value of the last field with their name', async () => {
    const source = templateOf(p(bare('{x}')));
    const { xml, report } = await fill(source, [text({ id: 'x' }, 'first'), text({ id: 'x' }, 'last')]);
    expect(xml()).toContain(p(run('last')));
    expect(report).toMatchObject({ filled: 1, unmatched: { count: 0 } });
  });

  test('are listed once per name, with the part that contains them', async () => {
    const body = p(sdt({ tag: 'x' }, run('old')) + bare('{x} {y} {z}')) + p(bare('{y}'));
    const { fields } = await inspected(templateOf(body));
    const placeholders = fields.filter(({ options }) => options.control === 'placeholder');
    expect(placeholders.map(({ id }) => id)).toEqual(['y', 'z']);
    expect(placeholders[0]).toEqual({
      id: 'y',
      names: ['y'],
      count: 2,
      type: 'text',
      location: { part: 'word/document.xml', place: 'body', level: 'placeholder' },
      current: '',
      options: { control: 'placeholder' },
    });
  });
});

describe('a cached template', () => {
  test('contains no values of earlier callers', async () => {
    const cache = new TemplateCache(10_000_000).of();
    const source = templateOf(p(bare('{x} and {y}')));
    const secret = await fill(source, [text({ id: 'x' }, 'secret'), text({ id: 'y' }, 'too')], {}, cache);
    expect(secret.xml()).toContain('secret');
    const next = await fill(source, [text({ id: 'y' }, 'Bob')], {}, cache);
    expect(next.bytes).toEqual((await fill(source, [text({ id: 'y' }, 'Bob')])).bytes);
    expect(next.xml()).toContain('{x} and ');
    expect((await fill(source, [], {}, cache)).bytes).toEqual(source);
  });

  test('includes its placeholders in its memory use', async () => {
    const sizeOf = async (body: string) =>
      (await new TemplateCache(1e9).of().open(templateOf(body))).memoryBytes;
    expect(await sizeOf(p(bare('{x}'.repeat(1000))))).toBeGreaterThan(
      (await sizeOf(p(bare('.x.'.repeat(1000))))) + 100_000,
    );
  });
});
