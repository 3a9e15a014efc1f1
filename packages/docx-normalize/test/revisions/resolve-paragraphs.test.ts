import { describe, expect, test } from '@jest/globals';
import { del, mark, p, row, run, style, table, WHO } from '@scriptorium/testing/fixtures/tracked-changes';
import { resolvedBody } from './resolved.ts';

describe('paragraph marks', () => {
  test('a paragraph with a deleted mark merges into the next one, with the properties of the next one', async () => {
    const body = p(run('a'), style('A') + mark('del')) + p(run('b'), style('B'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b'), style('B')));
    expect(await resolvedBody('original', body)).toBe(
      p(run('a'), `${style('A')}<w:rPr></w:rPr>`) + p(run('b'), style('B')),
    );
  });

  test('an inserted mark splits a paragraph in the final text and not in the original', async () => {
    const body = p(run('a'), mark('ins')) + p(run('b'), style('B'));
    expect(await resolvedBody('final', body)).toBe(p(run('a'), '<w:rPr></w:rPr>') + p(run('b'), style('B')));
    expect(await resolvedBody('original', body)).toBe(p(run('a') + run('b'), style('B')));
  });

  test('paragraphs in different elements are never joined', async () => {
    const wrapped = (content: string) => `<x:group xmlns:x="urn:x">${content}</x:group>`;
    const body = wrapped(p(run('a'), mark('del'))) + wrapped(p(run('b'))) + p('');
    expect(await resolvedBody('final', body)).toBe(
      wrapped(p(run('a'), '<w:rPr></w:rPr>')) + wrapped(p(run('b'))) + p(''),
    );
  });

  test('several paragraphs without marks become one', async () => {
    const body =
      p(run('a'), mark('del')) +
      p(run('b'), mark('del')) +
      p(del('x'), mark('del')) +
      p(run('c')) +
      p(run('d'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b') + run('c')) + p(run('d')));
  });

  test('the next paragraph may be an empty element', async () => {
    expect(await resolvedBody('final', `${p(run('a'), style('A') + mark('del'))}<w:p/>`)).toBe(p(run('a')));
  });

  test('a completely deleted list item leaves nothing', async () => {
    const list = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    const item = (content: string, ...changes: string[]) => p(content, list + mark(...changes));
    const body = p(run('a')) + item(del('x'), 'del') + item(del('y'), 'del') + p(run('b'), style('B'));
    expect(await resolvedBody('final', body)).toBe(p(run('a')) + p(run('b'), style('B')));
  });

  test('a deleted hyperlink and field do not keep their paragraph', async () => {
    const body =
      p(`<w:hyperlink w:anchor="x">${del('x')}</w:hyperlink>`, mark('del')) + table(row(p(run('a')))) + p('');
    expect(await resolvedBody('final', body)).toBe(table(row(p(run('a')))) + p(''));
  });

  test('a paragraph with text keeps its mark before a table', async () => {
    const body = p(run('a'), mark('del')) + table(row(p(run('b')))) + p('');
    expect(await resolvedBody('final', body)).toBe(
      p(run('a'), '<w:rPr></w:rPr>') + table(row(p(run('b')))) + p(''),
    );
  });

  test('a deletion across a whole table joins the text before and after it', async () => {
    const body =
      p(run('a') + del('x'), mark('del')) + table(row(p(del('y')), mark('del').slice(7, -8))) + p(run('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
  });

  test('the last paragraph of a cell stays, even if all of it was deleted', async () => {
    const cell = p(del('x'), mark('del'));
    expect(await resolvedBody('final', table(row(cell)) + p(''))).toBe(
      table(row(p('', '<w:rPr></w:rPr>'))) + p(''),
    );
  });

  test('a deleted paragraph at the end is removed if another one remains', async () => {
    expect(await resolvedBody('final', p(run('a')) + p(del('x'), mark('del')))).toBe(p(run('a')));
  });

  test('a section break is removed with its mark', async () => {
    const section = '<w:sectPr><w:pgSz w:w="1"/></w:sectPr>';
    const body = p(run('a'), mark('del') + section) + p(run('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
  });

  test('a bookmark that begins in a deleted paragraph begins at its place', async () => {
    const body =
      p(`<w:bookmarkStart w:id="1" w:name="b"/>${del('x')}`, mark('del')) +
      p(`${run('a')}<w:bookmarkEnd w:id="1"/>`);
    expect(await resolvedBody('final', body)).toBe(
      `<w:bookmarkStart w:id="1" w:name="b"/>${p(`${run('a')}<w:bookmarkEnd w:id="1"/>`)}`,
    );
  });

  test('an inserted and deleted mark is in neither text', async () => {
    const body = p(run('a'), mark('ins', 'del')) + p(run('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
    expect(await resolvedBody('original', body)).toBe(p(run('a') + run('b')));
  });

  test('a moved paragraph leaves no empty one behind', async () => {
    const body =
      p(`<w:moveFrom ${WHO}>${run('m')}</w:moveFrom>`, mark('moveFrom')) +
      p(run('a')) +
      p(`<w:moveTo ${WHO}>${run('m')}</w:moveTo>`, mark('moveTo')) +
      p(run('b'));
    expect(await resolvedBody('final', body)).toBe(
      p(run('a')) + p(run('m'), '<w:rPr></w:rPr>') + p(run('b')),
    );
    expect(await resolvedBody('original', body)).toBe(
      p(run('m'), '<w:rPr></w:rPr>') + p(run('a')) + p(run('b')),
    );
  });

  test('paragraphs of a text box are joined inside it', async () => {
    const box = (content: string) =>
      `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${content}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
    const body = p(box(p(run('a'), mark('del')) + p(run('b'))), mark('del')) + p(run('c'));
    expect(await resolvedBody('final', body)).toBe(p(box(p(run('a') + run('b'))) + run('c')));
  });
});
