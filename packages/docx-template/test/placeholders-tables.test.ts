import { describe, expect, test } from '@jest/globals';
import { bare, p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fill, text } from './filling.ts';

const VALUE = [
  ['1', 'pen'],
  ['2', 'ink'],
];
const records = { id: 'x', type: 'table', value: VALUE, options: { copyRowStyle: true } } as const;

const cell = (content: string) => `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map((content) => cell(p(content))).join('')}</w:tr>`;
const table = (...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid>${'<w:gridCol w:w="2000"/>'.repeat(2)}</w:tblGrid>${rows.join('')}</w:tbl>`;

async function filled(body: string): Promise<string> {
  const source = templateOf(body);
  const { bytes, xml } = await fill(source, [records]);
  expect(await newFaultsOf(source, bytes)).toEqual([]);
  return xml();
}

describe('a table for a placeholder', () => {
  test('in a row creates a row for each row of the value', async () => {
    const result = await filled(table(row(run('no.'), run('what')), row(bare('{x}', '<w:b/>'), bare(' '))));
    expect(result.match(/<w:tr>/g)).toHaveLength(3);
    expect(result).toContain(run('1', '<w:b/>'));
    expect(result).toContain('>ink<');
    expect(result).toContain('>no.<');
    expect(result).not.toContain('{x}');
  });

  test('alone in its paragraph replaces the paragraph', async () => {
    const result = await filled(p(run('before')) + p(bare(' {x} ')) + p(run('behind')));
    expect(result).toMatch(/before<\/w:t><\/w:r><\/w:p><w:tbl>.*<\/w:tbl><w:p><w:r><w:t [^>]*>behind/);
  });

  test('keeps the emptied paragraph if it ends a section, contains a bookmark, or separates tables', async () => {
    const section = '<w:sectPr><w:type w:val="nextPage"/></w:sectPr>';
    expect(await filled(p(bare('{x}'), section) + p(''))).toContain(`</w:tbl>${p('', section)}`);
    const marks = '<w:bookmarkStart w:id="0" w:name="b"/>|<w:bookmarkEnd w:id="0"/>';
    expect(await filled(p(marks.replace('|', bare('{x}'))) + p(''))).toContain(
      `</w:tbl>${p(marks.replace('|', ''))}`,
    );
    const other = table(row('', ''));
    expect(await filled(other + p(bare('{x}')) + other)).toMatch(
      /<\/w:tbl><w:p\/><w:tbl>.*<\/w:tbl><w:p><\/w:p><w:tbl>/,
    );
    expect(await filled(p(bare('{x}')))).toContain('</w:tbl><w:p></w:p><w:sectPr/>');
  });

  test.each([
    ['text', run(' and more')],
    ['a break', '<w:r><w:br/></w:r>'],
    ['a tab in its run', '<w:r><w:tab/></w:r>'],
  ])('is rejected if the paragraph also contains %s', async (_, other) => {
    await expect(filled(p(bare('{x}') + other))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields[0].id', issue: expect.stringContaining('shares its paragraph') }],
    });
  });

  test('takes precedence over the values of other placeholders in its template row', async () => {
    const source = templateOf(table(row(bare('{x}'), bare('{y}'))));
    const { bytes, xml, report } = await fill(source, [text({ id: 'y' }, 'Bob'), records]);
    expect(xml()).not.toContain('Bob');
    expect(report).toMatchObject({ filled: 1, unmatched: { count: 0 } });
    expect(await newFaultsOf(source, bytes)).toEqual([]);
  });
});
