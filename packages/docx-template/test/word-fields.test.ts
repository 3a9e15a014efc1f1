import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { shownTexts } from '@scriptorium/testing/office';
import { fill, inspected, text } from './filling.ts';

const mark = (type: string, inside = '') =>
  `<w:r><w:fldChar w:fldCharType="${type}"${inside === '' ? '/>' : `>${inside}</w:fldChar>`}</w:r>`;
const instruction = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const merge = (name: string, properties = '') =>
  mark('begin') +
  instruction(` MERGEFIELD ${name} `) +
  mark('separate') +
  run(`«${name}»`, properties) +
  mark('end');
const form = (name: string, result = run('     ')) =>
  mark('begin', `<w:ffData><w:name w:val="${name}"/><w:enabled/><w:textInput/></w:ffData>`) +
  instruction(' FORMTEXT ') +
  mark('separate') +
  result +
  mark('end');

describe('a merge field', () => {
  test.each([
    ['of several runs', merge('Name', '<w:b/>'), '<w:b/>'],
    [
      'whose instruction is split',
      mark('begin') +
        instruction(' MERGE') +
        instruction('FIELD &quot;Name&quot; \\* MERGEFORMAT') +
        mark('separate') +
        run('x') +
        mark('end'),
      '',
    ],
    ['without a result', mark('begin') + instruction('MERGEFIELD Name') + mark('end'), ''],
    [
      'of one element',
      `<w:fldSimple w:instr=" MERGEFIELD Name \\* MERGEFORMAT ">${run('«Name»', '<w:i/>')}</w:fldSimple>`,
      '<w:i/>',
    ],
  ])('%s becomes the value in its format', async (_, field, style) => {
    const { xml, report } = await fill(templateOf(p(run('Dear ') + field + run(','))), [
      text({ id: 'Name' }, 'Ada & Co'),
    ]);
    expect(xml()).toContain(p(run('Dear ') + run('Ada & Co', style) + run(',')));
    expect(report).toMatchObject({ filled: 1, unmatched: { count: 0 } });
  });

  test('stays as it was without a value, and as the start of a range of a mail merge', async () => {
    const source = templateOf(p(merge('Name') + merge('TableStart:Name')));
    expect(
      (await fill(source, [text({ id: 'Other' }, 'Ada'), text({ id: 'TableStart:Name' }, 'x')])).bytes,
    ).toEqual(source);
  });

  test('is filled together with placeholders of its name, and not if a control has the name', async () => {
    const both = templateOf(p(merge('x') + run(' {x}')));
    expect((await fill(both, [text({ id: 'x' }, 'Ada')])).report.filled).toBe(2);
    const control = templateOf(p(merge('x') + sdt({ id: 5, tag: 'x' }, run('old'))));
    expect((await fill(control, [text({ id: 'x' }, 'Ada')])).xml()).toContain('MERGEFIELD');
  });

  test('in a condition of another field stays', async () => {
    const outer =
      mark('begin') +
      instruction(' IF ') +
      merge('x') +
      instruction(' = 1 ') +
      mark('separate') +
      run('y') +
      mark('end');
    const source = templateOf(p(outer));
    expect((await fill(source, [text({ id: 'x' }, 'Ada')])).bytes).toEqual(source);
  });
});

describe('a form field', () => {
  testInWhole('keeps its form and shows the value', async () => {
    const source = templateOf(
      p(run('Name: ') + form('Name', run('old', '<w:u w:val="single"/>')) + run('.')),
    );
    const { xml, bytes } = await fill(source, [text({ id: 'Name' }, 'Ada')]);
    expect(xml()).toContain(`${mark('separate')}${run('Ada', '<w:u w:val="single"/>')}${mark('end')}`);
    expect((await shownTexts([bytes]))[0]).toContain('Name: Ada.');
    const again = await fill(bytes, [text({ id: 'Name' }, 'Bob')]);
    expect(again.xml()).toContain('Bob');
    expect(again.xml()).not.toContain('Ada');
  });

  test('without a result gets one', async () => {
    const { xml } = await fill(templateOf(p(form('Name', ''))), [text({ id: 'Name' }, 'Ada')]);
    expect(xml()).toContain(`${mark('separate')}${run('Ada')}${mark('end')}`);
  });
});

test('inspecting lists the fields of Word with their kind and count', async () => {
  const source = templateOf(p(merge('Name') + merge('Name') + form('Town') + run('{x}')));
  const { fields } = await inspected(source);
  expect(
    fields.map(({ id, count, options, location }) => [
      id,
      count,
      options.control,
      'level' in location && location.level,
    ]),
  ).toEqual([
    ['x', 1, 'placeholder', 'placeholder'],
    ['Name', 2, 'merge field', 'field'],
    ['Town', 1, 'form field', 'field'],
  ]);
});
