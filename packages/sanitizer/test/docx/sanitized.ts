import { type OoxmlPackage, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { escapeXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { type ZipEntry, zip } from '@scriptorium/testing/fixtures/zip';
import { sanitizers } from '../../src/docx/steps.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
export const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const NAMESPACES =
  `xmlns:w="${OFFICE}/wordprocessingml/2006/main" xmlns:r="${RELATIONSHIP}" ` +
  'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"';

export type Link = readonly [type: string, target: string, mode?: 'External'];

export function relationships(links: readonly Link[]): string {
  const items = links.map(
    ([type, target, mode], index) =>
      `<Relationship Id="rId${index + 1}" Type="${RELATIONSHIP}/${type}" Target="${escapeXml(target)}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
  );
  return `<Relationships xmlns="${OFFICE}/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** A document with this body, these relationships of its main part, and these additional parts and types. */
export function documentOf(
  body: string,
  links: readonly Link[] = [],
  parts: ZipEntry[] = [],
  types = '',
): Buffer {
  const mainXml = `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`;
  const rels = { name: 'word/_rels/document.xml.rels', data: relationships(links) };
  const entries = packageEntries({ mainXml, parts: [rels, ...parts] });
  return zip(
    entries.map((entry) =>
      entry.name === '[Content_Types].xml'
        ? { ...entry, data: String(entry.data).replace('<Override', `${types}<Override`) }
        : entry,
    ),
  );
}

export async function sanitize(
  file: Buffer,
): Promise<{ package: OoxmlPackage; body: string; names: string[] }> {
  const first = await openPackage(file, sanitizers());
  const written = writePackage(first, { isCompressed: true });
  const second = await openPackage(written);
  return {
    package: first,
    body: (second.main.xml ?? '').replace(/^.*<w:body>|<\/w:body>.*$/gs, ''),
    names: [...second.parts.values()].map(({ name }) => name),
  };
}

export const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
export const instruction = (text: string) => `<w:r><w:instrText>${escapeXml(text)}</w:instrText></w:r>`;
export const text = (words: string) => `<w:r><w:t>${words}</w:t></w:r>`;
export const field = (code: string, result: string) =>
  mark('begin') + code + mark('separate') + result + mark('end');
