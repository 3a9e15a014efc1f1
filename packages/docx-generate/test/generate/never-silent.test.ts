// biome-ignore-all lint/suspicious/noTemplateCurlyInString: marks of templates begin with a dollar sign.
import { describe, expect, it, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { inspect } from '../../src/inspect.ts';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));

describe('a mark that is partly in a control', () => {
  test.each(['{na|me}', '${na|me}', '{{ na|me }}', '{x} {na|me}'])('is refused: %s', async (text) => {
    const [before = '', inside = '', after = ''] = text.split(/(?=\$?\{+ ?na)|\|/);
    const [start, half, rest] = after === '' ? ['', before, inside] : [before, inside, after];
    const body = p((start && run(start)) + sdt({ id: 1, tag: 'c' }, run(half)) + run(rest));
    expect((await refusal(body, { name: 'Ada', x: 1 })).code).toBe('TEMPLATE_INVALID');
  });

  it('is text if it ends in another paragraph', async () => {
    const body = p(run('a {set')) + p(run('b} c')) + line('${x}');
    expect((await fromBody(body, { x: 1 })).shown()).toEqual(['a {set', 'b} c', '1']);
  });
});

test.each<[text: string, data: Json, shown: string]>([
  ['${#userId#} ${name}', { userId: 5, name: 'Ada' }, '5 Ada'],
  ['{#userId#}', { userId: 5 }, '5'],
  ['{{ a }}{#userId#}', { a: 1, userId: 5 }, '1'],
  ['{% for x in xs %}{{ forloop.index }}{{ x }}{% endfor %}', { xs: ['a', 'b'] }, '1a2b'],
])('the delimiters of PHPWord and the position in Liquid are read: %s', async (text, data, shown) => {
  expect((await fromBody(line(text), data)).shown()).toEqual([shown]);
});

describe('a call that the language does not have', () => {
  const text = '{% for c in cs %}{{ c.name.full() }}: {{ c.price|net }}; {% endfor %}{{ today() }}';
  const data = {
    cs: [
      { name: { 'full()': 'Ada' }, 'price|net': 1 },
      { name: { 'full()': 'Bob' }, 'price|net': 2 },
    ],
    'today()': '1 May',
  };

  it('is looked up by its text in the data, and in the schema with that name', async () => {
    const { shown, report } = await fromBody(line(text), data, { onMissing: 'error', onUnused: 'error' });
    expect([shown(), report.filled]).toEqual([['Ada: 1; Bob: 2; 1 May'], 5]);
    const { template } = await inspect(templateOf(line(text)), new TemplateCache(0).of());
    const value = { type: ['string', 'number', 'boolean', 'object', 'null'] };
    const properties = {
      name: { type: 'object', properties: { 'full()': value } },
      'price|net': value,
    };
    expect(template.schema.properties).toEqual({
      cs: { type: 'array', items: { type: 'object', properties } },
      'today()': value,
    });
  });

  it('is missing like any other value', async () => {
    const { code, details } = await refusal(line(text), { cs: [{ price: 1 }] }, { onMissing: 'error' });
    const fields = details?.map(({ field }) => field);
    expect([code, fields]).toEqual([
      'DATA_MISSING',
      ['data.cs[0].name["full()"]', 'data.cs[0]["price|net"]', 'data["today()"]'],
    ]);
  });
});
