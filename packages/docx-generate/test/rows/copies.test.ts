import { expect, test } from '@jest/globals';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { dataRow, partsOf, rowsOf } from './rows-of.ts';

const cell = (content: string) => `<w:tc>${content}</w:tc>`;
const table = (...rows: string[]) => `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`;
const named = `<w:bookmarkStart w:id="1" w:name="mark"/>${run('{.}')}<w:bookmarkEnd w:id="1"/>`;

test('copies of a form have names of their own if rows of other lengths end a table', async () => {
  const body =
    p(run('start')) +
    table(cell(p(run('{#a}{.}'))) + cell(p(run('{/a}'))), cell(p(run('S')))) +
    p(run('between')) +
    table(cell(p(run('head'))), cell(p(run('{#b}'))) + cell(p(named) + p(run('{/b}')))) +
    p(run('end'));
  const rows = await rowsOf(templateOf(body));
  const data = [9, 9, 2].map((a, at) =>
    dataRow({ a: Array(a).fill('a'), b: Array(at === 2 ? 5 : 2).fill('b') }),
  );
  const shapes = await Promise.all(data.map(async (row) => (await rows.placed(row))?.shape ?? []));
  const form = await rows.form(data, shapes);
  expect(form).toMatchObject({ rows: [{}, {}, {}] });
  const { text } = (await partsOf(typeof form === 'string' ? Buffer.alloc(0) : form.bytes)).get(
    'word/document.xml',
  ) as { text: string };
  const names = [...text.matchAll(/w:name="(mark[^"]*)"/g)].map(([, name]) => name);
  expect(names.length).toBe(5);
  expect(names[0]).toBe('mark');
  expect(new Set(names).size).toBe(5);
});
