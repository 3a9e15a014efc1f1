import { expect, it, test } from '@jest/globals';
import type { Json } from '@scriptorium/expressions/expression';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));
const xs = [
  { name: 'a', tags: ['p', 'q'] },
  { name: 'b', tags: [] },
];

test.each<[text: string, data: Json, shown: string]>([
  [
    '{{title}}: {{#each xs}}{{@index}}{{name}}{{#if @last}}.{{else}}, {{/if}}{{/each}}',
    { title: 'T', xs },
    'T: 0a, 1b.',
  ],
  [
    '{{#each xs}}{{../title}}{{this.name}}{{#each tags}}[{{this}}]{{else}}-{{/each}}{{/each}}',
    { title: 'T', xs },
    'Ta[p][q]Tb-',
  ],
  ['{{#each xs as |x i|}}{{i}}{{x.name}}{{/each}}', { xs }, '0a1b'],
  ['{{#if a}}A{{else if b}}B{{else}}C{{/if}}', { a: [], b: 1 }, 'B'],
  ['{{#if a}}{{formatDate a "DD/MM/YYYY"}}{{/if}}', { a: '2026-05-30' }, '30/05/2026'],
  ['{{#unless a}}no{{else}}yes{{/unless}} {{! note }}', { a: 0 }, 'no '],
  ['{{#each xs}}{{@root.title}}{{name}}{{/each}}', { title: 'T', xs }, 'TaTb'],
  ['{{#with who}}{{first}} {{last}}{{/with}}', { who: { first: 'Ada', last: 'L' } }, 'Ada L'],
  [
    '{{#if a}}{{today}} {{money total}}{{/if}}',
    { a: true, today: '1 May', 'money total': '5 €' },
    '1 May 5 €',
  ],
  [
    '{{#each xs}}{{#each tags}}{{../../title}}{{../name}}{{this}} {{/each}}{{/each}}',
    { title: 'T', xs },
    'Tap Taq ',
  ],
  ['a {{~#if (and (eq n 3) who/name)~}} {{{who/name}}} {{~/if}}', { n: 3, who: { name: 'Ada' } }, 'aAda'],
  [
    '{{#if a}}{{uppercase a}} {{money total "EUR"}}{{/if}}',
    { a: 'x', 'money(total, "EUR")': '5 €' },
    'X 5 €',
  ],
])('a template of Handlebars is filled: %s', async (text, data, shown) => {
  const filled = await fromBody(line(text), data, { onMissing: 'error' });
  expect(filled.shown()).toEqual([shown]);
});

it('repeats the rows of a table', async () => {
  const cell = (text: string) => `<w:tc><w:tcPr/>${line(text)}</w:tc>`;
  const row = `<w:tr>${cell('{{#each xs}}{{name}}')}${cell('{{@index}}{{/each}}')}</w:tr>`;
  const grid = '<w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>';
  expect((await fromBody(`<w:tbl>${grid}${row}</w:tbl>${p('')}`, { xs })).shown()).toEqual([
    '|a|0|',
    '|b|1|',
    '',
  ]);
});

test.each<[text: string, issue: RegExp]>([
  ['{{#each xs}}{{> row}}{{/each}}', /“\{\{> row\}\}” is not supported/],
  ['{{#if a}}x{{/if}}{{#list xs}}{{/list}}', /The block \{\{#list\}\} is not supported/],
  ['{{#if a}}x', /Unclosed loop/],
  ['{{#if a}}{{{{raw}}}}{{/if}}', /Unclosed tag/],
])('what is not taken is refused by its name: %s', async (text, issue) => {
  const { code, details } = await refusal(line(text), {});
  expect([code, details?.[0]?.issue]).toEqual(['TEMPLATE_INVALID', expect.stringMatching(issue)]);
});

it('needs a list to repeat for', async () => {
  const { code, details } = await refusal(line('{{#each xs}}{{name}}{{/each}}'), { xs: { a: 1 } });
  const issue = 'must be a list, because {{#each xs}} repeats its content for each item';
  expect([code, details]).toEqual(['VALIDATION_ERROR', [{ field: 'data.xs', issue }]]);
});
