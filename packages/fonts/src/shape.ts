import { addFace, newShapeInstance, type ShapeExports } from './harfbuzz.ts';
import type { Sfnt } from './sfnt.ts';
import { sfntFile } from './sfnt-file.ts';

/** A glyph in visual order. Lengths are in units of the font; `dx`, `dy` move it from its place. */
export interface ShapedGlyph {
  glyph: number;
  /** Where the text of the glyph's cluster starts, in UTF-16 units. Glyphs of one cluster are adjacent. */
  cluster: number;
  advance: number;
  dx: number;
  dy: number;
}

/** A part of a text in one font, direction and script, in UTF-16 units. */
export interface Run {
  start: number;
  end: number;
  isRightToLeft: boolean;
}

/** Bounds the memory of a call; appearances and pages bound their texts below it. */
const TEXT_UNITS_MAX = 65_536;
/** Above either, a new instance replaces the old one and its fonts. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const FONTS_MAX = 100;

/** HB_DIRECTION_LTR, HB_DIRECTION_RTL. */
const LEFT_TO_RIGHT = 4;
const RIGHT_TO_LEFT = 5;
/** HB_BUFFER_FLAG_BOT, _EOT and _REMOVE_DEFAULT_IGNORABLES. */
const TEXT_STARTS = 1;
const TEXT_ENDS = 2;
const WITHOUT_IGNORABLES = 8;
/** Bytes of hb_glyph_info_t and hb_glyph_position_t. */
const RECORD_BYTES = 20;

const LAYOUT_TABLES = ['GDEF', 'GPOS', 'GSUB', 'OS/2', 'cmap', 'head', 'hhea', 'hmtx', 'kern', 'maxp'];
/** HarfBuzz places marks by the outlines if a font has no positions for them. */
const OUTLINE_TABLES = ['glyf', 'loca'];

interface Shaper {
  hb: ShapeExports;
  buffer: number;
  /** The copy of the last text. */
  text: string;
  pointer: number;
  fonts: Map<Sfnt, number>;
}

let current: Shaper | undefined;

function shaper(): Shaper {
  const isFull =
    current !== undefined &&
    (current.fonts.size >= FONTS_MAX || current.hb.memory.buffer.byteLength > MEMORY_BYTES_MAX);
  if (current && !isFull) return current;
  const hb = newShapeInstance();
  const buffer = hb.hb_buffer_create();
  current = { hb, buffer, text: '', pointer: hb.malloc(2 * TEXT_UNITS_MAX), fonts: new Map() };
  return current;
}

function fontIn({ hb, fonts }: Shaper, font: Sfnt): number {
  const known = fonts.get(font);
  if (known !== undefined) return known;
  const tables = font.has('GPOS') ? LAYOUT_TABLES : [...LAYOUT_TABLES, ...OUTLINE_TABLES];
  const face = addFace(hb, sfntFile(font, tables));
  const made = hb.hb_font_create(face);
  hb.hb_face_destroy(face);
  fonts.set(font, made);
  return made;
}

function copyText(state: Shaper, text: string): void {
  if (state.text === text) return;
  const units = new Uint16Array(state.hb.memory.buffer, state.pointer, text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  state.text = text;
}

/**
 * Shapes a run of `text` by the tables of a font, with the text around it as context. Returns the glyphs from left to
 * right. Throws for a text of more than 65,536 UTF-16 units.
 */
export function shape(font: Sfnt, text: string, run: Run): ShapedGlyph[] {
  if (text.length > TEXT_UNITS_MAX) throw new Error(`A text has ${text.length} characters.`);
  try {
    return shapeIn(shaper(), font, text, run);
  } catch (error) {
    // An instance that stopped may not be used again.
    current = undefined;
    throw error;
  }
}

function shapeIn(state: Shaper, font: Sfnt, text: string, { start, end, isRightToLeft }: Run): ShapedGlyph[] {
  const { hb, buffer } = state;
  const made = fontIn(state, font);
  copyText(state, text);
  hb.hb_buffer_clear_contents(buffer);
  const edges = (start === 0 ? TEXT_STARTS : 0) | (end === text.length ? TEXT_ENDS : 0);
  hb.hb_buffer_set_flags(buffer, edges | WITHOUT_IGNORABLES);
  hb.hb_buffer_add_utf16(buffer, state.pointer, text.length, start, end - start);
  hb.hb_buffer_guess_segment_properties(buffer);
  hb.hb_buffer_set_direction(buffer, isRightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT);
  hb.hb_shape(made, buffer, 0, 0);
  return readGlyphs(hb, buffer);
}

function readGlyphs(hb: ShapeExports, buffer: number): ShapedGlyph[] {
  const count = hb.hb_buffer_get_length(buffer);
  const infos = hb.hb_buffer_get_glyph_infos(buffer, 0);
  const positions = hb.hb_buffer_get_glyph_positions(buffer, 0);
  const memory = new DataView(hb.memory.buffer);
  return Array.from({ length: count }, (_, index) => {
    const info = infos + index * RECORD_BYTES;
    const position = positions + index * RECORD_BYTES;
    return {
      glyph: memory.getUint32(info, true),
      cluster: memory.getUint32(info + 8, true),
      advance: memory.getInt32(position, true),
      dx: memory.getInt32(position + 8, true),
      dy: memory.getInt32(position + 12, true),
    };
  });
}
