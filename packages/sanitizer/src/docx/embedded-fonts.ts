import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

const ELEMENTS = ['w:embedRegular', 'w:embedBold', 'w:embedItalic', 'w:embedBoldItalic'];
const FONT_BYTES_MAX = 16 * 1024 * 1024;
/** Versions that begin a font: TrueType, OpenType with CFF outlines, and Apple's TrueType (ISO/IEC 14496-22 §4.3). */
const VERSIONS = new Set(['\0\x01\0\0', 'OTTO', 'true']);
const [HEADER_BYTES, TABLE_BYTES] = [12, 16];
const OBFUSCATED_BYTES = 32;

/** Keeps the embedded fonts of a document that have the structure of a font, and removes the others. */
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
  const isKept = part.bytes.length <= FONT_BYTES_MAX && isFont(deobfuscate(part.bytes, key));
  if (!isKept) dropped.push({ what: 'embedded font', part: part.name });
  return isKept;
}

/** ECMA-376-4 §9.1.4 (transitional §17.8.1): the first 32 bytes, XOR the key in reverse order. */
function deobfuscate(bytes: Buffer, key: string | undefined): Buffer {
  const mask = Buffer.from((key ?? '').replace(/[^0-9a-f]/gi, ''), 'hex').reverse();
  if (mask.length !== 16) return bytes;
  const head = Buffer.from(bytes.subarray(0, OBFUSCATED_BYTES));
  for (let at = 0; at < head.length; at++) head[at] = (head[at] ?? 0) ^ (mask[at % 16] ?? 0);
  return Buffer.concat([head, bytes.subarray(OBFUSCATED_BYTES)]);
}

/** Whether each table of the font's directory lies inside the file. */
function isFont(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES || !VERSIONS.has(bytes.toString('latin1', 0, 4))) return false;
  const tables = bytes.readUInt16BE(4);
  const end = HEADER_BYTES + TABLE_BYTES * tables;
  if (tables === 0 || end > bytes.length) return false;
  for (let at = HEADER_BYTES; at < end; at += TABLE_BYTES)
    if (bytes.readUInt32BE(at + 8) + bytes.readUInt32BE(at + 12) > bytes.length) return false;
  return true;
}
