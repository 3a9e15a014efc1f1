import { describe, expect, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import type { Generation } from '../../src/generation.ts';
import { inspect } from '../../src/inspect.ts';
import { fromBody, refusal } from './generated.ts';

const tagsIn = (xml: string) => Array.from(xml.matchAll(/<w:tag w:val="([^"]*)"\/>/g), ([, tag]) => tag);

/** The tags of the controls that stand for fields after a template with these texts is filled. */
async function tagsOf(
  texts: readonly string[],
  data: Parameters<typeof fromBody>[1] = { a: 'x', xs: [1, 2] },
  options: Partial<Generation> = {},
) {
  const { xml, report } = await fromBody(texts.map((text) => p(run(text))).join(''), data, options);
  expect(report.unmatched.count).toBe(0);
  expect(xml()).not.toMatch(/[{}]|\+\+\+/);
  return tagsIn(xml());
}

const SIZED = 'sign:tenant width=170pt height=57pt';

describe('a mark of a signer is the place of a field in each language', () => {
  test.each<[language: string, texts: string[], options?: Partial<Generation>]>([
    ['of docxtemplater', ['{#xs}{.}{/xs}', '{sign:tenant width=60mm height=20mm}']],
    ['of docxtpl', ['{% for x in xs %}{{ x }}{% endfor %}', '{{sign:tenant width=60mm height=20mm}}']],
    ['of docxtpl, with spaces', ['{{ a }}', '{{ sign:tenant  height=20mm width="60mm" }}']],
    ['of poi-tl', ['{{a}}{{?a}}y{{/a}}', '{{sign:tenant width=60mm height=20mm}}']],
    ['of Carbone', ['{d.a:upperCase}', '{sign:tenant width=60mm height=20mm}']],
    ['of docx-templates', ['+++INS a+++', '+++sign:tenant width=60mm height=20mm+++']],
    ['of Handlebars', ['{{#if a}}y{{/if}}', '{{sign:tenant width=60mm height=20mm}}']],
    [
      'of PHPWord',
      ['$', '$'].map((sign, at) => `${sign}{${at === 0 ? 'a' : 'sign:tenant width=60mm height=20mm'}}`),
    ],
    ['of own delimiters', ['[[a]]', '[[sign:tenant width=60mm height=20mm]]'], { delimiters: ['[[', ']]'] }],
    ['alone in double braces', ['{{sign:tenant width=60mm height=20mm}}']],
    ['alone in single braces', ['{sign:tenant width=60mm height=20mm}']],
    ['of a named language', ['{{a}}', '{{sign:tenant width=60mm height=20mm}}'], { syntax: 'jinja' }],
  ])('%s', async (_language, texts, options = {}) => {
    expect(await tagsOf(texts, undefined, options)).toEqual([SIZED]);
  });

  test('of other fields, and in loops', async () => {
    expect(
      await tagsOf([
        '{#xs}',
        'On {date:tenant}, {name:tenant}: {sign:tenant} {initials:a} {text:a}',
        '{/xs}',
      ]),
    ).toEqual(Array(2).fill(['date:tenant', 'name:tenant', 'sign:tenant', 'initials:a', 'text:a']).flat());
  });
});

test('data may name the place of a field', async () => {
  const data = { a: { $signature: { field: 'tenant', width: '60mm', height: '20mm' } }, xs: [] };
  expect(await tagsOf(['Signed: {a}'], data)).toEqual([SIZED]);
  const date = { a: { $signature: { field: 'tenant', kind: 'date' } } };
  expect(await tagsOf(['{{a}}'], date)).toEqual(['date:tenant']);
});

test.each([
  [{ field: 'a.b' }, 'data.a.$signature.field', 'must have 1 to 28 letters, digits, hyphens and underscores'],
  [
    { field: 'x'.repeat(300) },
    'data.a.$signature.field',
    'must have 1 to 28 letters, digits, hyphens and underscores',
  ],
  [{ field: 'a', width: '6 inches' }, 'data.a.$signature.width', 'must be a size such as `60mm` or `40pt`'],
  [{ field: 'a', height: '1pt' }, 'data.a.$signature.height', 'must be from 4pt to 2400pt'],
  [{ field: 'a', size: 1 }, 'data.a.$signature.size', 'is unknown'],
])('data with a mistake %j is refused by its path', async ($signature, field, issue) => {
  expect(await refusal(p(run('{a}')), { a: { $signature } })).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field, issue }],
  });
});

test.each([
  ['{{sign:}}', /role/],
  [`{{sign:${'x'.repeat(300)}}}`, /role/],
  ['{{sign:a.b}}', /role/],
  ['{{sign:a wide}}', /“wide” must be a size/],
  ['{{sign:a width=9999mm}}', /from 4pt to 2400pt/],
])('the mark %s is a mistake of the template', async (mark, issue) => {
  expect(await refusal(p(run(mark)), {})).toMatchObject({
    code: 'TEMPLATE_INVALID',
    details: [{ issue: expect.stringMatching(issue) }],
  });
});

test('a control that is tagged for a signer needs no data, and an inspection names both', async () => {
  const body = p(sdt({ id: 7, tag: 'sign:landlord' }, run('sign here'))) + p(run('{{sign:tenant}}'));
  const { xml, report } = await fromBody(body, {}, { onMissing: 'error' });
  expect(tagsIn(xml())).toEqual(['sign:landlord', 'sign:tenant']);
  expect(report.unmatched.count).toBe(0);
  const { template } = await inspect(templateOf(body), new TemplateCache(0).of());
  expect(template.tags).toMatchObject([{ kind: 'signature', written: '{{sign:tenant}}' }]);
});
