import { escapeXml, type ScanContext, scanXml } from '@scriptorium/ooxml/xml';
import { protectedByPassword } from '../refusal.ts';
import { localName } from './names.ts';

const NAMESPACE = 'urn:oasis:names:tc:opendocument:xmlns:manifest:1.0';

export const MANIFEST_NAME = 'META-INF/manifest.xml';

/** Media types by full path. `/` is the package; other paths that end with `/` are objects inside. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * Reads the manifest (ODF 1.3 part 2 §4) of a document of this kind. Throws SanitizerError DOCUMENT_ENCRYPTED, and the errors
 * of `scanXml`.
 */
export function readManifest(xml: string, kind: string, context: ScanContext): Manifest {
  const types = new Map<string, string>();
  const visitor = {
    '*': {
      open: (tag: { name: string; attributes: readonly { name: string; value: string }[] }) => {
        const local = localName(tag.name);
        if (local === 'encryption-data' || local === 'encrypted-key') throw protectedByPassword(kind);
        if (local !== 'file-entry') return;
        const value = (name: string) => tag.attributes.find((it) => localName(it.name) === name)?.value;
        types.set(value('full-path') ?? '', (value('media-type') ?? '').trim().toLowerCase());
      },
    },
  };
  scanXml(xml, [visitor], context);
  return types;
}

/** Known versions of the standard. */
const VERSION = /^1\.[1-9]$/;

/**
 * A manifest of these parts. `version` must be the version in `content.xml`: LibreOffice treats a document as damaged
 * if the two differ.
 */
export function writeManifest(
  entries: Iterable<readonly [path: string, mediaType: string]>,
  version: string | undefined,
): string {
  const versioned = VERSION.test(version ?? '') ? ` manifest:version="${version}"` : '';
  const items = [...entries].map(
    ([path, type]) =>
      `<manifest:file-entry manifest:full-path="${escapeXml(path)}"${path === '/' ? versioned : ''}` +
      ` manifest:media-type="${escapeXml(type)}"/>`,
  );
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest xmlns:manifest="${NAMESPACE}"${versioned}>` +
    `${items.join('')}</manifest:manifest>`
  );
}
