import { describe, expect, test } from '@jest/globals';
import {
  del,
  ins,
  mark,
  p,
  row,
  run,
  style,
  table,
  WHO,
} from '@scriptorium/testing/fixtures/tracked-changes';
import { resolvedBody } from './resolved.ts';

describe('tables', () => {
  const change = (name: string) => `<w:${name} ${WHO}/>`;

  test('a deleted row is removed from the final text, and an inserted one from the original', async () => {
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

  test('a table without remaining rows is removed', async () => {
    const body = p(run('a')) + table(row(p(del('b')), change('del'))) + p(run('c'));
    expect(await resolvedBody('final', body)).toBe(p(run('a')) + p(run('c')));
  });

  test('a cell gets a paragraph if its nested table is removed', async () => {
    const body = table(row(p(run('a')) + table(row(p(''), change('del'))))) + p('');
    expect(await resolvedBody('final', body)).toBe(table(row(p(run('a')))) + p(''));
    const bare = table(row(table(row(p(''), change('del'))))) + p('');
    expect(await resolvedBody('final', bare)).toBe(table(row('<w:p/>')) + p(''));
  });

  test('a bookmark that ends in a deleted row ends at its place', async () => {
    const body =
      p(`<w:bookmarkStart w:id="1" w:name="b"/>${run('a')}`) +
      table(row(p(run('b'))), row(p('<w:bookmarkEnd w:id="1"/>'), change('del'))) +
      p('');
    expect(await resolvedBody('final', body)).toContain('</w:tr><w:bookmarkEnd w:id="1"/></w:tbl>');
  });

  test('deleted cells are removed from the final text, and inserted ones from the original', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${p(run(text))}</w:tc>`;
    const body = `${table(`<w:tr>${cell('a')}${cell('b', change('cellIns'))}${cell('c', change('cellDel'))}</w:tr>`)}${p('')}`;
    expect(await resolvedBody('final', body)).toBe(table(`<w:tr>${cell('a')}${cell('b')}</w:tr>`) + p(''));
    expect(await resolvedBody('original', body)).toBe(table(`<w:tr>${cell('a')}${cell('c')}</w:tr>`) + p(''));
    const whole = `${p(run('x'))}${table(`<w:tr>${cell('c', change('cellDel'))}</w:tr>`)}${p('')}`;
    expect(await resolvedBody('final', whole)).toBe(p(run('x')) + p(''));
  });

  test('a change of a vertical merge is accepted or rejected', async () => {
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

describe('property changes', () => {
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
    'give %s the new properties in the final text and the old ones in the original',
    async (_, now, old, name, body) => {
      const record = `<w:${name}Change ${WHO}><w:${name}>${old}</w:${name}></w:${name}Change>`;
      expect(await resolvedBody('final', body(now + record))).toBe(body(now));
      expect(await resolvedBody('original', body(now + record))).toBe(body(old));
      const empty = `<w:${name}Change ${WHO}><w:${name}/></w:${name}Change>`;
      expect(await resolvedBody('original', body(now + empty))).toBe(body(name === 'tblGrid' ? now : ''));
    },
  );

  test('keep the properties of a paragraph’s mark and section when its old ones are restored', async () => {
    const record = `<w:pPrChange ${WHO}><w:pPr>${style('Old')}</w:pPr></w:pPrChange>`;
    const bold = `<w:rPr><w:ins ${WHO}/><w:i/><w:rPrChange ${WHO}><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr>`;
    const section = '<w:sectPr><w:cols w:num="2"/></w:sectPr>';
    const body = p(run('a'), style('New') + bold + section + record);
    expect(await resolvedBody('original', body)).toBe(
      p(run('a'), `${style('Old')}<w:rPr><w:b/></w:rPr>${section}`),
    );
  });

  test('keep the headers of a section when its old properties are restored', async () => {
    const header = '<w:headerReference w:type="default" w:id="h"/>';
    const record = `<w:sectPrChange ${WHO}><w:sectPr><w:cols w:num="2"/></w:sectPr></w:sectPrChange>`;
    const body = `${p('')}<w:sectPr>${header}<w:cols w:num="1"/>${record}</w:sectPr>`;
    expect(await resolvedBody('original', body)).toBe(
      `${p('')}<w:sectPr>${header}<w:cols w:num="2"/></w:sectPr>`,
    );
  });

  test('give a joined paragraph the restored properties of the last one', async () => {
    const record = `<w:pPrChange ${WHO}><w:pPr>${style('Old')}</w:pPr></w:pPrChange>`;
    const body = p(run('a'), style('A') + mark('ins')) + p(run('b'), style('New') + record);
    expect(await resolvedBody('original', body)).toBe(p(run('a') + run('b'), style('Old')));
  });

  test('remove inserted numbering from the original', async () => {
    const numbering = (change: string) => `<w:numPr><w:numId w:val="1"/>${change}</w:numPr>`;
    const body = p(run('a'), numbering(`<w:ins ${WHO}/>`));
    expect(await resolvedBody('final', body)).toBe(p(run('a'), numbering('')));
    expect(await resolvedBody('original', body)).toBe('<w:p><w:pPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>');
  });
});
