import { describe, expect, it, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import { wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { inspect } from '../../src/inspect.ts';
import { generated } from './generated.ts';
import { roundTrip } from './round-trip.ts';

const VALUE = { type: ['string', 'number'] };
const line = (text: string) => p(run(text));
const table = (...rows: string[][]) =>
  `<w:tbl><w:tblPr/><w:tblGrid/>${rows
    .map((cells) => `<w:tr>${cells.map((text) => `<w:tc><w:tcPr/>${line(text)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

/** The properties that inspect asks for. */
async function propertiesOf(body: string): Promise<unknown> {
  const { template } = await inspect(templateOf(body), new TemplateCache(0).of());
  return (template.schema as { properties?: unknown }).properties;
}

describe('the schema of the data of a template', () => {
  it('has what stands beside a value that is printed, where names are looked up', async () => {
    const marks = '{{ users }}{{ users[1].email }}{{ d.c }}{{ d.c.n() }}{{ "{:.1f}".format(d.f(1)) }}';
    await roundTrip(templateOf(line(marks)));
    const names = ['users', 'users[1].email', 'd', 'd.c.n()'];
    expect(Object.keys((await propertiesOf(line(marks))) as object).sort()).toEqual(names.sort());
  });

  test.each<[language: string, body: string]>([
    [
      'carbone',
      table(['{d.lines[i].text}', '{d.lines[i].price}'], ['{d.lines[i+1].text}', '{d.lines[i+1].price}']),
    ],
    ['jinja', line('{% for l in lines %}{{ l.text }}{{ l.price }}{% endfor %}')],
    ['word', line('{d.lines[i].text}{d.lines[i].price}{d.lines[i+1].text}')],
  ])('has the items of a list in %s', async (_, body) => {
    const items = expect.objectContaining({ type: 'object', properties: { text: VALUE, price: VALUE } });
    expect(await propertiesOf(body)).toEqual({ lines: { type: 'array', items } });
  });

  it('has the items of rows in poi-tl', async () => {
    const items = { type: 'object', properties: { text: VALUE, price: VALUE }, required: ['text', 'price'] };
    expect(await propertiesOf(table(['{{lines}}', ''], ['[text]', '[price]']))).toEqual({
      lines: { anyOf: expect.arrayContaining([{ type: 'array', items }]) },
    });
  });

  it('has what content controls show, by the name that comes first', async () => {
    const row = sdt({ id: 2, tag: 'Project', properties: '<w:text/>' }, run('x'));
    const body =
      line('{day}') +
      sdt({ id: 1, tag: 'Projects' }, p(row)) +
      sdt({ id: 3, tag: 'member.name', alias: 'Member' }, line('x'));
    const items = { type: 'object', properties: { Project: VALUE } };
    expect(await propertiesOf(body)).toEqual({
      day: VALUE,
      Projects: { anyOf: expect.arrayContaining([{ type: 'array', items }]) },
      member: { type: 'object', properties: { name: VALUE } },
    });
  });

  it('has lists in lists of Carbone', async () => {
    const body = line('{d.a[i].b[i].c}{d.a[i].b[i+1].c}{d.a[i+1].b[i].c}');
    const b = { type: 'array', items: { type: 'object', properties: { c: VALUE }, required: ['c'] } };
    expect(await propertiesOf(body)).toEqual({
      a: { type: 'array', items: { type: 'object', properties: { b }, required: ['b'] } },
    });
  });

  it('takes a text or a list where an item is shown', async () => {
    expect(await propertiesOf(line('{{ first[0] }}'))).toEqual({
      first: { type: ['array', 'string'], items: VALUE },
    });
  });
});

describe('the kinds of values in the schema', () => {
  const kinds = async (text: string) => Object.values((await propertiesOf(line(text))) as object)[0];
  test.each<[text: string, schema: object]>([
    ['{x | number(2)}', { type: 'number' }],
    ['{d.x:formatC(2)}', { type: 'number' }],
    ['{x * 2}', { type: 'number' }],
    ['{x + 2}', { type: ['number', 'string'] }],
    ['{% if x > 3 %}{{ x }}{% endif %}', { type: 'number' }],
    ['{x | date:"short"}{x}', { type: 'string', format: 'date' }],
    ['{x | time}', { type: 'string', format: 'date-time' }],
    ['{d.x:convDate("YYYYMMDD", "L")}', { type: 'string' }],
    ['{x | sum:"price"}', { type: 'array', items: expect.objectContaining({ required: ['price'] }) }],
    ['{% if x %}yes{% endif %}', { type: 'boolean' }],
    ['{% if x == true %}yes{% endif %}', { type: 'boolean' }],
    ...['selectattr("a", "gt", 19)', 'rejectattr("a", "lt", 19)', 'where: "a", 20'].map(
      (filter): [string, object] => [
        `{% for i in x | ${filter} %}{{ i.a }}{% endfor %}`,
        { type: 'array', items: expect.objectContaining({ properties: { a: { type: 'number' } } }) },
      ],
    ),
    ['{{ x | reject("a", "==", 1) | first is defined }}', expect.objectContaining({ type: 'array' })],
    ['{% if x is odd %}yes{% endif %}', { type: 'number' }],
    ['{% if x > "2025-12-31" %}yes{% endif %}', VALUE],
    ['{d.n:sub(.x)}', { type: 'number' }],
    [
      '{d.x[].a:aggSum}',
      { type: 'array', items: expect.objectContaining({ properties: { a: { type: 'number' } } }) },
    ],
    ['{% if x == "a" %}yes{% endif %}', VALUE],
    ['{^x}no{/x}', { type: 'boolean' }],
    ['{#x}yes{/x}', { type: ['boolean', 'array'] }],
    ['{%x}', expect.objectContaining({ required: ['$image'] })],
    ['{~x}', { type: 'string', contentMediaType: 'text/html' }],
    ['{{ x[y] }}', { type: 'object', additionalProperties: VALUE }],
  ])('%s', async (text, schema) => {
    expect(await kinds(text)).toEqual(schema);
    await roundTrip(templateOf(line(text)));
  });

  it('are those of content controls', async () => {
    const list = '<w:dropDownList><w:listItem w:displayText="Red" w:value="r"/></w:dropDownList>';
    const date = '<w:date><w:dateFormat w:val="d.M.yyyy"/></w:date>';
    const body = [
      sdt({ id: 1, tag: 'color', properties: list }, line('x')),
      sdt({ id: 2, tag: 'day', properties: date }, line('x')),
      sdt(
        { id: 3, tag: `$${'{done}'}`, properties: '<w14:checkbox><w14:checked w14:val="0"/></w14:checkbox>' },
        line('x'),
      ),
    ].join('');
    expect(await propertiesOf(body)).toEqual({
      color: { enum: ['Red'] },
      day: { type: 'string', format: 'date' },
      done: { type: 'boolean' },
    });
    await roundTrip(templateOf(body));
  });

  it('do not ask for more than the template needs', async () => {
    const { template } = await inspect(
      templateOf(
        line('{{ a }}{{ b|default("-") }}{% if c %}{{ d }}{% endif %}{% for x in xs %}{{ x }}{% endfor %}'),
      ),
      new TemplateCache(0).of(),
    );
    expect(template.schema).toMatchObject({ required: ['a', 'xs'] });
  });
});

describe('the example of a template', () => {
  it('has two items in each list, and what makes conditions true', async () => {
    const text =
      '{% for x in xs %}{{ x.firstName }}{% endfor %}{% if n >= 18 %}{{ n }}{% endif %}{{ due_date }}';
    const { template } = await inspect(templateOf(line(text)), new TemplateCache(0).of());
    expect(template.example).toEqual({
      xs: [{ firstName: 'first Name' }, { firstName: 'first Name' }],
      n: 18,
      due_date: 'due date',
    });
  });

  it('has the path of what belongs to a value that is printed itself', async () => {
    const source = templateOf(line('{{ user }}{{ user.address.city }}'));
    const { template } = await inspect(source, new TemplateCache(0).of());
    expect(template.example).toEqual({ user: 'user', 'user.address.city': 'user.address.city' });
    await roundTrip(source);
  });

  it('stays small where a template names many items of many lists', async () => {
    const path = Array.from({ length: 60 }, (_, at) => `a${at}[99]`).join('.');
    const { template } = await inspect(templateOf(line(`{{ ${path} }}`)), new TemplateCache(0).of());
    expect(JSON.stringify(template.example).length).toBeLessThan(1_000_000);
  });
});

describe('texts outside of paragraphs', () => {
  const A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const DGM = 'http://schemas.openxmlformats.org/drawingml/2006/diagram';
  const watermark =
    '<w:p><w:r><w:pict><v:shape style="width:90pt;height:90pt"><v:textpath string="{status}"/></v:shape></w:pict></w:r></w:p>';
  const source = templateOf(line('{name}') + watermark, {
    links: [{ id: 'rIdD', kind: 'diagramData', target: 'diagrams/data1.xml' }],
    parts: [
      {
        name: 'word/diagrams/data1.xml',
        type: wordType('x').replace('wordprocessingml.x', 'drawingml.diagramData'),
        data: `<dgm:dataModel xmlns:dgm="${DGM}" ${A}><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:bodyPr/><a:p><a:r><a:t>{name}</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
      },
    ],
  });

  it('are filled in SmartArt and in watermarks', async () => {
    const { xml, report } = await generated(source, { name: 'Ada', status: 'final' });
    expect(xml('word/diagrams/data1.xml')).toContain('<a:t>Ada</a:t>');
    expect(xml()).toContain('string="final"');
    expect(report.filled).toBe(3);
    const { template } = await inspect(source, new TemplateCache(0).of());
    expect(template.schema).toMatchObject({ properties: { name: VALUE, status: VALUE } });
  });
});
