// biome-ignore-all lint/suspicious/noTemplateCurlyInString: marks of templates begin with a dollar sign.
import { describe, expect, it, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { IMAGES } from '@scriptorium/testing/fixtures/images';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { inspect } from '../../src/inspect.ts';
import { fromBody, generated, refusal } from './generated.ts';

const line = (text: string) => p(run(text));
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';

/** A run with a picture. */
function pictureRun(description: string, id: string): string {
  const shape = `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9525" cy="9525"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>`;
  const fill = `<pic:blipFill><a:blip r:embed="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`;
  const names = '<pic:nvPicPr><pic:cNvPr id="1" name="a"/><pic:cNvPicPr/></pic:nvPicPr>';
  const content = `<pic:pic xmlns:pic="${DRAWING}/picture">${names}${fill}${shape}</pic:pic>`;
  const graphic = `<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture">${content}</a:graphicData></a:graphic>`;
  const own = `<wp:extent cx="9525" cy="9525"/><wp:docPr id="1" name="a" descr="${description}"/>`;
  return `<w:r><w:drawing><wp:inline>${own}${graphic}</wp:inline></w:drawing></w:r>`;
}

describe('a mark that is partly in a control', () => {
  test.each([
    '{na|me}',
    '${na|me}',
    '{{ na|me }}',
    '{x} {na|me}',
    '{na|me > 2 ? "a" : "b"}',
    '{d.na|me:upperCase}',
  ])('is refused: %s', async (text) => {
    const [before = '', inside = '', after = ''] = text.split(/(?=\$?\{+ ?(?:d\.)?na)|\|/);
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
    const value = { type: ['string', 'number'] };
    const properties = {
      name: { type: 'object', properties: { 'full()': value } },
      'price|net': value,
    };
    expect(template.schema.properties).toMatchObject({
      cs: { type: 'array', items: { type: 'object', properties } },
      'today()': value,
    });
  });

  test.each<[text: string, missing: string[]]>([
    ['{% if p.is_adult() %}a{% else %}b{% endif %}', ['data.p["is_adult()"]']],
    ['{{ "a" if f(1) > 2 else "b" }}{% if p %}{% endif %}', ['data["f(1)"]']],
    ['{% if f() is defined or g() or p %}{{ h()|default("x") }}{% endif %}', []],
    ['{{ p.xs.shuffled() }}', ['data.p.xs["shuffled()"]']],
  ])('is missing in a condition, unless the template says what stands for it: %s', async (mark, missing) => {
    const { report } = await fromBody(line(mark), { p: { name: 'Ada', xs: ['a'] } });
    expect(report.unmatched.names).toEqual(missing);
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

describe('a picture with a picture mark as its alternative text', () => {
  const PNG = IMAGES.PNG(2, 2, [255, 0, 0]);
  const picture = (mark: string) =>
    templateOf(p(run('Logo: ') + pictureRun(mark, 'rIdP')), {
      links: [{ id: 'rIdP', kind: 'image', target: 'media/a.png' }],
      parts: [{ name: 'word/media/a.png', data: PNG }],
    });

  test.each<[Json]>([[{}], [{ logo: null }], [{ logo: '' }], [{ logo: { $image: { source: null } } }]])(
    'goes without a value: %j',
    async (data) => {
      expect((await generated(picture('{%logo}'), data)).xml()).not.toContain('<w:drawing>');
      expect((await generated(picture('{d.logo}'), data)).xml()).not.toContain('<w:drawing>');
    },
  );

  it('stays with onMissing=keep, and takes an image', async () => {
    const kept = await generated(picture('{%logo}'), {}, { onMissing: 'keep' });
    expect(kept.xml()).toContain('<w:drawing>');
    const logo = `data:image/png;base64,${IMAGES.PNG(3, 3, [0, 0, 255]).toString('base64')}`;
    expect((await generated(picture('{%logo}'), { logo })).xml()).toContain('<w:drawing>');
  });

  it('takes nothing but an image', async () => {
    const filled = generated(picture('{%logo}'), { logo: 'Acme' });
    await expect(filled).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.logo' }],
    });
  });
});

test.each(['{`Dear ${name}`}', '{xs.reduce((a, b) => a + b)}', '{t(Hello)}'])(
  'code alone is a mistake, not text: %s',
  async (text) => {
    expect((await refusal(line(text), { name: 'Ada', xs: [] })).code).toBe('TEMPLATE_INVALID');
  },
);

it('a mark with a dollar sign that ends in another paragraph is a mistake', async () => {
  expect((await refusal(line('${na') + line('me}'), { name: 'Ada' })).code).toBe('TEMPLATE_INVALID');
});

it('a name in a section of its own language is a mark, also beside another language', async () => {
  const { shown } = await fromBody(line('{{ a }} {% if b %}y{% endif %} {#xs}{.}{/xs}'), {
    a: 1,
    b: 1,
    xs: ['p', 'q'],
  });
  expect(shown()).toEqual(['1 y pq']);
});

test.each([
  ['{d.xs[i, a>1].a}{d.xs[i+1, a>2].a}', /differs from that of the first mark/],
  ['{bindColor(ff0000, #hexa) = d.a}', /“bindColor/],
  ['{o.preReleaseFeatureIn = 4}{d.a}', /option of Carbone/],
])('what Carbone would sort by or set is a mistake: %s', async (text, issue) => {
  const { details } = await refusal(line(text), { xs: [] });
  expect(details?.[0]?.issue).toMatch(issue);
});

test.each([
  '#foreach($x in $xs)$x.name#end',
  '[#list xs as x]${x.name}[/#list]',
  '<#if a>x</#if> ${b}',
  '<%= name %>',
])('a directive of a language without marks in text is refused: %s', async (text) => {
  const { code, details } = await refusal(line(text), { xs: [], a: 1, b: 2 });
  const issue = expect.stringMatching(/^A directive of another language is not supported in text/);
  expect([code, details?.[0]]).toEqual([
    'TEMPLATE_INVALID',
    { field: 'word/document.xml:paragraph[1]', issue },
  ]);
});

it('a translation of Carbone is refused, and decides on the language', async () => {
  const { code, details } = await refusal(line('{t(hello)} {d.b}'), { b: 2 });
  expect([code, details?.map(({ issue }) => issue)]).toEqual([
    'TEMPLATE_INVALID',
    [expect.stringMatching(/translation/i)],
  ]);
});
