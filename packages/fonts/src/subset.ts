import { hasCids } from './cff-cids.ts';
import { addFace, fileOf, newSubsetInstance, type SubsetExports } from './harfbuzz.ts';
import type { Sfnt } from './sfnt.ts';
import { sfntFile, tableIn } from './sfnt-file.ts';

/** What a PDF reader needs (ISO 32000-2, 9.9). */
const TABLES = ['CFF ', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp'];
/** HB_SUBSET_FLAGS_NO_HINTING, _NOTDEF_OUTLINE and _NO_LAYOUT_CLOSURE. */
const FLAGS = 0x001 | 0x040 | 0x200;
/** HB_SUBSET_FLAGS_RETAIN_GIDS. */
const RETAIN_NUMBERS = 0x002;
/** Above either, a new instance replaces the old one and its fonts. An instance starts with 65 MiB, most of it unused. */
const MEMORY_BYTES_MAX = 160 * 1024 * 1024;
const FACES_MAX = 100;

interface Subsetter {
  hb: SubsetExports;
  faces: Map<Sfnt, number>;
}

let current: Subsetter | undefined;

function faceIn({ hb, faces }: Subsetter, font: Sfnt): number {
  const known = faces.get(font);
  if (known !== undefined) return known;
  const face = addFace(hb, sfntFile(font, TABLES));
  faces.set(font, face);
  return face;
}

/**
 * A font program with the outlines of the given glyphs and those that they are made of, for embedding in PDF. It is a TrueType
 * file, or a bare CFF. Glyphs keep the numbers that `cidOf` returns. Glyph 0 is always included.
 */
export function subset(font: Sfnt, glyphs: Iterable<number>): Buffer {
  current ??= { hb: newSubsetInstance(), faces: new Map() };
  const { hb, faces } = current;
  try {
    const file = subsetIn(current, font, glyphs);
    if (faces.size >= FACES_MAX || hb.memory.buffer.byteLength > MEMORY_BYTES_MAX) current = undefined;
    return font.has('CFF ') ? tableIn(file, 'CFF ') : file;
  } catch (error) {
    // An instance that stopped may not be used again.
    current = undefined;
    throw error;
  }
}

function subsetIn(state: Subsetter, font: Sfnt, glyphs: Iterable<number>): Buffer {
  const { hb } = state;
  const face = faceIn(state, font);
  const input = hb.hb_subset_input_create_or_fail();
  const set = hb.hb_subset_input_glyph_set(input);
  for (const glyph of glyphs) hb.hb_set_add(set, glyph);
  hb.hb_subset_input_set_flags(input, hasCids(font) ? FLAGS : FLAGS | RETAIN_NUMBERS);
  const file = fileOf(hb, face, input);
  if (file === undefined) throw new Error(`${font.source.path}: HarfBuzz cannot make a subset.`);
  return file;
}
