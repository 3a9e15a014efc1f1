import { type OoxmlPackage, openPackage } from '@scriptorium/ooxml/package';
import { type Content, documentOf, wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { type Merged, type MergeOptions, type MergePart, merge } from '../src/merge.ts';

export const OPTIONS: MergeOptions = {
  break: 'page',
  headers: 'keep',
  styles: 'keep',
  numbering: 'keep',
  pageNumbers: 'keep',
};

/** A document with this content of its body, sections included. */
export function documentWith(body: string, more: Omit<Content, 'body' | 'mainXml'> = {}): Buffer {
  return documentOf({ ...more, mainXml: wordPart('document', `<w:body>${body}</w:body>`) });
}

/** The settings part of a document, with this content. */
export const settings = (content: string) => ({
  links: [{ id: 'rIdS', kind: 'settings', target: 'settings.xml' }],
  parts: [
    { name: 'word/settings.xml', type: wordType('settings'), data: wordPart('settings' as 'hdr', content) },
  ],
});

/** The merged document of these, opened, and its warnings. */
export async function merged(
  documents: readonly (Buffer | MergePart)[],
  options: Partial<MergeOptions> = {},
): Promise<Merged & { opened: OoxmlPackage; main: string; part(name: string): string }> {
  const parts = documents.map((document) => (Buffer.isBuffer(document) ? { source: document } : document));
  const result = await merge(parts, { ...OPTIONS, ...options });
  const opened = await openPackage(result.bytes);
  const part = (name: string): string => opened.parts.get(name)?.xml ?? '';
  return { ...result, opened, main: opened.main.xml ?? '', part };
}

/** The values of an attribute, in order. */
export const valuesOf = (xml: string, element: string, attribute = 'w:val'): string[] =>
  [...xml.matchAll(new RegExp(`<${element}\\b[^>]*?\\s${attribute}="([^"]*)"`, 'g'))].map(
    ([, value = '']) => value,
  );

export const textsOf = (xml: string): string[] =>
  [...xml.matchAll(/<w:t\b[^>]*>([^<]*)<\/w:t>/g)].map(([, text = '']) => text);

export const sectionsOf = (xml: string): string[] =>
  xml.match(/<w:sectPr\b[^>]*?(?:\/>|>[\s\S]*?<\/w:sectPr>)/g) ?? [];
