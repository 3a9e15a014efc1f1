import { copyIn, faceAt, fileOf, newSubsetInstance, type SubsetExports } from './harfbuzz.ts';

/** Outlines, their metrics, characters, names and layout (ISO/IEC 14496-22 §5). */
const TABLES = [
  ...['head', 'hhea', 'hmtx', 'maxp', 'OS/2', 'name', 'cmap', 'post'],
  ...['glyf', 'loca', 'CFF ', 'VORG', 'vhea', 'vmtx', 'GDEF', 'GSUB', 'GPOS', 'BASE', 'kern'],
];
const NEEDED = ['head', 'hhea', 'hmtx', 'maxp', 'cmap'];
/** HB_SUBSET_SETS_DROP_TABLE_TAG */
const DROPPED_TABLES = 3;
/** HB_SUBSET_FLAGS_NO_HINTING, _RETAIN_GIDS, _NAME_LEGACY, _NOTDEF_OUTLINE, _GLYPH_NAMES and _NO_PRUNE_UNICODE_RANGES. */
const FLAGS = 0x001 | 0x002 | 0x008 | 0x040 | 0x080 | 0x100;
const [HEADER_BYTES, RECORD_BYTES] = [12, 16];

const numberOf = (tag: string): number => Buffer.from(tag, 'latin1').readUInt32BE();

let current: SubsetExports | undefined;

/**
 * A font file that HarfBuzz wrote anew from what it understands of a font that is not trusted. It has all glyphs and characters,
 * with their numbers, metrics and layout. Programs for hinting, bitmaps, SVG, colors, variations and unknown tables are not in
 * it. Undefined for what is not a font, and for a font without outlines or another needed table. Also undefined if it needs more
 * than the 65 MiB of memory that HarfBuzz has. A collection yields its first font.
 */
export function rewriteFont(bytes: Buffer): Buffer | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  current ??= newSubsetInstance();
  try {
    const file = rewriteIn(current, bytes);
    const tables = tagsOf(file);
    const hasOutlines = tables.has('CFF ') || (tables.has('glyf') && tables.has('loca'));
    return hasOutlines && NEEDED.every((tag) => tables.has(tag)) ? file : undefined;
  } catch {
    // An instance without memory, or one that stopped, may not be used again.
    current = undefined;
    return undefined;
  }
}

function rewriteIn(hb: SubsetExports, bytes: Buffer): Buffer {
  const data = copyIn(hb, bytes);
  const face = faceAt(hb, data, bytes.length);
  const input = hb.hb_subset_input_create_or_fail();
  hb.hb_subset_input_keep_everything(input);
  const dropped = hb.hb_subset_input_set(input, DROPPED_TABLES);
  for (const tag of TABLES) hb.hb_set_add(dropped, numberOf(tag));
  hb.hb_set_invert(dropped);
  hb.hb_subset_input_set_flags(input, FLAGS);
  const file = fileOf(hb, face, input);
  hb.hb_face_destroy(face);
  hb.free(data);
  if (file === undefined) throw new Error('HarfBuzz cannot write this font.');
  return file;
}

function tagsOf(file: Buffer): Set<string> {
  const tags = new Set<string>();
  const end = HEADER_BYTES + RECORD_BYTES * file.readUInt16BE(4);
  for (let at = HEADER_BYTES; at < end; at += RECORD_BYTES) tags.add(file.toString('latin1', at, at + 4));
  return tags;
}
