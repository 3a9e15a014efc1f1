import { describe, expect, it, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { inspect } from '../../src/inspect.ts';
import { fromBody, refusal } from './generated.ts';

const line = (text: string) => p(run(text));

describe('data that no mark reads is reported', () => {
  test.each<[text: string, data: Json, unused: string[]]>([
    ['{a}', { a: 1, b: 2, c: { d: 1 } }, ['data.b', 'data.c']],
    ['{a.b}', { a: { b: 1, c: 2 } }, ['data.a.c']],
    ['no marks', { a: 1 }, ['data.a']],
    ['{#xs}{n}{/xs}', { xs: [{ n: 1 }, { n: 2, m: 3 }, { m: 4 }] }, ['data.xs[1].m']],
    ['{#x}{n}{/x}', { x: { n: 1, m: 2 } }, ['data.x.m']],
    ['{% for x in xs %}{{ x.n }}{% endfor %}', { xs: [{ n: 1, m: 2 }] }, ['data.xs[0].m']],
    ['{d.xs[i].n}{d.xs[i+1].n}', { xs: [{ n: 1, m: 2 }] }, ['data.xs[0].m']],
    ['{#a}{#b}{n}{/b}{/a}', { a: [{ b: [{ n: 1 }], c: 1 }] }, ['data.a[0].c']],
  ])('%s', async (text, data, names) => {
    expect((await fromBody(line(text), data)).report.unused).toEqual({ count: names.length, names });
  });
});

describe('data that a mark may read is not', () => {
  test.each<[what: string, text: string, data: Json]>([
    ['in a branch that is not shown', '{#a}{b}{/a}', { a: false, b: 1 }],
    ['as a name that an inner scope lacks', '{#xs}{n} {currency}{/xs}', { xs: [{ n: 1 }], currency: 'EUR' }],
    ['as a condition with properties', '{#vip}yes{/vip}', { vip: { since: 2020 } }],
    ['as a list without its items', '{#xs}x{/xs}', { xs: [{ n: 1 }] }],
    ['as a whole, by a formatter', '{xs | sum:"price"}', { xs: [{ price: 1, no: 2 }] }],
    ['with a name of several words', '{first name} {a.b}', { 'first name': 1, 'a.b': 2 }],
    ['with a computed name', '{a[b]}', { a: { x: 1, y: 2 }, b: 'x' }],
    ['as a value with a kind', '{%logo} {x}', { logo: '', x: { $link: { href: 'https://a.b' } } }],
    ['as the value of the scope', '{#xs}{.}{/xs}', { xs: ['a'] }],
    ['in an argument', '{a | default:b}', { b: 1 }],
    ['in the opposite', '{^a}none{/a}', { a: 1 }],
  ])('%s', async (_, text, data) => {
    expect((await fromBody(line(text), data)).report.unused).toEqual({ count: 0, names: [] });
  });

  it('in merge fields, controls, headings of pictures and notes', async () => {
    const field = `<w:fldSimple w:instr="MERGEFIELD First_Name">${run('x')}</w:fldSimple>`;
    const controls =
      sdt({ id: 1, tag: 'customer.name', alias: 'Name' }, line('x')) +
      sdt({ id: 2, tag: 'items' }, p(sdt({ id: 3, tag: 'item', properties: '<w:text/>' }, run('x'))));
    const data = { 'first name': 'A', Name: 'B', items: [{ item: 1, other: 2 }], more: 1 };
    const { report } = await fromBody(p(field) + controls, data);
    expect(report.unused).toEqual({ count: 2, names: ['data.items[0].other', 'data.more'] });
  });
});

describe('a caller who asks for it', () => {
  it('gets an error that names each unused property', async () => {
    const data = { a: 1, note: 2, xs: [{ n: 1 }] };
    const { code, message, details } = await refusal(line('{a}'), data, { onUnused: 'error' });
    const issue = 'is read by no mark of the template';
    expect({ code, message, details }).toEqual({
      code: 'DATA_UNUSED',
      message: 'The data has 2 properties that no mark of the template reads.',
      details: [
        { field: 'data.note', issue },
        { field: 'data.xs', issue },
      ],
    });
    expect((await fromBody(line('{a}'), { a: 1 }, { onUnused: 'error' })).shown()).toEqual(['1']);
  });

  it('gets what data lacks and what is unused of it, with the marks of the template', async () => {
    const source = templateOf(line('{a} {b | date:"short"}') + line('{#xs}{n}{/xs}'));
    const data: Json = { a: { $image: { source: 'x' } }, note: 2, xs: [{ n: 1 }, { m: 1 }] };
    const { template } = await inspect(source, new TemplateCache(0).of(), data);
    expect(template.data).toEqual({
      unmatched: { count: 2, names: ['data.b', 'data.xs[1].n'] },
      unused: { count: 2, names: ['data.note', 'data.xs[1].m'] },
    });
    const wrong = await inspect(templateOf(line('{#a}')), new TemplateCache(0).of(), data);
    expect(wrong.template).toMatchObject({ issues: [expect.anything()] });
    expect(wrong.template.data).toBeUndefined();
  });
});
