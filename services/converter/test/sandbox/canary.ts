import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentXml, escapeXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';

const OFFICE = 'http://schemas.openxmlformats.org';
const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const SVG =
  'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="400" height="100"';

export const CANARY = 'canary';

/** Writes a picture of that word to a directory. */
export function writeCanary(dir: string): string {
  const path = join(dir, 'canary.svg');
  writeFileSync(path, `<svg ${SVG}><text x="10" y="50" font-size="30">${CANARY}</text></svg>`, {
    mode: 0o644,
  });
  return path;
}

/** A document with a picture that shows a file of the host: LibreOffice's own settings do not prevent that. */
export function documentShowing(path: string): Buffer {
  const drawing =
    `<w:p><w:r><w:drawing><wp:inline xmlns:wp="${OFFICE}/drawingml/2006/wordprocessingDrawing">` +
    '<wp:extent cx="4000000" cy="1000000"/><wp:docPr id="1" name="picture"/>' +
    `<a:graphic xmlns:a="${OFFICE}/drawingml/2006/main"><a:graphicData uri="${OFFICE}/drawingml/2006/picture">` +
    `<pic:pic xmlns:pic="${OFFICE}/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/></pic:nvPicPr>` +
    `<pic:blipFill><a:blip xmlns:r="${RELATIONSHIP}" r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>` +
    '<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="4000000" cy="1000000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr>' +
    '</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
  const entries = packageEntries({
    mainXml: documentXml(['The document itself']).replace('<w:sectPr>', `${drawing}<w:sectPr>`),
    parts: [
      {
        name: 'word/_rels/document.xml.rels',
        data:
          `<Relationships xmlns="${OFFICE}/package/2006/relationships">` +
          `<Relationship Id="rId1" Type="${RELATIONSHIP}/image" Target="media/picture.svg"/></Relationships>`,
      },
      {
        name: 'word/media/picture.svg',
        data: `<svg ${SVG}><image xlink:href="file://${escapeXml(path)}" width="400" height="100"/></svg>`,
      },
    ],
  });
  const type = '<Default Extension="svg" ContentType="image/svg+xml"/>';
  return zip(
    entries.map((entry) =>
      entry.name === '[Content_Types].xml'
        ? { ...entry, data: String(entry.data).replace('<Override', `${type}<Override`) }
        : entry,
    ),
  );
}
