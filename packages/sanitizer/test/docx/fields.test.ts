import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { documentOf, field, instruction, mark, sanitize, text } from './sanitized.ts';

describe('sanitizing fields:', () => {
  test.each([
    'DDEAUTO excel "a" b',
    ' includetext "x.docx"',
    'INCLUDEPICTURE "http://h/x.png" \\d',
    'LINK Word "x"',
  ])('%s becomes its last result', async (code) => {
    const { package: opened, body } = await sanitize(
      documentOf(`<w:p>${field(instruction(code), text('stored'))}</w:p>`),
    );
    expect(body).not.toContain('fldChar');
    expect(body).not.toContain('instrText');
    expect(body).toContain('<w:t>stored</w:t>');
    expect(opened.dropped).toEqual([{ what: 'field', part: 'word/document.xml', detail: code.trim() }]);
  });

  test('an instruction in several pieces is joined', async () => {
    const { body } = await sanitize(
      documentOf(`<w:p>${field(instruction('INC') + instruction('LUDETEXT "x"'), text('stored'))}</w:p>`),
    );
    expect(body).not.toContain('LUDE');
  });

  test.each([
    ['a deleted piece', '<w:del><w:r><w:delInstrText>X</w:delInstrText></w:r></w:del>'],
    ['a deleted piece in an element for live text', `<w:del>${instruction('X')}</w:del>`],
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
    [
      'a field character without a type',
      instruction('INCLUDE') + run('<w:fldChar/>') + instruction('TEXT "x"'),
    ],
    [
      'a field character of an unknown type',
      instruction('INCLUDE') + mark('middle') + instruction('TEXT "x"'),
    ],
    ['an element in the instruction', run('<w:instrText>INCLUDE<w:x>TEXT</w:x> "x"</w:instrText>')],
    [
      'a field character in an unused branch',
      instruction('INCLUDE') + branches('', mark('separate')) + instruction('TEXT "x"'),
    ],
    [
      'a field start in an unused branch',
      branches('', mark('begin')) + instruction('INCLUDE') + instruction('TEXT "x"'),
    ],
    [
      'a piece in an unused branch',
      instruction('INCLUDE') + branches('', instruction('X')) + instruction('TEXT "x"'),
    ],
    [
      'a field character in properties',
      instruction('INCLUDE') +
        `<w:sdt><w:sdtPr>${mark('separate')}</w:sdtPr></w:sdt>` +
        instruction('TEXT "x"'),
    ],
    ['two separators', text('INCLUDE') + mark('separate') + text('TEXT "x"')],
    [
      'a separator that some readers ignore',
      instruction('INCLUDE') + mark('separate') + instruction('TEXT "x"'),
    ],
  ])('an instruction is not hidden by %s', async (_name, code) => {
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
  ])('%s is dropped as a unsafe link', async (code) => {
    const { package: opened, body } = await sanitize(
      documentOf(`<w:p>${field(instruction(code), text('stored'))}</w:p>`),
    );
    expect(body).toBe(`<w:p>${'<w:r></w:r>'.repeat(3)}${text('stored')}<w:r></w:r></w:p>`);
    expect(opened.dropped).toMatchObject([{ what: 'unsafe link' }]);
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

  test.each([
    ['in one piece', instruction('MACROBUTTON Run Click here & now')],
    [
      'in several pieces',
      instruction('MACROBUTTON R') + instruction('un Click ') + instruction('here & now'),
    ],
    ['that jumps', instruction('GOTOBUTTON place Click here & now')],
  ])('a button %s becomes its text', async (_name, code) => {
    const { package: opened, body } = await sanitize(
      documentOf(`<w:p>${mark('begin') + code + mark('end')}</w:p>`),
    );
    const shown = [...body.matchAll(/<w:t xml:space="preserve">([^<]*)<\/w:t>/g)]
      .map(([, words]) => words)
      .join('');
    expect(shown).toBe('Click here &amp; now');
    expect(body).not.toMatch(/fldChar|instrText|Run/);
    expect(opened.dropped).toMatchObject([{ what: 'field', leavesGap: false }]);
  });

  test('an ordinary field does not change', async () => {
    const page = field(instruction(' PAGE '), text('1'));
    const { package: opened, body } = await sanitize(documentOf(`<w:p>${page}</w:p>`));
    expect(body).toBe(`<w:p>${page}</w:p>`);
    expect(opened.dropped).toEqual([]);
  });

  test('content of the instruction of a dropped field is not visible', async () => {
    const inner = field(instruction('MERGEFIELD name'), text('SECRET'));
    const { body } = await sanitize(
      documentOf(`<w:p>${field(instruction('INCLUDETEXT ') + inner + text('LOOSE'), text('stored'))}</w:p>`),
    );
    expect(body).not.toMatch(/SECRET|LOOSE|fldChar/);
    expect(body).toContain('stored');
  });

  test('a dropped field inside the result of another field does not change that field', async () => {
    const inner = field(instruction('DDE x'), text('stored'));
    const outer = field(instruction('REF mark'), inner);
    const { body } = await sanitize(documentOf(`<w:p>${outer}</w:p>`));
    expect(body.match(/fldChar /g)).toHaveLength(3);
    expect(body).toContain('REF mark');
    expect(body).not.toContain('DDE');
  });

  test('a field character is removed with its form data', async () => {
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

  test('a condition on the number of pages, which can repeat layout forever, keeps its last result', async () => {
    const condition = field(
      instruction('IF ') + field(instruction('NUMPAGES'), text('2')) + instruction(' > 1 "many" "one"'),
      text('many'),
    );
    const { package: opened, body } = await sanitize(documentOf(`<w:p>${condition}</w:p>`));
    expect(body).not.toMatch(/NUMPAGES|fldChar/);
    expect(body).toContain('many');
    expect(opened.dropped).toMatchObject([{ what: 'page count in a condition' }]);
  });

  test('a number of pages outside a condition stays', async () => {
    const { body } = await sanitize(documentOf(`<w:p>${field(instruction('NUMPAGES'), text('2'))}</w:p>`));
    expect(body).toContain('NUMPAGES');
  });

  test('too deeply nested fields are rejected', async () => {
    const deep = `<w:p>${mark('begin').repeat(51)}</w:p>`;
    await expect(sanitize(documentOf(deep))).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });

  testInWhole('a hundred thousand fields take linear time', async () => {
    const many = `<w:p>${field(instruction('DDE x'), text('s')).repeat(1_000)}</w:p>`.repeat(100);
    const startedAt = process.cpuUsage();
    const { package: opened } = await sanitize(documentOf(many));
    expect(opened.dropped).toHaveLength(100_000);
    expect(cpuMsSince(startedAt)).toBeLessThan(15_000);
  });
});
