import { describe, expect, it } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));
const cell = (text: string) => `<w:tc><w:tcPr/>${line(text)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
const table = (...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>${rows.join('')}</w:tbl>`;
const DATA = {
  a: { b: 'B' },
  c: true,
  none: false,
  price: 1234.5,
  xs: [
    { name: 'one', ys: ['p', 'q'] },
    { name: 'two', ys: [] },
  ],
};

/** A template in each language, and what it shows with the same data. */
const TEMPLATES: readonly (readonly [
  language: string,
  construct: string,
  body: string,
  shown: readonly string[],
])[] = [
  [
    'curly',
    'a value, a formatter and a position',
    line('{a.b} {a.b | lower}{#xs} {$index}{name}{/xs}'),
    ['B b 0one 1two'],
  ],
  [
    'poi-tl',
    'a block of PHPWord',
    line(`\${price}\${xs} \${name}\${/xs}\${?c} yes\${/c}`),
    ['1234.5 one two yes'],
  ],
  ['curly', 'a field of Salesforce', line('{!a.b} {#c}{!price}{/c}'), ['B 1234.5']],
  ['curly', 'a comment', line('{{#c}}{{! not shown }}{{a.b}}{{/c}}'), ['B']],
  ['poi-tl', 'a comment', line('{{?c}}{{! not shown }}{{a.b}}{{/c}}'), ['B']],
  [
    'jinja',
    'a comment of Mustache, and a character',
    line('{{! not shown }}{{ a.b[0] }}{{ xs[0].name[-1] }}'),
    ['Be'],
  ],
  [
    'curly',
    'a condition and its opposite',
    line('{#c}yes{/c}{^c}no{/c}{#none}yes{/none}{^none}no{/none}'),
    ['yesno'],
  ],
  ['curly', 'a loop over the cell', table(row('{-w:tc xs}{name}{/xs}', 'x')), ['|one|two|x|']],
  ['curly', 'a loop over the paragraph', line('{-w:p xs}- {name}{/xs}'), ['- one', '- two']],
  [
    'curly',
    'a loop over the column',
    table(row('{#xs [loopOver: "column"]}{name}', 'x'), row('{name}{/xs}', 'y')),
    ['|one|two|x|', '|one|two|y|'],
  ],
  [
    'jinja',
    'a value, a filter and a position',
    line('{{ a.b }} {{ a.b|lower }}{% for x in xs %} {{ loop.index }}{{ x.name }}{% endfor %}'),
    ['B b 1one 2two'],
  ],
  [
    'jinja',
    'branches',
    line('{% if none %}1{% elif c %}2{% else %}3{% endif %}{% if none %}1{% else %}3{% endif %}'),
    ['23'],
  ],
  [
    'jinja',
    'rows of a loop',
    table(
      row('{%tr for x in xs %}', ''),
      row('{{ x.name }}', '{{ x.ys|length }}'),
      row('{%tr endfor %}', ''),
    ),
    ['|one|2|', '|two|0|'],
  ],
  [
    'jinja',
    'cells of a loop',
    table(row('{%tc for x in xs %}', '{{ x.name }}').replace('</w:tr>', `${cell('{%tc endfor %}')}</w:tr>`)),
    ['|one|two|'],
  ],
  [
    'jinja',
    'paragraphs of a loop',
    line('{%p for x in xs %}') + line('{{ x.name }}') + line('{%p endfor %}'),
    ['one', 'two'],
  ],
  [
    'jinja',
    'a comment that takes its row along',
    table(row('{#tr gone #}', 'gone'), row('stays', '{{ a.b }}')),
    ['|stays|B|'],
  ],
  [
    'poi-tl',
    'a section, an item and a position',
    line('{{?xs}}{{_index}}{{name}} {{/xs}}{{?none}}no{{/none}}{{a.b}}'),
    ['0one 1two B'],
  ],
  [
    'poi-tl',
    'a row of names after the row of its list',
    table(row('{{xs}}', 'n'), row('[name]', '[name]')),
    ['||n|', '|one|one|', '|two|two|'],
  ],
  [
    'Carbone',
    'rows from [i] to [i+1]',
    table(row('{d.xs[i].name}', '{d.a.b:lowerCase}'), row('{d.xs[i+1].name}', '')),
    ['|one|b|', '|two|b|'],
  ],
  [
    'Carbone',
    'nested lists',
    line('{d.xs[i].name}:') + line('{d.xs[i].ys[j]}') + line('{d.xs[i].ys[j+1]}') + line('{d.xs[i+1].name}'),
    ['one:', 'p', 'q', 'two:'],
  ],
  [
    'Carbone',
    'a block that is shown or hidden',
    line('{d.c:showBegin}yes{d.c:showEnd}{d.c:hideBegin}no{d.c:hideEnd} {d.price:ifGT(1000):show(much)}'),
    ['yes much'],
  ],
  [
    'docx-templates',
    'commands in braces',
    line('{INS a.b} {FOR x IN xs}{$idx}{$x.name} {END-FOR x}{IF c}yes{END-IF}'),
    ['B 0one 1two yes'],
  ],
  [
    'docx-templates',
    'rows between rows of commands',
    table(row('+++FOR x IN xs+++', ''), row('+++$x.name+++', ''), row('+++END-FOR x+++', '')),
    ['|one||', '|two||'],
  ],
];

describe('a template', () => {
  it.each(TEMPLATES)('of %s shows %s', async (_language, _construct, body, shown) => {
    const { shown: found } = await fromBody(body, DATA);
    expect(found()).toEqual(shown);
  });

  it('formats numbers and dates in the language of the request', async () => {
    const body = line('{price | number(2)} {price | currency("EUR")} {day | date("long")}');
    const data = { ...DATA, day: '2026-11-23' };
    expect((await fromBody(body, data, { locale: 'de-DE' })).shown()).toEqual([
      '1.234,50 1.234,50\u00a0€ 23. November 2026',
    ]);
    expect((await fromBody(body, data, { locale: 'en-US' })).shown()).toEqual([
      '1,234.50 €1,234.50 November 23, 2026',
    ]);
  });
});

describe('data that do not suit a template', () => {
  it('are reported with the path of each value', async () => {
    const body = line('{a}') + line('{xs}') + line('{price | date}') + line('{#xs}{ys.name}{/xs}');
    const { code, details } = await refusal(body, DATA);
    expect(code).toBe('VALIDATION_ERROR');
    expect(details?.map(({ field }) => field)).toEqual([
      'data.a',
      'data.xs',
      'data.price',
      'data.xs[0].ys',
      'data.xs[1].ys',
    ]);
  });

  it('are reported as missing, each path once, if the request asks for it', async () => {
    const { code, details } = await refusal(line('{x.y}{x.y}{z}{a.b}'), DATA, { onMissing: 'error' });
    expect(code).toBe('DATA_MISSING');
    expect(details).toEqual([
      { field: 'data.x.y', issue: 'is missing' },
      { field: 'data.z', issue: 'is missing' },
    ]);
  });

  it('are never read through prototypes', async () => {
    const { shown, report } = await fromBody(line('{constructor}{a.__proto__}{a.toString}|'), DATA);
    expect(shown()).toEqual(['|']);
    expect(report.unmatched.count).toBe(3);
  });
});

describe('a list and a table of poi-tl', () => {
  it('are written as paragraphs of a list and as rows', async () => {
    const body = line('{{*tags}}') + line('{{#rows}}') + line('{{#prices}}') + line('{{name}}');
    const data = {
      name: 'n',
      tags: ['a', '<b>'],
      rows: [
        ['p', 1],
        ['q', null],
      ],
      prices: { header: ['Name', 'Price'], rows: [['Pen', 2]] },
    };
    const { shown, xml, report } = await fromBody(body, data, { onUnused: 'error' });
    expect(shown().filter((block) => block !== '')).toEqual([
      ...['a', '<b>', '|p|1|', '|q||', '|Name|Price|', '|Pen|2|', 'n'],
    ]);
    expect(xml().match(/<w:numPr>/g)).toHaveLength(2);
    expect(report.unmatched.count).toBe(0);
  });

  it('take nothing but texts, and are missing without a value', async () => {
    const error = await refusal(line('{{*tags}}') + line('{{#rows}}'), { tags: [{ a: 1 }], rows: { a: 1 } });
    expect(error.details).toEqual([
      { field: 'data.tags[0]', issue: 'must be a text' },
      { field: 'data.rows.rows', issue: 'must be a list of rows, because its mark shows a table' },
    ]);
    const { report } = await fromBody(line('{{*tags}}') + line('{{#rows}}'), {});
    expect(report.unmatched.names).toEqual(['data.tags', 'data.rows']);
  });
});

describe('a condition of Carbone', () => {
  const cell = (text: string) => `<w:tc><w:tcPr/>${line(text)}</w:tc>`;
  const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
  const table = (...rows: string[]) =>
    `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>${rows.join('')}</w:tbl>`;

  it('drops and keeps paragraphs and tables', async () => {
    const body =
      line('a{d.x:ifEM:drop(p)}') +
      line('b{d.x:ifEQ(1):keep(p)}') +
      table(row('c', '{d.x:ifEM:drop(table)}')) +
      line('z');
    expect((await fromBody(body, { x: 1 })).shown()).toEqual(['a', 'b', '|c||', 'z']);
    expect((await fromBody(body, { x: null })).shown()).toEqual(['z']);
  });

  it('of an item is in the loop over its list', async () => {
    const { details } = await refusal(line('{d.xs[i].b:ifEQ(0):drop(p)}'), { xs: [] });
    expect(details?.[0]?.issue).toMatch(/^It is not in the loop over its list/);
  });

  it('drops rows of a list', async () => {
    const rows = [row('{d.xs[i].a}', '{d.xs[i].b}{d.xs[i].b:ifEQ(0):drop(row)}'), row('{d.xs[i+1].a}', '')];
    const xs = [
      { a: 'p', b: 1 },
      { a: 'q', b: 0 },
      { a: 'r', b: 2 },
    ];
    expect((await fromBody(table(...rows) + p(''), { xs })).shown()).toEqual(['|p|1|', '|r|2|', '']);
  });
});
