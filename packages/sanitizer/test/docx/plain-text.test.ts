import { expect, test } from '@jest/globals';
import { minimalDocx, openPackage } from '@scriptorium/ooxml/package';
import { prepareDocx } from '../../src/sources/docx.ts';

const P = '<w:p><w:r><w:t>x</w:t></w:r></w:p>';
const TABLE = `<w:tbl><w:tblGrid><w:gridCol w:w="9000"/></w:tblGrid><w:tr><w:tc>${P}</w:tc></w:tr></w:tbl>`;
const IN_CONTROL = `<w:sdt><w:sdtContent>${TABLE}</w:sdtContent></w:sdt>`;

test.each([
  ['a table', TABLE, 'txt', `${TABLE}<w:p/>`],
  ['a table before the section', `${TABLE}<w:sectPr/>`, 'txt', `${TABLE}<w:p/><w:sectPr/>`],
  ['a table in a control', IN_CONTROL, 'txt', `${IN_CONTROL}<w:p/>`],
  ['a paragraph', `${TABLE}${P}`, 'txt', `${TABLE}${P}`],
  ['a table, for pages', TABLE, 'pdf', TABLE],
])('a body that ends in %s', async (_, body, to, prepared) => {
  const options = { revisions: 'markup', updateFields: 'none', to } as const;
  const { bytes } = await prepareDocx(minimalDocx(body), options);
  expect((await openPackage(bytes)).main.xml).toContain(`<w:body>${prepared}</w:body>`);
});

test('notes and text boxes that a plain text does not have are reported', async () => {
  const box = '<w:p><w:r><w:pict><w:txbxContent><w:p/></w:txbxContent></w:pict></w:r></w:p>';
  const note = '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>';
  const kinds = async (to: string) => {
    const options = { revisions: 'markup', updateFields: 'none', to } as const;
    return (await prepareDocx(minimalDocx(box + note), options)).dropped.map(({ what }) => what);
  };
  expect(await kinds('txt')).toEqual(['text box', 'note']);
  expect(await kinds('odt')).toEqual([]);
});
