import { OoxmlError } from './ooxml-error.ts';
import { decodeName, extensionOf } from './part-name.ts';
import { NAMESPACES } from './xml-names.ts';
import { type ScanContext, scanXml } from './xml-scan.ts';
import { escapeXml, XML_DECLARATION } from './xml-text.ts';

const RELATIONSHIPS_TYPE = 'application/vnd.openxmlformats-package.relationships+xml';

/** Longer than any part name, even when each of its characters is percent-encoded. */
const PART_NAME_CHARS_MAX = 10_000;

export const CONTENT_TYPES_NAME = '[Content_Types].xml';

/**
 * Returns a part's content type: its Override, else its extension's Default, else ''. Lower-case, without parameters.
 */
export type ContentTypes = (partName: string) => string;

function normal(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Reads `[Content_Types].xml` (ECMA-376-2 §7.2.3). Throws OoxmlError INVALID_FILE_FORMAT if a part or an extension
 * has two types, because readers differ in which one they use.
 */
export function readContentTypes(xml: string, context: ScanContext): ContentTypes {
  const written = readWrittenTypes(xml, context);
  return (partName) => normal(written(partName));
}

/** Like `readContentTypes`, but keeps the types as written, because signatures quote them. */
export function readWrittenTypes(xml: string, context: ScanContext): ContentTypes {
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  const add = (types: Map<string, string>, name: string | undefined, type: string | undefined) => {
    const key = name?.toLowerCase();
    if (key !== undefined && key.length > PART_NAME_CHARS_MAX) return;
    const known = key === undefined ? undefined : types.get(key);
    if (key === undefined || type === undefined || (known !== undefined && normal(known) !== normal(type)))
      throw new OoxmlError(
        'INVALID_FILE_FORMAT',
        `The document is damaged: ${CONTENT_TYPES_NAME} does not give each part one type.`,
      );
    types.set(key, type.trim());
  };
  const visitor = {
    'ct:Default': {
      open: (tag: { attribute(name: string): string | undefined }) =>
        add(defaults, tag.attribute('Extension'), tag.attribute('ContentType')),
    },
    'ct:Override': {
      open: (tag: { attribute(name: string): string | undefined }) =>
        add(overrides, tag.attribute('PartName'), tag.attribute('ContentType')),
    },
  };
  scanXml(xml, [visitor], context);
  for (const [name, type] of overrides)
    if (!overrides.has(decodeName(name))) overrides.set(decodeName(name), type);
  return (partName) => {
    const key = `/${partName.toLowerCase()}`;
    return overrides.get(key) ?? overrides.get(decodeName(key)) ?? defaults.get(extensionOf(partName)) ?? '';
  };
}

interface TypedPart {
  name: string;
  contentType: string;
}

function overrideOf({ name, contentType }: TypedPart): string {
  return `<Override PartName="/${escapeXml(name)}" ContentType="${escapeXml(contentType || 'application/octet-stream')}"/>`;
}

/**
 * Adds these parts to a `[Content_Types].xml`. Returns undefined if its elements have a prefix, which producers do
 * not write.
 */
export function addContentTypes(xml: string, parts: readonly TypedPart[]): string | undefined {
  const end = xml.lastIndexOf('</Types');
  if (end === -1) return undefined;
  return xml.slice(0, end) + parts.map(overrideOf).join('') + xml.slice(end);
}

/** Builds a `[Content_Types].xml` that names each part. */
export function writeContentTypes(parts: Iterable<TypedPart>): string {
  const overrides = [...parts].map(overrideOf);
  return (
    `${XML_DECLARATION}<Types xmlns="${NAMESPACES.ct}"><Default Extension="rels" ContentType="${RELATIONSHIPS_TYPE}"/>` +
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`
  );
}
