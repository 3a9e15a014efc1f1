import { type OoxmlPackage, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { packageEntries } from '@scriptorium/testing/fixtures/docx';
import { type ZipEntry, zip } from '@scriptorium/testing/fixtures/zip';
import { resolveRevisions } from '../../src/revisions/resolve-revisions.ts';

const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ' +
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ' +
  'xmlns:v="urn:schemas-microsoft-com:vml"';
const WORD = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A WordprocessingML part with the root element `root`. */
export function wordXml(root: string, content: string): string {
  return `<w:${root} ${NAMESPACES}>${content}</w:${root}>`;
}

/** A document with this body. Each of `parts` (`footnotes`, `settings`) is `word/<name>.xml`. */
export function documentOf(body: string, parts: Readonly<Record<string, string>> = {}): Buffer {
  const names = Object.keys(parts);
  const relationships = names
    .map((name) => `<Relationship Id="${name}" Type="${WORD}/${name}" Target="${name}.xml"/>`)
    .join('');
  const entries: ZipEntry[] = names.map((name) => ({ name: `word/${name}.xml`, data: parts[name] ?? '' }));
  entries.push({
    name: 'word/_rels/document.xml.rels',
    data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationships}</Relationships>`,
  });
  const mainXml = wordXml('document', `<w:body>${body}</w:body>`);
  return zip(packageEntries({ mainXml, parts: entries }));
}

/** The document without its tracked changes, written and reopened. */
export async function resolved(mode: 'final' | 'original', document: Buffer): Promise<OoxmlPackage> {
  const opened = await openPackage(document, [resolveRevisions(mode)]);
  return openPackage(writePackage(opened, { isCompressed: false }));
}

/** The content of the first element with this name in a part. */
export function contentOf(document: OoxmlPackage, name: string, part = 'word/document.xml'): string {
  const xml = document.parts.get(part)?.xml ?? '';
  const start = xml.indexOf('>', xml.indexOf(`<w:${name}`)) + 1;
  return xml.slice(start, xml.lastIndexOf(`</w:${name}>`));
}

/** This body after resolving its tracked changes. */
export async function resolvedBody(mode: 'final' | 'original', body: string): Promise<string> {
  return contentOf(await resolved(mode, documentOf(body)), 'body');
}
