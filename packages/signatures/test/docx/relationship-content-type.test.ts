import { expect, test } from '@jest/globals';
import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import { writeArchive } from '@scriptorium/ooxml/zip';
import { writeManifest } from '../../src/opc/manifest.ts';
import { openSignable } from '../../src/opc/signable.ts';

const OFFICE = 'http://schemas.openxmlformats.org';

function documentWith(relationshipsType: string): Buffer {
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="${relationshipsType}"/>` +
      '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body><w:p/></w:body></w:document>`,
  };
  const entries = Object.entries(parts).map(([name, xml]) => ({
    name,
    data: Buffer.from(XML_DECLARATION + xml),
  }));
  return writeArchive(entries, { isCompressed: true });
}

test('a document whose relationships have another content type is rejected, because a signature would not be valid', async () => {
  const [good, other] = ['relationships', 'relationship'].map((name) =>
    documentWith(`application/vnd.openxmlformats-package.${name}+xml`),
  ) as [Buffer, Buffer];
  expect(writeManifest(await openSignable(good), 'sha256')).toContain('/_rels/.rels');
  const signable = await openSignable(other);
  expect(() => writeManifest(signable, 'sha256')).toThrow(
    expect.objectContaining({
      code: 'INVALID_FILE_FORMAT',
      message: expect.stringContaining('/_rels/.rels'),
    }),
  );
});
