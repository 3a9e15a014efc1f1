import { describe, expect, it } from '@jest/globals';
import { annotate } from '@scriptorium/docx-template/annotate';
import type { FieldValueInput } from '@scriptorium/docx-template/fields';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { testInWhole } from '@scriptorium/testing/extent';
import { bare, p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { randomNumbers } from '@scriptorium/testing/random';
import { generate } from '../../src/generate/generate.ts';
import type { TemplateRow, TemplateRows } from '../../src/rows/template-rows.ts';
import { around, dataRow, fieldsRow, formOf, partsOf, placeText, rowsOf, textsOf } from './rows-of.ts';

const SEEDS = 150;
const ROWS = 8;
const GENERATION = { timeZone: 'UTC', onMissing: 'empty', onUnused: 'report', syntax: 'auto' } as const;

const cell = (content: string) => `<w:tc><w:tcPr><w:tcW w:w="100" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
const table = (...cells: string[]) => `<w:tbl><w:tr>${cells.map(cell).join('')}</w:tr></w:tbl>`;
const mergeField = (name: string) =>
  ['begin', ` MERGEFIELD ${name} `, 'separate', `«${name}»`, 'end']
    .map((what, at) =>
      at === 1
        ? `<w:r><w:instrText>${what}</w:instrText></w:r>`
        : at === 3
          ? run(what, '<w:i/>')
          : `<w:r><w:fldChar w:fldCharType="${what}"/></w:r>`,
    )
    .join('');

/** A body, header and footer of random pieces, of which each may show a value. */
function randomTemplate(next: (below: number) => number): Buffer {
  const names = ['name', 'a.b', 'first name', 'amount', 'flag', 'none'];
  const marks = (name: string) => [`{${name}}`, `{${name}}, {${name}}`, `x{${name}}y {name | upper}`];
  const style = () => ['', '<w:b/>', '<w:sz w:val="40"/>', '<w:rFonts w:ascii="Arial"/>'][next(4)];
  const inline = (): string => {
    const name = names[next(names.length)] ?? '';
    const written = marks(name)[next(3)] ?? '';
    const at = 1 + next(written.length - 1);
    return [
      () => run('Some text '),
      () => run(written, style()),
      () => bare(written, style()),
      () => run(written.slice(0, at), style()) + run(written.slice(at), style()),
      () => mergeField(name.replace(' ', '_')),
      () => `<w:bookmarkStart w:id="1" w:name="m"/>${run(written)}<w:bookmarkEnd w:id="1"/>`,
    ][next(6)]?.() as string;
  };
  const paragraph = () => p(Array.from({ length: 1 + next(3) }, inline).join(''));
  const block = () => [paragraph, paragraph, () => table(paragraph(), paragraph())][next(3)]?.() ?? '';
  const blocks = () => Array.from({ length: 1 + next(4) }, block).join('');
  return templateOf(`${blocks()}${p('')}`, around(blocks() + p(''), paragraph()));
}

const TEXTS = ['Ada', '', ' two  spaces ', '<&>"\'', 'Zoë – “x”', '日本', '😀', '{name}', '{#x}', '0'];

function randomText(next: (below: number) => number): string {
  const unusual = ['a\nb', 'a\tb', 'a\vb', '\u00AD', 'a\u200Bb', placeText(0), 'שלום', '\uFFFC'];
  return next(12) === 0 ? (unusual[next(unusual.length)] ?? '') : (TEXTS[next(TEXTS.length)] ?? '');
}

function randomData(next: (below: number) => number): Json {
  const value = (): Json =>
    [randomText(next), randomText(next), next(1e6) / 100, next(2) === 0, null][next(5)] ?? null;
  const data: Record<string, Json> = {
    name: value(),
    a: { b: value() },
    'first name': value(),
    amount: value(),
    flag: value(),
  };
  for (const name of Object.keys(data)) if (next(15) === 0) delete data[name];
  if (next(20) === 0) data.name = ['a', 'list'];
  return data;
}

/** Checks that a row of a form is what the row is alone. Returns whether the row is one of the form. */
async function isSame(rows: TemplateRows, row: TemplateRow): Promise<boolean> {
  const form = await formOf(rows, row);
  if (form === undefined) return false;
  const alone = await rows.document(row);
  expect(form.report).toEqual(alone.report);
  expect(await partsOf(form.bytes, form.texts)).toEqual(await partsOf(alone.bytes));
  return true;
}

describe('a row of data', () => {
  testInWhole('becomes the document that it becomes alone, with the same report', async () => {
    let count = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const next = randomNumbers(seed);
      const source = randomTemplate(next);
      const onMissing = (['empty', 'error', 'keep'] as const)[next(3)] ?? 'empty';
      const rows = await rowsOf(source, { onMissing });
      for (let at = 0; at < ROWS; at++) if (await isSame(rows, dataRow(randomData(next)))) count++;
    }
    expect(count).toBeGreaterThan(SEEDS);
  });

  it('has the bytes of `generate` if it is made alone', async () => {
    const source = templateOf(p(run('Dear {name}, {#items}{.}{/items}')));
    const rows = await rowsOf(source);
    const all: Json[] = [{ name: 'Ada', items: [1, 2] }, {}, { name: '<' }];
    for (const data of all) {
      const single = await generate(
        { source, data, images: Buffer.alloc(0), options: GENERATION },
        new TemplateCache(0).of(),
      );
      expect(await rows.document(dataRow(data))).toEqual(single);
    }
  });

  it('uses the formats of the options', async () => {
    const rows = await rowsOf(templateOf(p(run('{amount | number(2)} {day | date("long")}'))), {
      locale: 'de-DE',
    });
    const row = dataRow({ amount: 1234.5, day: '2026-01-02' });
    expect(await isSame(rows, row)).toBe(true);
    expect(await textsOf(rows, row)).toEqual(['1.234,50', '2. Januar 2026']);
  });
});

describe('a row of fields', () => {
  const source = templateOf(
    p(run('Dear {name}, {name} of ') + mergeField('city')) +
      p(sdt({ tag: 'office', properties: '<w:text/>' }, run('prompt', '<w:b/>'))) +
      sdt({ tag: 'note' }, p(run('x'))),
    around(p(run('{{city}}'))),
  );
  const fields = (...values: string[]): FieldValueInput[] =>
    ['name', 'city', 'office', 'note', 'unknown'].map((id, at) => ({
      id,
      type: 'text',
      value: values[at] ?? 'x',
    }));

  it('becomes the document that it becomes alone, with the same report', async () => {
    const rows = await rowsOf(source);
    let count = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const next = randomNumbers(seed);
      const texts = Array.from({ length: 5 }, () => randomText(next));
      if (await isSame(rows, fieldsRow(fields(...texts)))) count++;
    }
    expect(count).toBeGreaterThan(10);
    const placed = await rows.placed(fieldsRow(fields('A', 'B', 'C', 'D')));
    expect(placed?.report.unmatched.names).toEqual(['fields[4]']);
  });

  it('shares a form only with rows that have the same fields and options', async () => {
    const rows = await rowsOf(source);
    const plain = fields('A', 'B', 'C', 'D');
    const others = [
      plain,
      fields('C', 'D', 'E', 'F'),
      plain.slice(1),
      plain.toReversed(),
      plain.map((field) => ({ ...field, options: { keepTextNodeStyles: false } }) as FieldValueInput),
    ];
    const keys = [];
    for (const own of others) keys.push((await rows.placed(fieldsRow(own)))?.shape[0]?.[1]);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(keys.length - 1);
  });

  it('has the bytes of `annotate` if it is made alone', async () => {
    const row = fieldsRow(fields('Ada', 'a\nb'));
    const own = 'fields' in row ? row.fields : [];
    const options = { onMissing: 'ignore', flatten: false } as const;
    const single = await annotate(
      { source, fields: own, images: Buffer.alloc(0), options },
      new TemplateCache(0).of(),
    );
    expect((await (await rowsOf(source)).document(row)).bytes).toEqual(single.bytes);
  });

  it('needs a document of its own if a field is not a text, or has a text with rules', async () => {
    const choice = '<w:dropDownList><w:listItem w:displayText="A" w:value="A"/></w:dropDownList>';
    const ruled = [choice, '<w:date/>', '<w14:checkbox/>', '<w:comboBox/>'];
    for (const properties of ruled) {
      const rows = await rowsOf(templateOf(p(sdt({ tag: 'name', properties }, run('A')))));
      const value = properties.includes('checkbox') ? 'true' : 'A';
      expect(await formOf(rows, fieldsRow([{ id: 'name', type: 'text', value }]))).toBeUndefined();
    }
    const html = await rowsOf(
      templateOf(p(sdt({ tag: { name: 'n', fieldTypeShort: 'html' }, alias: 'n' }, run('x')))),
    );
    expect(await formOf(html, fieldsRow([{ id: 'n', type: 'text', value: 'x' }]))).toBeUndefined();
    const rows = await rowsOf(source);
    expect(await formOf(rows, fieldsRow([{ id: 'note', type: 'table', value: [['a']] }]))).toBeUndefined();
  });
});
