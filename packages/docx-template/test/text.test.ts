import { describe, expect, test } from '@jest/globals';
import { documentOf } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

/** A template with this body after its field `x` is filled with this value. */
async function filled(body: string, value: string, keepStyles = true): Promise<string> {
  const { xml } = await fill(templateOf(body), [text({ id: 'x' }, value, keepStyles)]);
  return /<w:body>(.*)<w:sectPr\/>/s.exec(xml())?.[1] ?? '';
}

const PROMPT = run('Click here', '<w:rStyle w:val="PlaceholderText"/>');

describe('the style of a text', () => {
  test('is the style of the first text run', async () => {
    const body = p(sdt({ tag: 'x' }, run('old', '<w:b/>') + run('older', '<w:i/>')));
    expect(await filled(body, 'new')).toContain(`<w:sdtContent>${run('new', '<w:b/>')}</w:sdtContent>`);
  });

  test('is empty on request', async () => {
    expect(await filled(p(sdt({ tag: 'x' }, run('old', '<w:b/>'))), 'new', false)).toContain(
      `<w:sdtContent>${run('new')}</w:sdtContent>`,
    );
  });

  test('is the style that the control defines instead of that of a prompt', async () => {
    const body = p(sdt({ tag: 'x', properties: '<w:rPr><w:b/></w:rPr><w:showingPlcHdr/>' }, PROMPT));
    const result = await filled(body, 'new');
    expect(result).toContain(run('new', '<w:b/>'));
    expect(result).not.toMatch(/showingPlcHdr|PlaceholderText/);
  });

  test('is the style of the paragraph if only a prompt has one, without the mark of a change', async () => {
    const body = p(
      sdt({ tag: 'x', properties: '<w:showingPlcHdr/>' }, PROMPT),
      '<w:rPr><w:ins w:id="1" w:author="A"/><w:sz w:val="40"/></w:rPr>',
    );
    expect(await filled(body, 'new')).toContain(run('new', '<w:sz w:val="40"/>'));
  });

  test('keeps the right-to-left direction of a prompt', async () => {
    const prompt = run('הקלד', '<w:rStyle w:val="PlaceholderText"/><w:rtl/>');
    expect(await filled(p(sdt({ tag: 'x', properties: '<w:showingPlcHdr/>' }, prompt)), 'שלום')).toContain(
      run('שלום', '<w:rtl/>'),
    );
  });

  test('is not a tracked change, although the previous content was one', async () => {
    const body = p(
      sdt(
        { tag: 'x' },
        `<w:ins w:id="1" w:author="A">${run('old', '<w:b/><w:rPrChange w:id="2" w:author="A"><w:rPr/></w:rPrChange>')}</w:ins>`,
      ),
    );
    expect(await filled(body, 'new')).toContain(`<w:sdtContent>${run('new', '<w:b/>')}</w:sdtContent>`);
  });
});

describe('a value', () => {
  test('with several lines becomes breaks in a run, and paragraphs in a block', async () => {
    expect(await filled(p(sdt({ tag: 'x' }, run('old'))), 'a\tb\r\nc')).toContain(
      '<w:t xml:space="preserve">a</w:t><w:tab/><w:t xml:space="preserve">b</w:t><w:br/><w:t xml:space="preserve">c</w:t>',
    );
    const paragraph = (line: string) => p(run(line), '<w:jc w:val="center"/>');
    expect(await filled(sdt({ tag: 'x' }, p(run('old'), '<w:jc w:val="center"/>')), 'a\nb')).toContain(
      `<w:sdtContent>${paragraph('a')}${paragraph('b')}</w:sdtContent>`,
    );
  });

  test('with several lines stays one paragraph in a plain text control, which becomes multi-line', async () => {
    const result = await filled(sdt({ tag: 'x', properties: '<w:text/>' }, p(run('old'))), 'a\nb');
    expect(result).toContain('<w:text w:multiLine="1"/>');
    expect(result.match(/<w:p>/g)).toHaveLength(1);
  });

  test('with more paragraphs than a document can contain is rejected', async () => {
    const body = sdt({ tag: 'x' }, p(run('old'), `<w:pStyle w:val="${'x'.repeat(1_000)}"/>`));
    await expect(filled(body, '\n'.repeat(1_000_000))).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
    });
  });

  test('that is empty clears the field', async () => {
    const result = await filled(p(sdt({ tag: 'x', properties: '<w:showingPlcHdr/>' }, PROMPT)), '');
    expect(result).not.toMatch(/Click here|showingPlcHdr/);
  });

  test.each([
    '<w:t>x</w:t>',
    '&amp; & &#65;',
    ']]>',
    '{customer}',
    '{{x}}',
    '$&$1',
    '"\'',
    '  spaces  ',
    '😀ŁЖ中',
  ])('stays literal: %s', async (value) => {
    expect(await filled(p(sdt({ tag: 'x' }, run('old'))), value)).toContain(
      run(value).replaceAll('"\'', "&quot;'"),
    );
  });
});

describe('a control is filled', () => {
  test('if it is empty, in both notations', async () => {
    expect(
      await filled(p('<w:sdt><w:sdtPr><w:tag w:val="x"/></w:sdtPr><w:sdtContent/></w:sdt>'), 'new'),
    ).toContain(`<w:sdtContent>${run('new')}</w:sdtContent>`);
    expect(await filled(sdt({ tag: 'x' }, ''), 'new')).toContain(
      `<w:sdtContent>${p(run('new'))}</w:sdtContent>`,
    );
  });

  test('around a cell, which keeps its properties', async () => {
    const row = (cell: string) =>
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>${cell}</w:tr></w:tbl>`;
    const cell = (content: string) => `<w:tc><w:tcPr><w:shd w:val="clear"/></w:tcPr>${content}</w:tc>`;
    expect(await filled(row(sdt({ tag: 'x' }, cell(p(run('old'))))), 'new')).toBe(
      row(sdt({ tag: 'x' }, cell(p(run('new'))))),
    );
  });

  test('around a row, in its first cell', async () => {
    const table = (first: string) =>
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>${sdt({ tag: 'x' }, `<w:tr><w:tc>${p(run(first))}</w:tc><w:tc>${p(run('kept'))}</w:tc></w:tr>`)}</w:tbl>`;
    expect(await filled(table('old'), 'new')).toBe(table('new'));
  });

  test('inside another one, which does not change', async () => {
    const body = (inner: string) => sdt({ tag: 'outer' }, p(run('before') + sdt({ tag: 'x' }, run(inner))));
    expect(await filled(body('old'), 'new')).toBe(body('new'));
  });

  test('if its text is split by proofing marks and revisions', async () => {
    const body = p(
      sdt(
        { tag: 'x' },
        `<w:proofErr w:type="spellStart"/>${run('o')}<w:proofErr w:type="spellEnd"/>${run('ld')}`,
      ),
    );
    expect(await filled(body, 'new')).toBe(p(sdt({ tag: 'x' }, run('new'))));
  });

  test('even if it is locked, because locks apply to editing in Word', async () => {
    for (const lock of ['sdtLocked', 'contentLocked', 'sdtContentLocked']) {
      const result = await filled(
        p(sdt({ tag: 'x', properties: `<w:lock w:val="${lock}"/>` }, run('old'))),
        'new',
      );
      expect(result).toContain(`<w:lock w:val="${lock}"/>`);
      expect(result).toContain(run('new'));
    }
  });

  test('inside a run, where some editors write it', async () => {
    const body = (content: string) => p(`<w:r>${sdt({ tag: 'x' }, content)}</w:r>`);
    expect(await filled(body('<w:t>old</w:t>'), 'new')).toBe(body('<w:t xml:space="preserve">new</w:t>'));
    expect(await filled(body(run('old')), 'new')).toBe(body(run('new')));
  });

  test('with bookmarks and comments inside, whose ends stay balanced', async () => {
    const reference = '<w:r><w:commentReference w:id="4"/></w:r>';
    const body = p(
      '<w:bookmarkStart w:id="1" w:name="around"/>' +
        sdt(
          { tag: 'x' },
          `<w:bookmarkStart w:id="2" w:name="in"/>${run('old')}<w:bookmarkEnd w:id="1"/><w:commentRangeStart w:id="4"/>` +
            `${run('er')}<w:bookmarkEnd w:id="2"/><w:commentRangeEnd w:id="4"/>${reference}`,
        ),
    );
    const result = await filled(body, 'new');
    for (const id of [1, 2])
      expect(result).toMatch(new RegExp(`bookmarkStart w:id="${id}".*bookmarkEnd w:id="${id}"`));
    expect(result).toMatch(/commentRangeStart.*new.*commentRangeEnd.*commentReference/);
    expect(result).not.toMatch(/old|er</);
  });

  test('with a bookmark in a cell, which ends after its start', async () => {
    const body = (text: string) =>
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>${sdt({ tag: 'x' }, `<w:tc>${text}</w:tc>`)}</w:tr></w:tbl><w:p/>`;
    const start = '<w:bookmarkStart w:id="1" w:name="a"/>';
    const end = '<w:bookmarkEnd w:id="1"/>';
    expect(await filled(body(p(start + run('old') + end)), 'one\ntwo')).toBe(
      body(p(start + run('one')) + p(run('two') + end)),
    );
  });

  test('with a section end inside, which stays at the end of its content', async () => {
    const section = '<w:sectPr><w:pgSz w:w="15840" w:h="12240" w:orient="landscape"/></w:sectPr>';
    const body = (...content: string[]) => p(run('before')) + sdt({ tag: 'x' }, content.join('')) + p('');
    const template = body(p(run('old'), '<w:jc w:val="left"/>'), p('', section));
    expect(await filled(template, 'new')).toBe(body(p(run('new'), `<w:jc w:val="left"/>${section}`)));
    expect(await filled(template, '')).toBe(body(p('', `<w:jc w:val="left"/>${section}`)));
    expect(await filled(body(p(run('old')), p('', section)), 'a\nb')).toBe(
      body(p(run('a')), p(run('b'), section)),
    );
  });

  test('in documents with other prefixes, and in Strict documents', async () => {
    const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
    const body =
      '<x:body><x:p><x:sdt><x:sdtPr><x:tag x:val="x"/></x:sdtPr><x:sdtContent><x:r><x:t>old</x:t></x:r></x:sdtContent></x:sdt></x:p></x:body>';
    const { xml } = await fill(
      documentOf({ mainXml: `<x:document xmlns:x="${strict}">${body}</x:document>` }),
      [text({ id: 'x' }, 'new')],
    );
    expect(xml()).toContain('<x:sdtContent><x:r><x:t xml:space="preserve">new</x:t></x:r></x:sdtContent>');
    const unprefixed = body.replaceAll('x:', '').replace('val=', 'w:val=');
    const main = `<document xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${unprefixed}</document>`;
    expect((await fill(documentOf({ mainXml: main }), [text({ id: 'x' }, 'new')])).xml()).toContain(
      '>new</w:t>',
    );
  });
});

test('a filled part can be filled again', async () => {
  const body = p(sdt({ tag: 'x', properties: '<w:showingPlcHdr/>' }, PROMPT));
  const once = await fill(templateOf(body), [text({ id: 'x' }, 'first')]);
  const twice = await fill(once.bytes, [text({ id: 'x' }, 'second')]);
  expect(twice.xml()).toBe(once.xml().replace('first', 'second'));
});
