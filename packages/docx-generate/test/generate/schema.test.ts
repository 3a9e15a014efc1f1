import { describe, expect, it, test } from '@jest/globals';
import { TemplateCache } from '@scriptorium/docx-template/template';
import { wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { inspect } from '../../src/inspect.ts';
import { generated } from './generated.ts';

const VALUE = { type: ['string', 'number', 'boolean', 'object', 'null'] };
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
  test.each<[language: string, body: string]>([
    [
      'carbone',
      table(['{d.lines[i].text}', '{d.lines[i].price}'], ['{d.lines[i+1].text}', '{d.lines[i+1].price}']),
    ],
    ['jinja', line('{% for l in lines %}{{ l.text }}{{ l.price }}{% endfor %}')],
    ['word', line('{d.lines[i].text}{d.lines[i].price}{d.lines[i+1].text}')],
  ])('has the items of a list in %s', async (_, body) => {
    const items = { type: 'object', properties: { text: VALUE, price: VALUE } };
    expect(await propertiesOf(body)).toEqual({ lines: { type: 'array', items } });
  });

  it('has the items of rows in poi-tl', async () => {
    const items = { type: 'object', properties: { text: VALUE, price: VALUE } };
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
    const b = { type: 'array', items: { type: 'object', properties: { c: VALUE } } };
    expect(await propertiesOf(body)).toEqual({
      a: { type: 'array', items: { type: 'object', properties: { b } } },
    });
  });

  it('takes a text or a list where an item is shown', async () => {
    expect(await propertiesOf(line('{{ first[0] }}'))).toEqual({
      first: { type: ['array', 'string'], items: VALUE },
    });
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
