import { describe, expect, test } from '@jest/globals';
import { del, ins, mark, p, run, WHO } from '@scriptorium/testing/fixtures/tracked-changes';
import { resolvedBody } from './resolved.ts';

describe('content that was inserted, deleted or moved', () => {
  test('an insertion stays in the final text and is removed from the original', async () => {
    const body = p(run('a') + ins(run('b')));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b')));
    expect(await resolvedBody('original', body)).toBe(p(run('a')));
  });

  test('a deletion is removed from the final text and is ordinary text in the original', async () => {
    const body = p(run('a') + del('b'));
    expect(await resolvedBody('final', body)).toBe(p(run('a')));
    expect(await resolvedBody('original', body)).toBe(p(run('a') + run('b')));
  });

  test('moved text is at its target in the final text, and at its source in the original', async () => {
    const range = (name: string) => `<w:${name}RangeStart ${WHO} w:name="m"/>`;
    const body =
      p(`${range('moveFrom')}<w:moveFrom ${WHO}>${run('m')}</w:moveFrom><w:moveFromRangeEnd w:id="1"/>`) +
      p(`${range('moveTo')}<w:moveTo ${WHO}>${run('m')}</w:moveTo><w:moveToRangeEnd w:id="1"/>`);
    expect(await resolvedBody('final', body)).toBe(p('') + p(run('m')));
    expect(await resolvedBody('original', body)).toBe(p(run('m')) + p(''));
  });

  test('text that one author inserted and another deleted is in neither text', async () => {
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

  test('one end of a bookmark in deleted text stays, and a whole bookmark is removed', async () => {
    const start = (id: number) => `<w:bookmarkStart w:id="${id}" w:name="b${id}"/>`;
    const end = (id: number) => `<w:bookmarkEnd w:id="${id}"/>`;
    const body = p(
      `<w:del ${WHO}>${start(1)}${start(2)}<w:r><w:delText>x</w:delText></w:r>${end(2)}</w:del>${run('y')}${end(1)}`,
    );
    expect(await resolvedBody('final', body)).toBe(p(start(1) + run('y') + end(1)));
  });

  test('one end of a bookmark stays well-formed if its element has an end tag', async () => {
    const body = p(
      `<w:del ${WHO}><w:bookmarkStart w:id="1" w:name="b"></w:bookmarkStart></w:del><w:bookmarkEnd w:id="1"/>`,
    );
    expect(await resolvedBody('final', body)).toBe(
      p('<w:bookmarkStart w:id="1" w:name="b"/><w:bookmarkEnd w:id="1"/>'),
    );
  });

  test('a comment anchored in deleted text leaves no end of its range', async () => {
    const [start, end] = ['<w:commentRangeStart w:id="0"/>', '<w:commentRangeEnd w:id="0"/>'];
    const body = p(
      `${start}<w:del ${WHO}><w:r><w:delText>x</w:delText></w:r>${end}<w:r><w:commentReference w:id="0"/></w:r></w:del>${run('y')}`,
    );
    expect(await resolvedBody('final', body)).toBe(p(start + end + run('y')));
  });
});

describe('content controls and formulas', () => {
  const range = (name: string, id: number) => `<w:customXml${name} w:id="${id}" w:author="A"/>`;
  const control = (kind: string, content: string) =>
    `${range(`${kind}RangeStart`, 1)}<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent>${range(`${kind}RangeEnd`, 1)}${content}` +
    `${range(`${kind}RangeStart`, 2)}</w:sdtContent></w:sdt>${range(`${kind}RangeEnd`, 2)}`;
  const kept = (content: string) =>
    `<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;

  test('an inserted control is removed from the original, and its text stays', async () => {
    expect(await resolvedBody('final', p(control('Ins', run('a'))))).toBe(p(kept(run('a'))));
    expect(await resolvedBody('original', p(control('Ins', run('a'))))).toBe(p(run('a')));
  });

  test('paragraphs merge across the tags of a deleted control', async () => {
    const body = p(run('a'), mark('del')) + control('Del', p(run('b'), mark('del'))) + p(run('c'));
    expect(await resolvedBody('final', body)).toBe(p(run('a') + run('b') + run('c')));
    expect(await resolvedBody('original', body)).toContain('<w:sdt>');
  });

  test('inserted custom XML loses its tags in the original', async () => {
    const body =
      `${range('InsRangeStart', 1)}<w:customXml w:element="e"><w:customXmlPr/>${range('InsRangeEnd', 1)}${p(run('a'))}` +
      `${range('InsRangeStart', 2)}</w:customXml>${range('InsRangeEnd', 2)}${p('')}`;
    expect(await resolvedBody('original', body)).toBe(p(run('a')) + p(''));
  });

  test('runs of a formula are inserted and deleted, and an empty formula is removed', async () => {
    const math = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const body = p(`<m:oMath>${math('a')}<w:ins ${WHO}>${math('b')}</w:ins></m:oMath>`);
    expect(await resolvedBody('original', body)).toBe(p(`<m:oMath>${math('a')}</m:oMath>`));
    const whole = p(
      `${run('x')}<m:oMathPara><m:oMath><w:ins ${WHO}>${math('b')}</w:ins></m:oMath></m:oMathPara>`,
    );
    expect(await resolvedBody('original', whole)).toBe(p(run('x')));
  });

  test('a fraction with a deleted bar leaves its content', async () => {
    const math = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const fraction = (change: string) =>
      `<m:f><m:fPr><m:ctrlPr>${change}</m:ctrlPr></m:fPr><m:num>${math('a')}</m:num><m:den>${math('b')}</m:den></m:f>`;
    const body = p(`<m:oMath>${fraction(`<w:del ${WHO}><w:rPr/></w:del>`)}</m:oMath>`);
    expect(await resolvedBody('final', body)).toBe(p(`<m:oMath>${math('a')}${math('b')}</m:oMath>`));
    expect(await resolvedBody('original', body)).toBe(p(`<m:oMath>${fraction('<w:rPr/>')}</m:oMath>`));
  });
});
