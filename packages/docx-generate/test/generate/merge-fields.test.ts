import { describe, expect, it, test } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { expressionsIn, foundIn, issuesOf, readingsOf } from './found.ts';
import { fromBody } from './generated.ts';

const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const field = (instruction: string, result = run('«x»')) =>
  mark('begin') + code(instruction) + mark('separate') + result + mark('end');
const w = expressionsIn('word');

describe('a merge field', () => {
  test.each([
    [' MERGEFIELD a.b ', { type: 'value', expression: w('a.b') }],
    [' MERGEFIELD  name  \\* MERGEFORMAT ', { type: 'value', expression: w('name') }],
    ['MERGEFIELD "first name" \\* MERGEFORMAT', { type: 'value', expression: w('first name') }],
    [' MERGEFIELD Image:logo ', { type: 'value', expression: w('logo'), as: 'image' }],
    [' MERGEFIELD TableStart:xs ', { type: 'open', kind: 'section', name: 'xs', expression: w('xs') }],
    [' MERGEFIELD "TableEnd:xs" \\* MERGEFORMAT', { type: 'close', name: 'xs' }],
    [' MERGEFIELD BeginGroup:xs ', { type: 'open', kind: 'section', name: 'xs', expression: w('xs') }],
    [' MERGEFIELD EndGroup:xs ', { type: 'close', name: 'xs' }],
  ])('%s has a meaning', async (instruction, meaning) => {
    const found = await foundIn(p(field(instruction.replaceAll('"', '&quot;'))));
    expect(readingsOf(found)).toEqual([[instruction.trim(), meaning]]);
    expect(found.syntaxes).toEqual(['word']);
  });

  it('stands in document order among the marks of text', async () => {
    const found = await foundIn(p(run('{a}') + field('MERGEFIELD b') + run('{c}')));
    expect(found.marks.map(({ written }) => written)).toEqual(['{a}', 'MERGEFIELD b', '{c}']);
    expect(found.syntaxes).toEqual(['curly', 'word']);
  });

  it('hides the text that it showed last', async () => {
    const found = await foundIn(p(field('MERGEFIELD b', run('{old}'))));
    expect(found.marks.map(({ written }) => written)).toEqual(['MERGEFIELD b']);
    expect((await fromBody(p(field('MERGEFIELD b', run('{old}'))), { b: 'new' })).shown()).toEqual(['new']);
  });

  it('is a range with another one', async () => {
    const body =
      p(field('MERGEFIELD TableStart:xs')) + p(field('MERGEFIELD n')) + p(field('MERGEFIELD TableEnd:xs'));
    expect((await fromBody(body, { xs: [{ n: 1 }, { n: 2 }] })).shown()).toEqual(['1', '2']);
  });

  it('is read in the languages auto and word only', async () => {
    const body = p(field('MERGEFIELD b') + run('{a}'));
    expect((await foundIn(body, { syntax: 'word' })).marks.map(({ written }) => written)).toEqual([
      'MERGEFIELD b',
    ]);
    expect((await foundIn(body, { syntax: 'curly' })).marks.map(({ written }) => written)).toEqual(['{a}']);
  });
});

describe('a field of a mail merge that is not taken', () => {
  test.each([
    [
      'a condition',
      mark('begin') + code(' IF ') + field('MERGEFIELD x') + code(' = 1 "y" ') + mark('end'),
      /field IF/,
    ],
    [
      'a condition on a field of one element',
      `${mark('begin')}${code(' IF ')}<w:fldSimple w:instr="MERGEFIELD x">${run('x')}</w:fldSimple>${code(' = 1')}${mark('end')}`,
      /field IF/,
    ],
    ['the next record', field(' NEXT '), /field NEXT/],
    ['a field that ends elsewhere', mark('begin') + code(' MERGEFIELD x '), /does not end/],
    [
      'a field that shares its run',
      `<w:r><w:t>a</w:t><w:fldChar w:fldCharType="begin"/></w:r>${code('MERGEFIELD x')}${mark('end')}`,
      /shares a run/,
    ],
  ])('is a mistake: %s', async (_, body, issue) => {
    const found = await foundIn(p(body));
    expect(issuesOf(found)).toEqual([expect.stringMatching(issue)]);
  });

  it('is none if it shows no data', async () => {
    const found = await foundIn(
      p(
        field(' PAGE ') +
          field(' DATE \\@ &quot;yyyy&quot; ') +
          field(' HYPERLINK &quot;x&quot; ', run('{a}')),
      ),
    );
    expect(issuesOf(found)).toEqual([]);
    expect(found.marks.map(({ written }) => written)).toEqual(['{a}']);
  });
});
