import { describe, expect, test } from '@jest/globals';
import { openTemplate } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { generatePlaced } from '../../src/generate/generate.ts';
import type { Generation } from '../../src/generation.ts';
import { TemplateRows } from '../../src/rows/template-rows.ts';

const OPTIONS: Generation = {
  timeZone: 'UTC',
  onMissing: 'empty',
  onUnused: 'report',
  syntax: 'auto',
  locale: 'en-GB',
  currency: 'GBP',
};
const nameOf = (place: number) => `\u{F5C0}${place}\u{F5C1}`;
const MARK = /\u{F5C0}(\d+)\u{F5C1}/gu;

const p = (text: string, style = '') =>
  `<w:p><w:r>${style}<w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const bold = '<w:rPr><w:b/></w:rPr>';
const cell = (text: string) => `<w:tc><w:tcPr/>${p(text)}</w:tc>`;
const table = (...cells: string[]) => tableOf(cells);
const tableOf = (...rows: string[][]) =>
  `<w:tbl><w:tblPr/><w:tblGrid/>${rows.map((cells) => `<w:tr>${cells.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`;

const TEMPLATES: Record<string, string> = {
  values:
    p('Dear {name},', bold) + p('{street}') + p('{amount | currency} until {due | date}') + p('{name}{name}'),
  loops:
    p('{name}') +
    table('{#items}{title}', '{price | number(2)}{/items}') +
    p('{#notes}') +
    p('{.}') +
    p('{/notes}'),
  conditions:
    p('{#vip}Dear {name}{/vip}{^vip}Hello {name}{/vip}') + p('{#street}') + p('{street}') + p('{/street}'),
  jinja: p('{{ name|upper }}') + p('{% for item in items %}{{ item.title }} {{ loop.index }}, {% endfor %}'),
};

/** Deterministic choices. */
function dice(seed: number): (sides: number) => number {
  let state = seed + 1;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const TEXTS = [
  'Ada',
  'Zoë & Söhne <GmbH>',
  '',
  '  two  spaces ',
  'משה',
  '{name}',
  '北京',
  'a\nb',
  'x\u00ad',
  '"quoted"',
  '😀 ok',
];

function randomData(seed: number): Json {
  const roll = dice(seed);
  const text = () => TEXTS[roll(TEXTS.length)] ?? '';
  return {
    ...(roll(5) > 0 && { name: text() }),
    ...(roll(3) > 0 && { street: text() }),
    amount: roll(100_000) / 100,
    due: '2026-05-01',
    vip: roll(2) === 0,
    items: Array.from({ length: roll(4) }, () => ({ title: text(), price: roll(9_999) / 100 })),
    notes: Array.from({ length: roll(3) }, text),
  };
}

/** All texts of a document, by part. */
async function partsOf(bytes: Buffer): Promise<Map<string, string>> {
  const { parts } = await openPackage(bytes);
  return new Map(
    [...parts].map(([key, { xml, bytes: content }]) => [key, xml ?? content?.toString('base64') ?? '']),
  );
}

/** The XML with its texts, without the bookmarks of pieces, identifiers of copies, and the difference of quotation marks. */
const plainXml = (xml: string, texts: readonly (string | null)[] = []): string =>
  xml
    .replace(MARK, (_, at) => lined(texts[Number(at)] ?? ''))
    .replace(/<w:bookmarkStart[^>]*"_(?:rows|blocks|table)\d+[ab]"\/><w:bookmarkEnd[^>]*>/g, '')
    .replaceAll('<w:p></w:p>', '<w:p/>')
    .replaceAll('&quot;', '"');

const lined = (text: string): string =>
  text.split('\n').map(escapeXml).join('</w:t><w:br/><w:t xml:space="preserve">');

/** Cuts the pieces out of the text of a form, whose marks stand in their first and last paragraphs. */
function without(xml: string, gone: readonly number[]): string {
  let left = xml;
  for (const number of gone) {
    const [from, to] = ['a', 'b'].map((edge) => left.search(new RegExp(`"_[a-z]+${number}${edge}"`)));
    const element = left.includes(`"_rows${number}a"`) ? 'w:tr' : 'w:p';
    const start = left.lastIndexOf(`<${element}>`, from);
    const end = left.indexOf(`</${element}>`, to) + element.length + 3;
    left = left.slice(0, start) + left.slice(end);
  }
  return left;
}

async function rowsOf(body: string): Promise<TemplateRows> {
  return new TemplateRows(await openTemplate(templateOf(body)), OPTIONS, nameOf);
}

/** Puts rows into their form, and checks that each one that fits is its document. Returns why others do not fit. */
async function expectSame(body: string, data: readonly Json[]): Promise<(string | undefined)[]> {
  const rows = await rowsOf(body);
  const images = Buffer.alloc(0);
  const placed = await Promise.all(data.map((own) => rows.placed({ data: own, images })));
  const there = [...placed.entries()].flatMap(([at, row]) => (row === undefined ? [] : [{ at, row }]));
  const form = await rows.form(
    there.map(({ at }) => ({ data: data[at] ?? null, images })),
    there.map(({ row }) => row.shape),
  );
  if (typeof form === 'string') return data.map(() => form);
  const parts = await partsOf(form.bytes);
  const outcomes = new Map<number, string>();
  for (const [index, { at, row }] of there.entries()) {
    const own = form.rows[index] ?? 'no row';
    outcomes.set(at, typeof own === 'string' ? own : 'fits');
    if (typeof own === 'string') continue;
    const alone = await rows.document({ data: data[at] ?? null, images });
    expect(row.report).toEqual(alone.report);
    for (const [key, xml] of await partsOf(alone.bytes)) {
      const cut = plainXml(without(parts.get(key) ?? '', own.gone), own.texts);
      expect(cut).toBe(plainXml(xml));
    }
  }
  return data.map((_, at) => outcomes.get(at));
}

describe('a form without the pieces that a row lacks', () => {
  test.each(Object.keys(TEMPLATES))('is the document of the row: %s', async (name) => {
    const data = Array.from({ length: 40 }, (_, seed) => randomData(seed));
    const outcomes = await expectSame(TEMPLATES[name] ?? '', data);
    expect(outcomes.filter((outcome) => outcome === 'fits').length).toBeGreaterThan(1);
  });

  test('is one for rows of all lengths', async () => {
    const body =
      p('{name}') +
      tableOf(['Head', ''], ['{#items}{title}', '{price}{/items}'], ['Sum', '{name}']) +
      p('{#vip}') +
      p('Dear {name}') +
      p('{/vip}') +
      p('{#notes}') +
      p('{.}') +
      p('{/notes}') +
      p('end');
    const data = Array.from({ length: 12 }, (_, at) => ({
      name: `Name ${at}`,
      vip: at % 3 === 0,
      items: Array.from({ length: 1 + ((at * 5) % 7) }, (_, item) => ({ title: `t${item}`, price: item })),
      notes: Array.from({ length: at % 4 }, (_, note) => `note ${note}\nsecond line`),
    }));
    expect(await expectSame(body, data)).toEqual(data.map(() => 'fits'));
  });

  test('takes the last copy of a loop that ends its table', async () => {
    const body = tableOf(['Head', ''], ['{#items}{.}', '{/items}']) + p('end');
    const images = Buffer.alloc(0);
    const rows = await rowsOf(p('start') + body);
    const data = [['a', 'b', 'c', 'd'], ['a', 'b'], []];
    const all = data.map((items) => ({ data: { items }, images }));
    const shapes = await Promise.all(all.map(async (row) => (await rows.placed(row))?.shape ?? []));
    const form = await rows.form(all.slice(0, 2), shapes.slice(0, 2));
    expect(form).toMatchObject({ rows: [{ gone: [] }, { texts: ['a', null, null, 'b'] }] });
  });

  test.each([
    [
      'a break is in what it lacks',
      'break',
      p('{#x}') + p('{x}</w:t><w:br w:type="page"/><w:t>') + p('{/x}'),
    ],
    ['it lacks the first paragraph', 'break', p('{#x}') + p('{x}') + p('{/x}') + p('{y}')],
    ['tables meet', 'table', `${table('{y}')}${p('{#x}')}${p('{x}')}${p('{/x}')}${table('b')}`],
    ['its paragraph is empty', 'empty', p('{x}')],
    ['a condition in a paragraph is off', 'inline', p('a {#x}b{/x} c {y}')],
    ['a table has another first row', 'table', tableOf(['{#x}{x}', '{/x}'], ['{y}'])],
    ['a table has another last row', 'table', tableOf(['{y}'], ['{#x}{x}', '{/x}'])],
    [
      'a repeated heading is gone',
      'table',
      tableOf(['{y}'], ['{#x}{x}', '{/x}'], ['end']).replace(
        '<w:tr><w:tc><w:tcPr/><w:p><w:r><w:t xml:space="preserve">{#x}',
        '<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr/><w:p><w:r><w:t xml:space="preserve">{#x}',
      ),
    ],
    [
      'a merged cell is cut',
      'table',
      tableOf(['{y}'], ['{#x}{x}', '{/x}'], ['end']).replaceAll('<w:tcPr/>', '<w:tcPr><w:vMerge/></w:tcPr>'),
    ],
  ])('does not serve a row if %s', async (_what, reason, body) => {
    const data = [
      { x: 'x', y: 'y' },
      { x: '', y: 'y' },
    ];
    const outcomes = await expectSame(
      `${p('start {y}')}${body}${p('end')}`.replace(
        reason === 'break' && !body.includes('w:br') ? p('start {y}') : '\0',
        '',
      ),
      data,
    );
    expect(outcomes).toEqual(['fits', reason]);
  });

  test.each([
    ['markup', p('{x}'), { x: { $html: '<b>x</b>' } }],
    ['a page break', p('{x}'), { x: { $pageBreak: true } }],
    ['a link', p('{x}'), { x: { $link: { text: 'a', href: 'https://example.com' } } }],
  ])('does not exist for %s', async (_what, body, data) => {
    const rows = await rowsOf(body);
    expect(await rows.placed({ data: data as Json, images: Buffer.alloc(0) })).toBeUndefined();
  });

  test('rejects the data that the plain way rejects', async () => {
    const template = await openTemplate(templateOf(p('{#items}{a}{/items}')));
    const options = { ...OPTIONS, onMissing: 'error' as const };
    expect(() => generatePlaced(template, { data: { items: [{}] }, options }, nameOf)).toThrow(
      expect.objectContaining({ code: 'DATA_MISSING' }),
    );
  });
});
