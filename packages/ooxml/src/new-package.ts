import { posix } from 'node:path';
import { CONTENT_TYPES_NAME, writeContentTypes } from './content-types.ts';
import { DOCX_MAIN_TYPE } from './main-type.ts';
import { relationshipsName } from './part-name.ts';
import { writeRelationships } from './relationships.ts';
import { NAMESPACES } from './xml-names.ts';
import { XML_DECLARATION } from './xml-text.ts';
import { type WriteOptions, writeArchive } from './zip-writer.ts';

/** A link to another part: the last word of its type, such as `styles`, and the name of the part. */
type Link = readonly [kind: string, part: string];

/** A part of a new package. `xml` has no declaration. Its links have the ids `rId1`, `rId2` and so on. */
export interface NewPart {
  name: string;
  contentType: string;
  xml: string;
  links?: readonly Link[];
}

/** Returns a package of these parts, the first of which is the main one (ECMA-376-2). */
export function newPackage(parts: readonly [NewPart, ...NewPart[]], options: WriteOptions): Buffer {
  const files = parts.flatMap(({ name, xml, links = [] }) => [
    { name, xml: XML_DECLARATION + xml },
    ...relationshipsOf(name, links),
  ]);
  const root = relationshipsOf('', [['officeDocument', parts[0].name]]);
  return writeArchive(
    [{ name: CONTENT_TYPES_NAME, xml: writeContentTypes(parts) }, ...root, ...files].map(({ name, xml }) => ({
      name,
      data: Buffer.from(xml),
    })),
    options,
  );
}

function relationshipsOf(source: string, links: readonly Link[]): { name: string; xml: string }[] {
  if (links.length === 0) return [];
  const list = links.map(([kind, part], index) => ({
    id: `rId${index + 1}`,
    type: `${NAMESPACES.r}/${kind}`,
    kind,
    target: posix.relative(posix.dirname(source), part),
    isExternal: false,
  }));
  return [{ name: relationshipsName(source), xml: writeRelationships(list) }];
}

/**
 * Returns a DOCX whose only part is the main document, with `body` as the content of its `w:body`: WordprocessingML
 * with the prefix `w` (ECMA-376-1 §11.2).
 *
 * @example
 * import { openPackage } from '@scriptorium/ooxml/package';
 * const docx = minimalDocx('<w:p><w:r><w:t>Hello</w:t></w:r></w:p>');
 * (await openPackage(docx)).main.name // 'word/document.xml'
 */
export function minimalDocx(body: string): Buffer {
  const xml = `<w:document xmlns:w="${NAMESPACES.w}"><w:body>${body}</w:body></w:document>`;
  return newPackage([{ name: 'word/document.xml', contentType: DOCX_MAIN_TYPE, xml }], {
    isCompressed: true,
  });
}
