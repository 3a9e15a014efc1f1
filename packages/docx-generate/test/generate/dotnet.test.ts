import { expect, it, test } from '@jest/globals';
import type { Json } from '@scriptorium/expressions/expression';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));
const ds = {
  name: 'Ada',
  day: '2026-03-02T15:04:00Z',
  price: 1234.5,
  tags: ['p', 'q', 'r'],
  items: [
    { name: 'a', isMajor: true, parts: [{ no: 1 }, { no: 2 }] },
    { name: 'b', isMajor: false, parts: [] },
  ],
};

test.each<[text: string, shown: string]>([
  ['{{ds.Name}:toupper} {{ds.name}:ToLower()}', 'ADA ada'],
  [
    '{{ds.price}:f(n2)} {{ds.price}:format(F1)} {{ds.price}:f(#,##0.00)} {{(ds.price * 2)}:f(c)}',
    '1,234.50 1234.5 1,234.50 €2,469.00',
  ],
  ['{{ds.day}:f(d)} {{ds.day}:f(HH:mm)} {{ds.day}:Format(‘dd.MM.yyyy’)}', '03/02/2026 15:04 02.03.2026'],
  ['{{#ds.items}}{{.name}}{{ds.Items.isMajor}}{{items._Idx}} {{/}}', 'atrue1 bfalse2 '],
  ['{{#ds.tags}}{{.}}{{:s:}}, {{/ds.tags}}.', 'p, q, r.'],
  ['{{#ds.items}}{{#.parts}}{{..name}}{{.no}} {{/.parts}}{{/ds.items}}', 'a1 a2 '],
  ['{{#ds.items}}{?{.isMajor}}{{.name}}{{:}}-{{/}}{{/ds.items}}', 'a-'],
  ['{?{ds.items.Count > 1 && ds.Name.Contains("d")}}yes{{:}}no{{/}}', 'yes'],
  ['{{(ds.Other?.ToString() ?? "N/A")}}', 'N/A'],
  ['{{ds.text}:md}{{:break}}', 'bold\v'],
])('a template of DocxTemplater for .NET is filled: %s', async (text, shown) => {
  const data: Json = { ds: { ...ds, text: '**bold**' } };
  const filled = await fromBody(line(text), data, { onMissing: 'error', currency: 'EUR' });
  expect(
    filled
      .shown()
      .filter((block) => block !== '')
      .join(''),
  ).toBe(shown);
});

it('a missing list is missing, and a name that is no number or date stays as it is', async () => {
  const { shown, report } = await fromBody(line('{{ds.name}:f(n2)}{{#ds.lines}}{{.x}}{{/}}'), { ds });
  expect([shown(), report.unmatched.names]).toEqual([['Ada'], ['data.ds.lines']]);
});

test.each<[text: string, issue: RegExp]>([
  ['{{#case: 1}}x{{/}}', /^A case must stand in a switch/],
  ['{{ds}:template(a, tr)}', /^The formatter “template” is not supported/],
  ['{{:ignore}}x', /^\{\{:ignore\}\} is not supported/],
  ['{?{a}}x', /^Unclosed loop/],
  ['{{#xs}}{{#ys}}{{xs._Idx}}{{/}}{{:s:}}{{/}}', /^The position in an outer loop is not supported/],
])('what is not taken is refused by its name: %s', async (text, issue) => {
  const { code, details } = await refusal(line(text), {});
  expect([code, details?.[0]?.issue]).toEqual(['TEMPLATE_INVALID', expect.stringMatching(issue)]);
});
