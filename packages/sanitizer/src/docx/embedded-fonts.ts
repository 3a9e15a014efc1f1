import { rewriteFont } from '@scriptorium/fonts/rewrite';
import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

const ELEMENTS = ['w:embedRegular', 'w:embedBold', 'w:embedItalic', 'w:embedBoldItalic'];
const FONT_BYTES_MAX = 16 * 1024 * 1024;
const OBFUSCATED_BYTES = 32;

/** Writes the embedded fonts of a document anew, and removes those that cannot be read. */
export function embeddedFonts(): Inspector {
  const fonts = new Set<string>();
  const keys = new Map<string, string>();
  return {
    keepsRelationship({ kind, part }) {
      if (kind === 'font' && part !== undefined) fonts.add(part);
      return true;
    },
    visit: (part) => visitFontTable(part, keys),
    keepsPart: (part, dropped) => !fonts.has(part.key) || keepsFont(part, keys.get(part.key), dropped),
  };
}

/** A font's key is in the font table, not in the font. */
function visitFontTable(part: Part, keys: Map<string, string>): XmlVisitor {
  const open = (tag: OpenTag) => {
    const id = tag.attribute('r:id');
    const font = part.relationships.list.find((relationship) => relationship.id === id)?.part;
    const key = tag.attribute('w:fontKey');
    if (font !== undefined && key !== undefined) keys.set(font, key);
  };
  return Object.fromEntries(ELEMENTS.map((name) => [name, { open }]));
}

function keepsFont(part: Part, key: string | undefined, dropped: Dropped[]): boolean {
  const font = part.bytes.length <= FONT_BYTES_MAX ? rewriteFont(withKey(part.bytes, key)) : undefined;
  if (font === undefined) dropped.push({ what: 'embedded font', part: part.name });
  else {
    part.bytes = withKey(font, key);
    delete part.entry;
  }
  return font !== undefined;
}

/**
 * Obfuscates a font, or restores it. ECMA-376-4 §9.1.4 (transitional §17.8.1): the first 32 bytes, XOR the key in reverse
 * order.
 */
function withKey(bytes: Buffer, key: string | undefined): Buffer {
  const mask = Buffer.from((key ?? '').replace(/[^0-9a-f]/gi, ''), 'hex').reverse();
  if (mask.length !== 16) return bytes;
  const head = Buffer.from(bytes.subarray(0, OBFUSCATED_BYTES));
  for (let at = 0; at < head.length; at++) head[at] = (head[at] ?? 0) ^ (mask[at % 16] ?? 0);
  return Buffer.concat([head, bytes.subarray(OBFUSCATED_BYTES)]);
}
