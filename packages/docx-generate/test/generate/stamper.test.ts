// biome-ignore-all lint/suspicious/noTemplateCurlyInString: values of templates begin with a dollar sign.

import { describe, expect, it, test } from '@jest/globals';
import { TemplateError } from '@scriptorium/docx-template/error';
import type { Json } from '@scriptorium/expressions/expression';
import { p, run, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { type Filled, generated } from './generated.ts';

const COMMENTS = 'application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml';
const start = (id: number) => `<w:commentRangeStart w:id="${id}"/>`;
const end = (id: number) =>
  `<w:commentRangeEnd w:id="${id}"/><w:r><w:rPr><w:rStyle w:val="x"/></w:rPr><w:commentReference w:id="${id}"/></w:r>`;
const about = (id: number, content: string) => start(id) + content + end(id);
const cell = (content: string) => `<w:tc><w:tcPr/>${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
const table = (...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>${rows.join('')}</w:tbl>`;

function withComments(body: string, texts: readonly string[]): Buffer {
  const comments = texts.map(
    (text, id) => `<w:comment w:id="${id}" w:author="A">${p(run(text))}</w:comment>`,
  );
  const xml = wordPart('document', comments.join('')).replaceAll('w:document', 'w:comments');
  return templateOf(body, {
    links: [{ id: 'rIdC', kind: 'comments', target: 'comments.xml' }],
    parts: [{ name: 'word/comments.xml', data: Buffer.from(xml), type: COMMENTS }],
  });
}

async function stamped(body: string, texts: readonly string[], data: Json): Promise<Filled> {
  const filled = await generated(withComments(body, texts), data);
  expect(filled.xml()).not.toContain('comment');
  expect(filled.xml('word/comments.xml')).not.toContain('<w:comment ');
  return filled;
}

describe('comments of docx-stamper and office-stamper', () => {
  it('show and hide paragraphs, rows and tables', async () => {
    const body =
      p(about(0, run('for ${name}'))) +
      p(about(1, run('hidden'))) +
      table(row(p(about(2, run('a'))), p(run('b'))), row(p(run('c')), p(run('d')))) +
      table(row(p(about(3, run('e'))), p(run('f')))) +
      p(about(4, run('absent')));
    const calls = [
      'displayParagraphIf(age >= 18)',
      "displayParagraphIf(name eq 'Bob')",
      'displayTableRowIf(!vip)',
      'displayTableIf(items.isEmpty())',
      'displayParagraphIfAbsent(company)',
    ];
    const { shown } = await stamped(body, calls, { name: 'Ada', age: 18, vip: true, items: [1] });
    expect(shown()).toEqual(['for Ada', '|c|d|', 'absent']);
  });

  it('repeat rows, paragraphs and parts for the items of a list', async () => {
    const body =
      table(row(p(run('Name')), p(run('Age'))), row(p(about(0, run('${name}'))), p(run('${age} ${unit}')))) +
      p(about(1, run('${#this}'))) +
      p(start(2) + run('Guest ${name}')) +
      table(row(p(run('${age}')), p(''))) +
      p(run('end') + end(2)) +
      p(run('Total ${people.size()}'));
    const calls = ['repeatTableRow(people)', '#{repeatParagraph(tags)}', 'repeatDocPart(people)'];
    const people = [
      { name: 'Ada', age: 36 },
      { name: 'Bob', age: 41 },
    ];
    const { shown } = await stamped(body, calls, { people, tags: ['x', 'y'], unit: 'years' });
    expect(shown()).toEqual([
      ...['|Name|Age|', '|Ada|36 years|', '|Bob|41 years|', 'x', 'y'],
      ...['Guest Ada', '|36||', 'end', 'Guest Bob', '|41||', 'end', 'Total 2'],
    ]);
  });

  it('replace words, and leave what people wrote', async () => {
    const body =
      p(run('Dear ') + about(0, run('some', '<w:b/>') + run('one')) + run('!')) + p(about(1, run('text')));
    const source = withComments(body, ["replaceWordWith(title + ' ' + name)", 'Please check (Ada)']);
    const filled = await generated(source, { title: 'Dr.', name: 'Ada' });
    expect(filled.shown()).toEqual(['Dear Dr. Ada!', 'text']);
    expect(filled.xml()).toContain('<w:b/></w:rPr><w:t xml:space="preserve">Dr. Ada</w:t>');
    expect(filled.xml('word/comments.xml')).toContain('Please check');
    expect(filled.xml('word/comments.xml').match(/<w:comment /g)).toHaveLength(1);
  });

  it('combine: a paragraph that repeats may hide some of its copies', async () => {
    const body = p(start(0) + start(1) + run('${name}') + end(0) + end(1));
    const people = [
      { name: 'Ada', isIn: true },
      { name: 'Bob', isIn: false },
    ];
    const calls = ['displayParagraphIf(isIn)', 'repeatParagraph(people)'];
    expect((await stamped(body, calls, { people })).shown()).toEqual(['Ada']);
  });

  it('show and hide words of a paragraph', async () => {
    const body = p(run('a ') + about(0, run('${x} ')) + about(1, run('no ')) + run('z'));
    const calls = ["displayWordsIf('p'.equals(x))", 'displayWordsIfPresent(y)'];
    expect((await stamped(body, calls, { x: 'p' })).shown()).toEqual(['a p z']);
  });

  it('stand in the text, too', async () => {
    const body = p(run('#{displayParagraphIf(a)}Shown')) + p(run('#{displayParagraphIf(b)}Hidden ${x}'));
    expect((await generated(templateOf(body), { a: true, b: false, x: 1 })).shown()).toEqual(['Shown']);
  });

  test.each<[text: string, data: Json, shown: string]>([
    ["${name ?: 'none'}", { name: '' }, 'none'],
    ['${count ?: 5}', { count: 0 }, '0'],
    ["${a?.b == null ? 'no' : 'yes'}", { a: null }, 'no'],
    ["${a gt 2 and not b ? 'it''s' : ''}", { a: 3, b: false }, "it's"],
    ["${names[1] + '-' + names.size()}", { names: ['x', 'y'] }, 'y-2'],
    ['${price * 2 + 1}', { price: 1.1 }, '3.2'],
  ])('have expressions of Spring: %s', async (text, data, shown) => {
    const body = p(about(0, run('x'))) + p(run(text));
    expect((await stamped(body, ['displayParagraphIf(true)'], data)).shown()).toEqual(['x', shown]);
  });

  test.each<[call: string, issue: string]>([
    ['resolveTable(rows)', 'The instruction “resolveTable” is not supported; compute it in the data'],
    ['displayTableRowIf(true)', 'The instruction is not in a row of a table'],
    [
      "displayParagraphIf(name matches 'A.*')",
      '“matches” of SpEL is not supported; compute the value in the data',
    ],
    ['displayParagraphIf(a', 'An instruction is written “name(expression)”'],
    ['displayParagraphIf(T(Math).PI > 3)', '“T(” of SpEL is not supported; compute the value in the data'],
    ['displayParagraphIf(#root.a)', '“#root” of SpEL is not supported; compute the value in the data'],
  ])('are refused with their name: %s', async (call, issue) => {
    const body = p(about(0, run('x'))) + p(about(1, run('y')));
    const source = withComments(body, [call, 'displayParagraphIf(true)']);
    const error = await generated(source, {}).catch((thrown: unknown) => thrown);
    if (!(error instanceof TemplateError)) throw error;
    const details = [{ field: 'word/document.xml:paragraph[1]', issue: `${issue}: “${call}”` }];
    expect([error.code, error.details]).toEqual(['TEMPLATE_INVALID', details]);
  });

  it('need a list to repeat for', async () => {
    const body = p(about(0, run('${name}')));
    const filled = generated(withComments(body, ['repeatParagraph(people)']), { people: 'Ada' });
    await expect(filled).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [
        {
          field: 'data.people',
          issue: 'must be a list, because repeatParagraph(people) repeats its content for each item',
        },
      ],
    });
  });
});
