import { describe, expect, test } from '@jest/globals';
import { documentOf, field, instruction, mark, sanitize, text } from './sanitized.ts';

describe('fields', () => {
  test.each([
    'DDEAUTO excel "a" b',
    ' includetext "x.docx"',
    'INCLUDEPICTURE "http://h/x.png" \\d',
    'LINK Word "x"',
  ])('%s becomes the text that it last showed', async (code) => {
    const { package: opened, body } = await sanitize(
      documentOf(`<w:p>${field(instruction(code), text('stored'))}</w:p>`),
    );
    expect(body).not.toContain('fldChar');
    expect(body).not.toContain('instrText');
    expect(body).toContain('<w:t>stored</w:t>');
    expect(opened.dropped).toEqual([{ what: 'field', part: 'word/document.xml', detail: code.trim() }]);
  });

  test('an instruction in pieces is put together', async () => {
    const { body } = await sanitize(
      documentOf(`<w:p>${field(instruction('INC') + instruction('LUDETEXT "x"'), text('stored'))}</w:p>`),
    );
    expect(body).not.toContain('LUDE');
  });

  test.each([
    ['a deleted piece', '<w:del><w:r><w:delInstrText>X</w:delInstrText></w:r></w:del>'],
    ['a deleted piece under the name of a live one', `<w:del>${instruction('X')}</w:del>`],
    ['a piece that was moved away', `<w:moveFrom>${instruction('X')}</w:moveFrom>`],
  ])('%s does not hide an instruction', async (_name, hidden) => {
    const code = instruction('INCLUDE') + hidden + instruction('TEXT "x"');
    const { body } = await sanitize(documentOf(`<w:p>${field(code, text('stored'))}</w:p>`));
    expect(body).not.toContain('TEXT "x"');
  });

  const run = (xml: string) => `<w:r>${xml}</w:r>`;
  const branches = (choice: string, fallback: string) =>
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">' +
    `<mc:Choice Requires="w14">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

  // LibreOffice computes a field from each of these.
  test.each([
    ['text', text('INCLUDETEXT "x"')],
    ['an instruction and text', instruction('INCLUDE') + text('TEXT "x"')],
    ['a backslash before the name', instruction('\\INCLUDETEXT "x"')],
    ['a mark of no type', instruction('INCLUDE') + run('<w:fldChar/>') + instruction('TEXT "x"')],
    ['a mark of an unknown type', instruction('INCLUDE') + mark('middle') + instruction('TEXT "x"')],
    ['an element in the instruction', run('<w:instrText>INCLUDE<w:x>TEXT</w:x> "x"</w:instrText>')],
    [
      'a mark in a branch that is not taken',
      instruction('INCLUDE') + branches('', mark('separate')) + instruction('TEXT "x"'),
    ],
    [
      'a beginning in a branch that is not taken',
      branches('', mark('begin')) + instruction('INCLUDE') + instruction('TEXT "x"'),
    ],
    [
      'a piece in a branch that is not taken',
      instruction('INCLUDE') + branches('', instruction('X')) + instruction('TEXT "x"'),
    ],
    [
      'a mark among properties',
      instruction('INCLUDE') +
        `<w:sdt><w:sdtPr>${mark('separate')}</w:sdtPr></w:sdt>` +
        instruction('TEXT "x"'),
    ],
    ['two ends of the instruction', text('INCLUDE') + mark('separate') + text('TEXT "x"')],
    ['an end that is no end to all', instruction('INCLUDE') + mark('separate') + instruction('TEXT "x"')],
  ])('is not hidden by %s', async (_name, code) => {
    const { body } = await sanitize(documentOf(`<w:p>${field(code, text('stored'))}</w:p>`));
    expect(body).not.toMatch(/w:fldCharType="begin".*INCLUDE.*TEXT "x"/);
    expect(body).not.toMatch(/instrText.*(?:INCLUDETEXT|TEXT "x")/);
    expect(body).toContain('stored');
  });

  test('a whole field in a text box or a branch stays', async () => {
    const page = field(instruction(' PAGE '), text('1'));
    const box = run(branches(`<w:txbxContent><w:p>${page}</w:p></w:txbxContent>`, `<w:p>${page}</w:p>`));
    const outer = field(instruction('REF x'), box);
    const { package: opened, body } = await sanitize(documentOf(`<w:p>${outer}</w:p>`));
    expect(body).toBe(`<w:p>${outer}</w:p>`);
    expect(opened.dropped).toEqual([]);
  });

  test.each([
    'HYPERLINK "javascript:alert(1)"',
    'HYPERLINK \\t "_blank" "javascript:alert(1)"',
    'HYPERLINK "https://example.com" macro:x',
  ])('%s leads nowhere', async (code) => {
    const { package: opened, body } = await sanitize(
      documentOf(`<w:p>${field(instruction(code), text('stored'))}</w:p>`),
    );
    expect(body).toBe(`<w:p>${'<w:r></w:r>'.repeat(3)}${text('stored')}<w:r></w:r></w:p>`);
    expect(opened.dropped).toMatchObject([{ what: 'script link' }]);
  });

  test.each(['HYPERLINK "https://example.com" \\o "Data: a tip" \\t "_blank"', 'HYPERLINK \\l "data:mark"'])(
    '%s stays',
    async (code) => {
      const { package: opened } = await sanitize(
        documentOf(`<w:p>${field(instruction(code), text('stored'))}</w:p>`),
      );
      expect(opened.dropped).toEqual([]);
    },
  );

  test('an ordinary field stays as it is', async () => {
    const page = field(instruction(' PAGE '), text('1'));
    const { package: opened, body } = await sanitize(documentOf(`<w:p>${page}</w:p>`));
    expect(body).toBe(`<w:p>${page}</w:p>`);
    expect(opened.dropped).toEqual([]);
  });

  test('what stands in the instruction of a dropped field does not show', async () => {
    const inner = field(instruction('MERGEFIELD name'), text('SECRET'));
    const { body } = await sanitize(
      documentOf(`<w:p>${field(instruction('INCLUDETEXT ') + inner + text('LOOSE'), text('stored'))}</w:p>`),
    );
    expect(body).not.toMatch(/SECRET|LOOSE|fldChar/);
    expect(body).toContain('stored');
  });

  test('a dropped field inside the result of another leaves that one whole', async () => {
    const inner = field(instruction('DDE x'), text('stored'));
    const outer = field(instruction('REF mark'), inner);
    const { body } = await sanitize(documentOf(`<w:p>${outer}</w:p>`));
    expect(body.match(/fldChar /g)).toHaveLength(3);
    expect(body).toContain('REF mark');
    expect(body).not.toContain('DDE');
  });

  test('a mark with form data goes with its data', async () => {
    const begin =
      '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="n"/></w:ffData></w:fldChar></w:r>';
    const { body } = await sanitize(
      documentOf(
        `<w:p>${begin}${instruction('DDE x')}${mark('separate')}${text('stored')}${mark('end')}</w:p>`,
      ),
    );
    expect(body).not.toContain('ffData');
  });

  test('a simple field becomes its content', async () => {
    const { body } = await sanitize(
      documentOf(`<w:p><w:fldSimple w:instr="INCLUDETEXT x">${text('stored')}</w:fldSimple></w:p>`),
    );
    expect(body).toBe(`<w:p>${text('stored')}</w:p>`);
  });

  test('a condition on the number of pages, which can lay out for ever, keeps its last answer', async () => {
    const condition = field(
      instruction('IF ') + field(instruction('NUMPAGES'), text('2')) + instruction(' > 1 "many" "one"'),
      text('many'),
    );
    const { package: opened, body } = await sanitize(documentOf(`<w:p>${condition}</w:p>`));
    expect(body).not.toMatch(/NUMPAGES|fldChar/);
    expect(body).toContain('many');
    expect(opened.dropped).toMatchObject([{ what: 'page count in a condition' }]);
  });

  test('a number of pages outside of a condition stays', async () => {
    const { body } = await sanitize(documentOf(`<w:p>${field(instruction('NUMPAGES'), text('2'))}</w:p>`));
    expect(body).toContain('NUMPAGES');
  });

  test('fields nested deeper than any document has them are refused', async () => {
    const deep = `<w:p>${mark('begin').repeat(51)}</w:p>`;
    await expect(sanitize(documentOf(deep))).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });

  test('a hundred thousand of them take no more than linear time', async () => {
    const many = `<w:p>${field(instruction('DDE x'), text('s')).repeat(100_000)}</w:p>`;
    const startedAt = performance.now();
    const { package: opened } = await sanitize(documentOf(many));
    expect(opened.dropped).toHaveLength(100_000);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});
