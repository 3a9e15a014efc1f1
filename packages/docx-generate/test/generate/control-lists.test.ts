import { describe, expect, it, test } from '@jest/globals';
import { picture } from '@scriptorium/testing/fixtures/hostile/document';
import { plainPng } from '@scriptorium/testing/fixtures/picture';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, generated, refusal } from './generated.ts';

const TEXT = '<w:text/>';
const line = (text: string) => p(run(text));
const field = (id: number, tag: string, text = 'sample') => sdt({ id, tag, properties: TEXT }, run(text));
const cell = (content: string) => `<w:tc><w:tcPr/>${p(content)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
const table = (...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>${rows.join('')}</w:tbl>`;
const head = row(run('Project'), run('Hours'));
const sample = row(field(11, 'Project'), field(12, 'Hours', '99'));
const projects = sdt({ id: 10, tag: 'Projects' }, table(head, sample, row(run('Total'), run('7'))));
const Projects = [
  { Project: 'Alpha', Hours: 3 },
  { Project: 'Beta', Hours: 4 },
];

describe('a list for a content control', () => {
  it('repeats the rows with controls inside', async () => {
    const { shown, xml, report } = await fromBody(projects, { Projects });
    expect(shown()).toEqual(['|Project|Hours|', '|Alpha|3|', '|Beta|4|', '|Total|7|']);
    expect(report).toMatchObject({ filled: 4, unmatched: { count: 0 } });
    const ids = [...xml().matchAll(/<w:id w:val="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(5);
  });

  it('repeats the content, if that has no rows', async () => {
    const body = sdt({ id: 1, tag: 'people' }, p(run('- ') + field(2, 'name')) + line('—'));
    const { shown } = await fromBody(body, { people: [{ name: 'Ada' }, { name: 'Grace' }] });
    expect(shown()).toEqual(['- Ada', '—', '- Grace', '—']);
  });

  it('repeats a list in a list', async () => {
    const inner = sdt({ id: 3, tag: 'items' }, p(field(4, 'item')));
    const body = sdt({ id: 1, tag: 'groups' }, p(field(2, 'title')) + inner);
    const groups = [
      { title: 'one', items: [{ item: 'a' }, { item: 'b' }] },
      { title: 'two', items: [{ item: 'c' }] },
    ];
    expect((await fromBody(body, { groups })).shown()).toEqual(['one', 'a', 'b', 'two', 'c']);
  });

  it('without items leaves the other rows, or an empty control', async () => {
    expect((await fromBody(projects, { Projects: [] })).shown()).toEqual(['|Project|Hours|', '|Total|7|']);
    const whole = sdt({ id: 10, tag: 'Projects' }, table(sample));
    expect((await fromBody(whole + line('end'), { Projects: [] })).shown()).toEqual(['', 'end']);
    const inCell = table(
      `<w:tr><w:tc><w:tcPr/>${sdt({ id: 1, tag: 'people' }, p(field(2, 'name')))}</w:tc></w:tr>`,
    );
    expect((await fromBody(inCell, { people: [] })).shown().join('')).toBe('||');
  });

  it('names each value that an item lacks', async () => {
    const { report } = await fromBody(projects, { Projects: [{ Project: 'Alpha' }] });
    expect(report.unmatched).toEqual({ count: 1, names: ['data.Projects[0].Hours'] });
  });

  test.each([
    ['a list', ['a', 'b'], /is a list, but its control has no named control inside/],
    ['an object', { a: 1 }, /is an object, but its control has no named control inside/],
  ])('or an object is a mistake where nothing can repeat: %s', async (_, value, issue) => {
    const { code, details } = await refusal(sdt({ id: 1, tag: 'x' }, line('sample')), { x: value });
    expect(code).toBe('VALIDATION_ERROR');
    expect(details).toEqual([{ field: 'data.x', issue: expect.stringMatching(issue) }]);
  });

  it('is of no concern beside marks in the text, where the control may have another purpose', async () => {
    const body = line('{#x}{.}{/x}') + sdt({ id: 1, tag: 'x' }, line('stays'));
    expect((await fromBody(body, { x: ['a', 'b'] })).shown()).toEqual(['ab', 'stays']);
  });
});

describe('an object for a content control', () => {
  const body = sdt({ id: 1, tag: 'customer' }, p(field(2, 'name'))) + p(field(3, 'name'));

  it('fills the controls inside by its properties', async () => {
    expect((await fromBody(body, { customer: { name: 'Ada' }, name: 'Grace' })).shown()).toEqual([
      'Ada',
      'Grace',
    ]);
  });

  it('is not needed: the controls inside are filled by the data around', async () => {
    const { shown, report } = await fromBody(body, { name: 'Grace' });
    expect(shown()).toEqual(['Grace', 'Grace']);
    expect(report.unmatched).toEqual({ count: 1, names: ['data.customer'] });
  });
});

it('a date control shows a moment in the time zone of the request, as marks do', async () => {
  const date = '<w:date><w:dateFormat w:val="d.M.yyyy"/><w:lid w:val="de-DE"/></w:date>';
  const body = p(
    `${run('{due|date("d.M.yyyy")} / ')}${sdt({ id: 1, tag: 'due', properties: date }, run('x'))}`,
  );
  for (const [due, shown] of [
    ['2026-12-31T23:30:00Z', '1.1.2027'],
    ['2026-12-31T23:30:00', '31.12.2026'],
    ['2026-12-31', '31.12.2026'],
  ] as const) {
    const { xml, ...filled } = await fromBody(body, { due }, { timeZone: 'Europe/Berlin' });
    expect(filled.shown()).toEqual([`${shown} / ${shown}`]);
    expect(xml()).toContain(`w:fullDate="${shown === '1.1.2027' ? '2027-01-01' : '2026-12-31'}T`);
  }
});

describe('a picture control', () => {
  const png = plainPng('rgb', 4);
  const source = templateOf(
    sdt({ id: 1, tag: 'logo', properties: '<w:picture/>' }, picture('r:embed="rId1"')),
    {
      links: [{ id: 'rId1', kind: 'image', target: 'media/image1.png' }],
      parts: [{ name: 'word/media/image1.png', type: 'image/png', data: plainPng('gray', 2) }],
    },
  );

  it('shows the image of its value', async () => {
    const logo = { $image: { source: { start: 0, bytes: png.length } } };
    const { xml, report } = await generated(source, { logo }, { images: png });
    expect(xml()).not.toContain('r:embed="rId1"');
    expect(report.filled).toBe(1);
  });

  it('takes nothing else', async () => {
    await expect(generated(source, { logo: 'ACME' })).rejects.toMatchObject({
      details: [{ field: 'data.logo', issue: 'must be an image, because a picture control shows it' }],
    });
  });
});
