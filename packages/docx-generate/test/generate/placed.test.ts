import { describe, expect, test } from '@jest/globals';
import { openTemplate, TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { generate, generatePlaced } from '../../src/generate/generate.ts';
import type { Generation } from '../../src/generation.ts';

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
const table = (...cells: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid/><w:tr>${cells.map(cell).join('')}</w:tr></w:tbl>`;

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

/** In text, a quotation mark may be written in two ways. */
const quotesIn = (xml: string): string => xml.replaceAll('&quot;', '"');

async function expectSame(source: Buffer, data: Json): Promise<string | undefined> {
  const plain = await generate(
    { source, data, images: Buffer.alloc(0), options: OPTIONS },
    new TemplateCache(0).of(),
  );
  const placed = generatePlaced(await openTemplate(source), { data, options: OPTIONS }, nameOf);
  if (placed === undefined) return undefined;
  expect(placed.report).toEqual(plain.report);
  const form = await partsOf(placed.build());
  const expected = await partsOf(plain.bytes);
  expect([...form.keys()]).toEqual([...expected.keys()]);
  for (const [key, xml] of form) {
    const filled = xml.replace(MARK, (_, at) => escapeXml(placed.texts[Number(at)] ?? ''));
    expect(quotesIn(filled)).toBe(quotesIn(expected.get(key) ?? ''));
  }
  const places = [...form.values()].flatMap((xml) => [...xml.matchAll(MARK)].map(([, at]) => Number(at)));
  expect(places.sort((one, other) => one - other)).toEqual(placed.texts.map((_, at) => at));
  return placed.key;
}

describe('a document with its texts in places', () => {
  test.each(Object.keys(TEMPLATES))('is the plain document with marks: %s', async (name) => {
    const source = templateOf(TEMPLATES[name] ?? '');
    const keys = new Set<string | undefined>();
    for (let seed = 0; seed < 60; seed++) keys.add(await expectSame(source, randomData(seed)));
    expect(keys.has(undefined)).toBe(false);
    expect(keys.size).toBeGreaterThan(1);
  });

  test('has the same key for data of the same shape', async () => {
    const source = templateOf(TEMPLATES.loops ?? '');
    const dataOf = (name: string, count: number): Json => ({
      name,
      items: Array.from({ length: count }, (_, at) => ({ title: `${name} ${at}`, price: at })),
      notes: [name],
    });
    const keyOf = (name: string, count: number) => expectSame(source, dataOf(name, count));
    expect(await keyOf('Ada', 3)).toBe(await keyOf('Grace', 3));
    expect(await keyOf('Ada', 3)).not.toBe(await keyOf('Ada', 4));
  });

  test.each([
    ['markup', p('{x}'), { x: { $html: '<b>x</b>' } }],
    ['a page break', p('{x}'), { x: { $pageBreak: true } }],
    ['a link', p('{x}'), { x: { $link: { text: 'a', href: 'https://example.com' } } }],
  ])('does not exist for %s', async (_what, body, data) => {
    const template = await openTemplate(templateOf(body));
    expect(generatePlaced(template, { data: data as Json, options: OPTIONS }, nameOf)).toBeUndefined();
  });

  test('rejects the data that the plain way rejects', async () => {
    const template = await openTemplate(templateOf(p('{#items}{a}{/items}')));
    const options = { ...OPTIONS, onMissing: 'error' as const };
    expect(() => generatePlaced(template, { data: { items: [{}] }, options }, nameOf)).toThrow(
      expect.objectContaining({ code: 'DATA_MISSING' }),
    );
  });
});
