import { expect, test } from '@jest/globals';
import { templateOf } from '@scriptorium/testing/fixtures/templates/template';
import { cell, paragraph, row, table } from '@scriptorium/testing/fixtures/templates/word';
import { bare } from '@scriptorium/testing/fixtures/word-markup';
import { shownTexts } from '@scriptorium/testing/office';
import { faultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fill, text } from './filling.ts';

const box = (content: string) =>
  '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">' +
  '<wp:extent cx="2000000" cy="600000"/><wp:docPr id="1" name="box"/><a:graphic>' +
  '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>' +
  '<wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="600000"/></a:xfrm>' +
  `<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx>` +
  '<wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice></mc:AlternateContent></w:r>';

test('LibreOffice shows the values in every part of a document, and unfilled placeholders unchanged', async () => {
  const note = '<w:r><w:footnoteReference w:id="1"/></w:r>';
  const source = templateOf({
    body:
      paragraph(
        bare('Dear {fi') + bare('rst', '<w:b/>') + bare('} {last}, {{unknown}} \\frac{a}{b}') + note,
      ) +
      paragraph(box(paragraph(bare('in a box: {last}')))) +
      table(2, [row([cell('{first}'), cell('{unknown}')])]) +
      paragraph(''),
    header: paragraph('Letter to {last}'),
    footer: paragraph('Page for {last}'),
    footnote: paragraph('a note on {first}'),
  });
  const { bytes, report } = await fill(source, [
    text({ id: 'first' }, 'Ada'),
    text({ id: 'last' }, 'Löwe & {first}'),
  ]);
  expect(report).toMatchObject({ filled: 7, unmatched: { count: 0 } });
  expect(await faultsOf(bytes)).toEqual([]);
  const [shown = ''] = await shownTexts([bytes]);
  const words = shown.replaceAll(/\s+/g, ' ');
  for (const expected of [
    'Letter to Löwe & {first}',
    'Page for Löwe & {first}',
    'Dear Ada Löwe & {first}, {{unknown}} \\frac{a}{b}',
    'in a box: Löwe & {first}',
    'a note on Ada',
    'Ada {unknown}',
  ])
    expect(words).toContain(expected);
});
