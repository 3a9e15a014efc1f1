import { escapeXml } from '@scriptorium/shared/testing/fixtures/docx';
import { type Content, documentOf, NAMESPACES } from '@scriptorium/shared/testing/fixtures/hostile/document';

const W14 = 'http://schemas.microsoft.com/office/word/2010/wordml';
const MC = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

export interface ControlMarkup {
  id?: number | string;
  tag?: string | Record<string, unknown>;
  alias?: string;
  /** Further children of `w:sdtPr`. */
  properties?: string;
}

function attribute(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;');
}

/** A content control around this content. */
export function sdt({ id, tag, alias, properties = '' }: ControlMarkup, content: string): string {
  const tagText = typeof tag === 'string' ? tag : tag && JSON.stringify(tag);
  const own =
    (alias === undefined ? '' : `<w:alias w:val="${attribute(alias)}"/>`) +
    (tagText === undefined ? '' : `<w:tag w:val="${attribute(tagText)}"/>`) +
    (id === undefined ? '' : `<w:id w:val="${id}"/>`);
  return `<w:sdt><w:sdtPr>${own}${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
}

export function run(text: string, properties = ''): string {
  const style = properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`;
  return `<w:r>${style}<w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
}

/** A run as Word writes one without white space at its ends; the content is XML. */
export function bare(content: string, properties = ''): string {
  return `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t>${content}</w:t></w:r>`;
}

export function p(content: string, properties = ''): string {
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`;
}

/** The root of a part, with the namespaces that Word declares. */
export function wordPart(
  root: 'document' | 'hdr' | 'ftr' | 'footnotes' | 'endnotes',
  content: string,
): string {
  return `<w:${root} ${NAMESPACES} xmlns:w14="${W14}" xmlns:mc="${MC}" mc:Ignorable="w14">${content}</w:${root}>`;
}

/** A template with this body. */
export function templateOf(body: string, more: Omit<Content, 'body' | 'mainXml'> = {}): Buffer {
  return documentOf({ ...more, mainXml: wordPart('document', `<w:body>${body}<w:sectPr/></w:body>`) });
}
