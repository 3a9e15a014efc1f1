import { expect, test } from '@jest/globals';
import { presentationWith } from '@scriptorium/testing/fixtures/presentation';
import { partsOf, prepare } from './sanitizer-under-test.ts';

const run = (font: string) => `<a:r><a:rPr sz="1200"><a:latin typeface="${font}"/></a:rPr><a:t>x</a:t></a:r>`;
const spacing = (percent: number) => `<a:lnSpc><a:spcPct val="${percent}"/></a:lnSpc>`;
const POINTS = '<a:pPr><a:lnSpc><a:spcPts val="1200"/></a:lnSpc></a:pPr>';

/** A table with this paragraph in its cell. */
const tableOf = (paragraph: string) =>
  '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="2" name="t"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>' +
  '<p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table">' +
  `<a:tbl><a:tblPr/><a:tblGrid><a:gridCol w="9"/></a:tblGrid><a:tr h="9"><a:tc><a:txBody><a:bodyPr/><a:p>${paragraph}</a:p></a:txBody><a:tcPr/></a:tc></a:tr></a:tbl>` +
  '</a:graphicData></a:graphic></p:graphicFrame>';

test.each([
  ['Calibri', run('Calibri'), `<a:pPr>${spacing(120_000)}</a:pPr>${run('Calibri')}`],
  ['Arial', `<a:pPr algn="r"/>${run('Arial')}`, `<a:pPr algn="r">${spacing(107_431)}</a:pPr>${run('Arial')}`],
  [
    'Calibri, with tighter lines',
    `<a:pPr>${spacing(90_000)}</a:pPr>${run('Calibri')}`,
    `<a:pPr>${spacing(108_000)}</a:pPr>${run('Calibri')}`,
  ],
  [
    'Calibri, with space before',
    `<a:pPr><a:spcBef><a:spcPct val="0"/></a:spcBef></a:pPr>${run('Calibri')}`,
    `<a:pPr>${spacing(120_000)}<a:spcBef><a:spcPct val="0"/></a:spcBef></a:pPr>${run('Calibri')}`,
  ],
  ['Calibri, with lines in points', POINTS + run('Calibri'), POINTS + run('Calibri')],
  ['another font', run('Georgia'), run('Georgia')],
  ['two fonts', run('Arial') + run('Calibri'), run('Arial') + run('Calibri')],
  ['a font of the theme that is not there', run('+mn-lt'), run('+mn-lt')],
])('a paragraph of a table in %s has lines as high as in PowerPoint', async (_name, before, after) => {
  const slides = [{ shapes: tableOf(before) }];
  const { bytes } = await prepare('pptx', presentationWith({ slides }));
  expect((await partsOf(bytes))['ppt/slides/slide1.xml']).toContain(`<a:p>${after}</a:p>`);
});
