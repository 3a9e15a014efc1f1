import { expect, test } from '@jest/globals';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

async function flat(body: string, value = 'new'): Promise<string> {
  const { xml } = await fill(templateOf(body), [text({ id: 'x' }, value)], { flatten: true });
  return /<w:body>(.*)<w:sectPr\/>/s.exec(xml())?.[1] ?? '';
}

test('flattening keeps the content of all controls, filled or not, also of nested ones', async () => {
  const body =
    sdt({ tag: 'outer' }, p(run('before') + sdt({ tag: 'x' }, run('old')))) +
    p(sdt({ tag: 'y' }, run('kept')));
  expect(await flat(body)).toBe(p(run('before') + run('new')) + p(run('kept')));
});

test('flattening controls around rows and cells keeps the table', async () => {
  const table = (content: string) => `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>${content}</w:tbl>`;
  const row = (content: string) => `<w:tr>${content}</w:tr>`;
  const cell = (content: string) => `<w:tc>${content}</w:tc>`;
  expect(await flat(table(sdt({}, row(sdt({ tag: 'x' }, cell(p(run('old'))))))))).toBe(
    table(row(cell(p(run('new'))))),
  );
});

test('flattening an empty control leaves the paragraph that a cell requires', async () => {
  const empty = '<w:sdt><w:sdtPr/><w:sdtContent/></w:sdt>';
  expect(await flat(sdt({ tag: 'y' }, '') + empty)).toBe('<w:p/><w:p/>');
  expect(await flat('<w:sdt><w:sdtPr><w:tag w:val="x"/></w:sdtPr><w:sdtContent/></w:sdt>')).toBe(
    p(run('new')),
  );
  expect(
    await flat(p(`<w:sdt><w:sdtPr><w:tag w:val="x"/></w:sdtPr><w:sdtContent/></w:sdt>${sdt({}, '')}`)),
  ).toBe(p(run('new')));
});

test('flattening keeps a table of contents updatable', async () => {
  const contents = sdt(
    { properties: '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>' },
    p(run('Contents')),
  );
  expect(await flat(contents + sdt({ tag: 'x' }, p(run('old'))))).toBe(contents + p(run('new')));
});
