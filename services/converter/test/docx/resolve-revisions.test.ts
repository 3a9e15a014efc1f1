import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/shared/ooxml/open-package';
import { docxWith } from '@scriptorium/shared/testing/fixtures/docx';
import { resolveRevisions } from '../../src/docx/resolve-revisions.ts';
import { contentOf, documentOf, resolved, resolvedBody, wordXml } from './resolved.ts';

const WHO = 'w:id="1" w:author="A" w:date="2024-01-01T00:00:00Z"';
const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const ins = (content: string) => `<w:ins ${WHO}>${content}</w:ins>`;
const del = (text: string) => `<w:del ${WHO}><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
const mark = (...changes: string[]) =>
  `<w:rPr>${changes.map((change) => `<w:${change} ${WHO}/>`).join('')}</w:rPr>`;
const p = (content: string, properties = '') =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`;
const style = (name: string) => `<w:pStyle w:val="${name}"/>`;
const row = (content: string, properties = '') =>
  `<w:tr>${properties === '' ? '' : `<w:trPr>${properties}</w:trPr>`}<w:tc><w:tcPr/>${content}</w:tc></w:tr>`;
const table = (...rows: string[]) => `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join('')}</w:tbl>`;

describe('content that was inserted, deleted or moved', () => {
  test('an insertion stays in the final text and is gone from the original', async () => {
    const body = p(run('a') + ins(run('b')));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
    expect(await resolvedBody('original', body)).toBe(p(run('a')));
  });

  test('a deletion is gone from the final text and is ordinary text in the original', async () => {
    const body = p(run('a') + del('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a')));
    expect(await resolvedBody('original', body)).toBe(p(run('a') + run('b')));
  });

  test('moved text is where it came to in the final text, and where it was in the original', async () => {
    const range = (name: string) => `<w:${name}RangeStart ${WHO} w:name="m"/>`;
    const body =
      p(`${range('moveFrom')}<w:moveFrom ${WHO}>${run('m')}</w:moveFrom><w:moveFromRangeEnd w:id="1"/>`) +
      p(`${range('moveTo')}<w:moveTo ${WHO}>${run('m')}</w:moveTo><w:moveToRangeEnd w:id="1"/>`);
    expect(await resolvedBody('final', body)).toBe(p('') + p(run('m')));
    expect(await resolvedBody('original', body)).toBe(p(run('m')) + p(''));
  });

  test('what one author inserted and another deleted is in neither text', async () => {
    const body = p(run('a') + ins(run('b') + del('c')));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
    expect(await resolvedBody('original', body)).toBe(p(run('a')));
  });

  test('changes inside hyperlinks and content controls are resolved there', async () => {
    const body = p(
      `<w:hyperlink w:anchor="x">${ins(run('a'))}${del('b')}</w:hyperlink>` +
        `<w:sdt><w:sdtPr/><w:sdtContent>${ins(run('c'))}${del('d')}</w:sdtContent></w:sdt>`,
    );
    expect(await resolvedBody('final', body)).toBe(
      p(
        `<w:hyperlink w:anchor="x">${run('a')}</w:hyperlink><w:sdt><w:sdtPr/><w:sdtContent>${run('c')}</w:sdtContent></w:sdt>`,
      ),
    );
  });

  test('a deleted field instruction is an instruction again in the original, with its spaces', async () => {
    const field = `<w:r><w:delInstrText xml:space="preserve"> PAGE </w:delInstrText></w:r>`;
    const body = p(`<w:del ${WHO}>${field}</w:del>`);
    expect(await resolvedBody('original', body)).toBe(
      p('<w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r>'),
    );
    expect(await resolvedBody('final', body)).toBe(p(''));
  });

  test('insertions and deletions of a merge conflict are resolved like others', async () => {
    const body = p(
      `<w14:conflictIns ${WHO}>${run('a')}</w14:conflictIns><w14:conflictDel ${WHO}>${run('b')}</w14:conflictDel>`,
    );
    expect(await resolvedBody('final', body)).toBe(p(run('a')));
    expect(await resolvedBody('original', body)).toBe(p(run('b')));
  });

  test('prefixes other than w, and none, are understood', async () => {
    const namespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const body =
      `<x:p xmlns:x="${namespace}"><x:del ${WHO}><x:r><x:delText>a</x:delText></x:r></x:del></x:p>` +
      `<p xmlns="${namespace}"><del ${WHO}><r><delText>b</delText></r></del></p>`;
    expect(await resolvedBody('original', body)).toBe(
      `<x:p xmlns:x="${namespace}"><x:r><x:t>a</x:t></x:r></x:p><p xmlns="${namespace}"><r><t>b</t></r></p>`,
    );
  });

  test('half a bookmark in deleted text stays, and a whole one goes with it', async () => {
    const start = (id: number) => `<w:bookmarkStart w:id="${id}" w:name="b${id}"/>`;
    const end = (id: number) => `<w:bookmarkEnd w:id="${id}"/>`;
    const body = p(
      `<w:del ${WHO}>${start(1)}${start(2)}<w:r><w:delText>x</w:delText></w:r>${end(2)}</w:del>${run('y')}${end(1)}`,
    );
    expect(await resolvedBody('final', body)).toBe(p(start(1) + run('y') + end(1)));
  });

  test('a comment anchored in deleted text leaves no half of its range', async () => {
    const [start, end] = ['<w:commentRangeStart w:id="0"/>', '<w:commentRangeEnd w:id="0"/>'];
    const body = p(
      `${start}<w:del ${WHO}><w:r><w:delText>x</w:delText></w:r>${end}<w:r><w:commentReference w:id="0"/></w:r></w:del>${run('y')}`,
    );
    expect(await resolvedBody('final', body)).toBe(p(start + end + run('y')));
  });
});

describe('paragraph marks', () => {
  test('a paragraph whose mark was deleted flows into the next one, with the properties of that', async () => {
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

  test('a list item that was deleted whole leaves nothing', async () => {
    const list = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    const item = (content: string, ...changes: string[]) => p(content, list + mark(...changes));
    const body = p(run('a')) + item(del('x'), 'del') + item(del('y'), 'del') + p(run('b'), style('B'));
    expect(await resolvedBody('final', body)).toBe(p(run('a')) + p(run('b'), style('B')));
  });

  test('a deleted hyperlink and field do not keep their paragraph alive', async () => {
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

  test('a deletion across a whole table joins what was before it and what is behind', async () => {
    const body =
      p(run('a') + del('x'), mark('del')) + table(row(p(del('y')), mark('del').slice(7, -8))) + p(run('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
  });

  test('the last paragraph of a cell stays, however much of it was deleted', async () => {
    const cell = p(del('x'), mark('del'));
    expect(await resolvedBody('final', table(row(cell)) + p(''))).toBe(
      table(row(p('', '<w:rPr></w:rPr>'))) + p(''),
    );
  });

  test('a deleted paragraph at the end goes where another one is left', async () => {
    expect(await resolvedBody('final', p(run('a')) + p(del('x'), mark('del')))).toBe(p(run('a')));
  });

  test('a section break goes with its mark', async () => {
    const section = '<w:sectPr><w:pgSz w:w="1"/></w:sectPr>';
    const body = p(run('a'), mark('del') + section) + p(run('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
  });

  test('a bookmark that begins in a deleted paragraph begins where that was', async () => {
    const body =
      p(`<w:bookmarkStart w:id="1" w:name="b"/>${del('x')}`, mark('del')) +
      p(`${run('a')}<w:bookmarkEnd w:id="1"/>`);
    expect(await resolvedBody('final', body)).toBe(
      `<w:bookmarkStart w:id="1" w:name="b"/>${p(`${run('a')}<w:bookmarkEnd w:id="1"/>`)}`,
    );
  });

  test('an inserted mark that was deleted again is in neither text', async () => {
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

  test('paragraphs of a text box are joined inside of it', async () => {
    const box = (content: string) =>
      `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${content}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
    const body = p(box(p(run('a'), mark('del')) + p(run('b'))), mark('del')) + p(run('c'));
    expect(await resolvedBody('final', body)).toBe(p(box(p(run('a') + run('b'))) + run('c')));
  });
});

describe('tables', () => {
  const change = (name: string) => `<w:${name} ${WHO}/>`;

  test('a deleted row is gone from the final text, an inserted one from the original', async () => {
    const body =
      table(row(p(run('a'))), row(p(ins(run('b'))), change('ins')), row(p(del('c')), change('del'))) + p('');
    expect(await resolvedBody('final', body)).toBe(
      table(
        row(p(run('a'))),
        '<w:tr><w:trPr></w:trPr><w:tc><w:tcPr/><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>',
      ) + p(''),
    );
    expect(await resolvedBody('original', body)).toContain('<w:t>c</w:t>');
    expect(await resolvedBody('original', body)).not.toContain('<w:t>b</w:t>');
  });

  test('a table without a row left goes', async () => {
    const body = p(run('a')) + table(row(p(del('b')), change('del'))) + p(run('c'));
    expect(await resolvedBody('final', body)).toBe(p(run('a')) + p(run('c')));
  });

  test('a cell whose nested table goes has a paragraph', async () => {
    const body = table(row(p(run('a')) + table(row(p(''), change('del'))))) + p('');
    expect(await resolvedBody('final', body)).toBe(table(row(p(run('a')))) + p(''));
    const bare = table(row(table(row(p(''), change('del'))))) + p('');
    expect(await resolvedBody('final', bare)).toBe(table(row('<w:p/>')) + p(''));
  });

  test('a bookmark that ends in a deleted row ends where that was', async () => {
    const body =
      p(`<w:bookmarkStart w:id="1" w:name="b"/>${run('a')}`) +
      table(row(p(run('b'))), row(p('<w:bookmarkEnd w:id="1"/>'), change('del'))) +
      p('');
    expect(await resolvedBody('final', body)).toContain('</w:tr><w:bookmarkEnd w:id="1"/></w:tbl>');
  });

  test('cells that were deleted or inserted go from the one text or the other', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${p(run(text))}</w:tc>`;
    const body = `${table(`<w:tr>${cell('a')}${cell('b', change('cellIns'))}${cell('c', change('cellDel'))}</w:tr>`)}${p('')}`;
    expect(await resolvedBody('final', body)).toBe(table(`<w:tr>${cell('a')}${cell('b')}</w:tr>`) + p(''));
    expect(await resolvedBody('original', body)).toBe(table(`<w:tr>${cell('a')}${cell('c')}</w:tr>`) + p(''));
    const whole = `${p(run('x'))}${table(`<w:tr>${cell('c', change('cellDel'))}</w:tr>`)}${p('')}`;
    expect(await resolvedBody('final', whole)).toBe(p(run('x')) + p(''));
  });

  test('a change of a vertical merge is made, or undone', async () => {
    const cell = (properties: string) => `<w:tr><w:tc><w:tcPr>${properties}</w:tcPr><w:p/></w:tc></w:tr>`;
    const width = '<w:tcW w:w="5"/>';
    const body = `${table(cell(`${width}<w:noWrap/><w:cellMerge ${WHO} w:vMerge="cont" w:vMergeOrig="rest"/>`))}${p('')}`;
    expect(await resolvedBody('final', body)).toContain(
      cell(`${width}<w:vMerge w:val="continue"/><w:noWrap/>`),
    );
    expect(await resolvedBody('original', body)).toContain(
      cell(`${width}<w:vMerge w:val="restart"/><w:noWrap/>`),
    );
  });
});

describe('changes of properties', () => {
  test.each([
    ['a run', '<w:b/>', '<w:i/>', 'rPr', (x: string) => p(`<w:r><w:rPr>${x}</w:rPr><w:t>a</w:t></w:r>`)],
    [
      'a table',
      '<w:jc w:val="left"/>',
      '<w:jc w:val="right"/>',
      'tblPr',
      (x: string) => `<w:tbl><w:tblPr>${x}</w:tblPr><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>`,
    ],
    [
      'a grid',
      '<w:gridCol w:w="1"/>',
      '<w:gridCol w:w="2"/>',
      'tblGrid',
      (x: string) => `<w:tbl><w:tblGrid>${x}</w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>`,
    ],
    [
      'a row',
      '<w:cantSplit/>',
      '<w:tblHeader/>',
      'trPr',
      (x: string) => `<w:tbl><w:tr><w:trPr>${x}</w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>`,
    ],
    [
      'a row’s exception',
      '<w:jc w:val="left"/>',
      '<w:jc w:val="right"/>',
      'tblPrEx',
      (x: string) => `<w:tbl><w:tr><w:tblPrEx>${x}</w:tblPrEx><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>`,
    ],
    [
      'a cell',
      '<w:noWrap/>',
      '<w:tcFitText/>',
      'tcPr',
      (x: string) => `<w:tbl><w:tr><w:tc><w:tcPr>${x}</w:tcPr><w:p/></w:tc></w:tr></w:tbl><w:p/>`,
    ],
    [
      'a paragraph',
      '<w:keepNext/>',
      '<w:keepLines/>',
      'pPr',
      (x: string) => `<w:p><w:pPr>${x}</w:pPr>${run('a')}</w:p>`,
    ],
    [
      'a section',
      '<w:cols w:num="1"/>',
      '<w:cols w:num="2"/>',
      'sectPr',
      (x: string) => `${p('')}<w:sectPr>${x}</w:sectPr>`,
    ],
  ])(
    '%s has the new properties in the final text and the old ones in the original',
    async (_, now, old, name, body) => {
      const record = `<w:${name}Change ${WHO}><w:${name}>${old}</w:${name}></w:${name}Change>`;
      expect(await resolvedBody('final', body(now + record))).toBe(body(now));
      expect(await resolvedBody('original', body(now + record))).toBe(body(old));
      const empty = `<w:${name}Change ${WHO}><w:${name}/></w:${name}Change>`;
      expect(await resolvedBody('original', body(now + empty))).toBe(body(name === 'tblGrid' ? now : ''));
    },
  );

  test('a paragraph keeps its mark’s and section’s properties when its old ones come back', async () => {
    const record = `<w:pPrChange ${WHO}><w:pPr>${style('Old')}</w:pPr></w:pPrChange>`;
    const bold = `<w:rPr><w:ins ${WHO}/><w:i/><w:rPrChange ${WHO}><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr>`;
    const section = '<w:sectPr><w:cols w:num="2"/></w:sectPr>';
    const body = p(run('a'), style('New') + bold + section + record);
    expect(await resolvedBody('original', body)).toBe(
      p(run('a'), `${style('Old')}<w:rPr><w:b/></w:rPr>${section}`),
    );
  });

  test('a section keeps its headers when its old properties come back', async () => {
    const header = '<w:headerReference w:type="default" w:id="h"/>';
    const record = `<w:sectPrChange ${WHO}><w:sectPr><w:cols w:num="2"/></w:sectPr></w:sectPrChange>`;
    const body = `${p('')}<w:sectPr>${header}<w:cols w:num="1"/>${record}</w:sectPr>`;
    expect(await resolvedBody('original', body)).toBe(
      `${p('')}<w:sectPr>${header}<w:cols w:num="2"/></w:sectPr>`,
    );
  });

  test('a joined paragraph has the restored properties of the last one', async () => {
    const record = `<w:pPrChange ${WHO}><w:pPr>${style('Old')}</w:pPr></w:pPrChange>`;
    const body = p(run('a'), style('A') + mark('ins')) + p(run('b'), style('New') + record);
    expect(await resolvedBody('original', body)).toBe(p(run('a') + run('b'), style('Old')));
  });

  test('numbering that was inserted is gone from the original', async () => {
    const numbering = (change: string) => `<w:numPr><w:numId w:val="1"/>${change}</w:numPr>`;
    const body = p(run('a'), numbering(`<w:ins ${WHO}/>`));
    expect(await resolvedBody('final', body)).toBe(p(run('a'), numbering('')));
    expect(await resolvedBody('original', body)).toBe('<w:p><w:pPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>');
  });
});

describe('content controls and formulas', () => {
  const range = (name: string, id: number) => `<w:customXml${name} w:id="${id}" w:author="A"/>`;
  const control = (kind: string, content: string) =>
    `${range(`${kind}RangeStart`, 1)}<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent>${range(`${kind}RangeEnd`, 1)}${content}` +
    `${range(`${kind}RangeStart`, 2)}</w:sdtContent></w:sdt>${range(`${kind}RangeEnd`, 2)}`;
  const kept = (content: string) =>
    `<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;

  test('an inserted control is no control in the original, whose text stays', async () => {
    expect(await resolvedBody('final', p(control('Ins', run('a'))))).toBe(p(kept(run('a'))));
    expect(await resolvedBody('original', p(control('Ins', run('a'))))).toBe(p(run('a')));
  });

  test('paragraphs flow through the tags of a deleted control', async () => {
    const body = p(run('a'), mark('del')) + control('Del', p(run('b'), mark('del'))) + p(run('c'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b') + run('c')));
    expect(await resolvedBody('original', body)).toContain('<w:sdt>');
  });

  test('custom XML that was inserted loses its tags in the original', async () => {
    const body =
      `${range('InsRangeStart', 1)}<w:customXml w:element="e"><w:customXmlPr/>${range('InsRangeEnd', 1)}${p(run('a'))}` +
      `${range('InsRangeStart', 2)}</w:customXml>${range('InsRangeEnd', 2)}${p('')}`;
    expect(await resolvedBody('original', body)).toBe(p(run('a')) + p(''));
  });

  test('runs of a formula are inserted and deleted, and an empty formula goes', async () => {
    const math = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const body = p(`<m:oMath>${math('a')}<w:ins ${WHO}>${math('b')}</w:ins></m:oMath>`);
    expect(await resolvedBody('original', body)).toBe(p(`<m:oMath>${math('a')}</m:oMath>`));
    const whole = p(
      `${run('x')}<m:oMathPara><m:oMath><w:ins ${WHO}>${math('b')}</w:ins></m:oMath></m:oMathPara>`,
    );
    expect(await resolvedBody('original', whole)).toBe(p(run('x')));
  });

  test('a fraction whose bar was deleted leaves what stood in it', async () => {
    const math = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const fraction = (change: string) =>
      `<m:f><m:fPr><m:ctrlPr>${change}</m:ctrlPr></m:fPr><m:num>${math('a')}</m:num><m:den>${math('b')}</m:den></m:f>`;
    const body = p(`<m:oMath>${fraction(`<w:del ${WHO}><w:rPr/></w:del>`)}</m:oMath>`);
    expect(await resolvedBody('final', body)).toBe(p(`<m:oMath>${math('a')}${math('b')}</m:oMath>`));
    expect(await resolvedBody('original', body)).toBe(p(`<m:oMath>${fraction('<w:rPr/>')}</m:oMath>`));
  });
});

describe('a document', () => {
  test('has no tracked change left in any of its parts', async () => {
    const text = p(run('a') + ins(run('b')) + del('c'));
    const document = documentOf(text, {
      header: wordXml('hdr', text),
      footnotes: wordXml('footnotes', `<w:footnote w:id="1">${text}</w:footnote>`),
      styles: wordXml(
        'styles',
        `<w:style><w:rPr><w:b/><w:rPrChange ${WHO}><w:rPr/></w:rPrChange></w:rPr></w:style>`,
      ),
      settings: wordXml('settings', '<w:trackRevisions/><w:rsids/>'),
    });
    const final = await resolved('final', document);
    expect(contentOf(final, 'hdr', 'word/header.xml')).toBe(p(run('a') + run('b')));
    expect(contentOf(final, 'footnote ', 'word/footnotes.xml')).toContain(p(run('a') + run('b')));
    expect(contentOf(final, 'style>', 'word/styles.xml')).toContain('<w:rPr><w:b/></w:rPr>');
    expect(contentOf(final, 'settings', 'word/settings.xml')).toBe('<w:rsids/>');
    const original = await resolved('original', document);
    expect(contentOf(original, 'hdr', 'word/header.xml')).toBe(p(run('a') + run('c')));
    expect(contentOf(original, 'styles', 'word/styles.xml')).toContain('<w:rPr></w:rPr>');
  });

  test('without tracked changes is not touched', async () => {
    const document = await openPackage(docxWith(['inserted <w:ins> text']), [resolveRevisions('final')]);
    expect([...document.parts.values()].flatMap(({ edits }) => edits)).toEqual([]);
  });
});
