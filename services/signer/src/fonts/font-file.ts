import { readFileSync } from 'node:fs';
import { type GlyphOf, readCmap } from './cmap.ts';
import { readTables, type Tables } from './sfnt.ts';

/** A font that can be embedded: one with TrueType outlines. Lengths are in thousandths of the font size. */
export interface FontFile {
  /** Its PostScript name, as far as PDF allows it. */
  name: string;
  tables: Tables;
  glyphOf: GlyphOf;
  width(glyph: number): number;
  ascent: number;
  descent: number;
  box: readonly [number, number, number, number];
}

const NEEDED = ['head', 'hhea', 'maxp', 'hmtx', 'cmap', 'loca', 'glyf', 'OS/2'];

/** Reads a font; undefined where its outlines are not TrueType, or it lacks a table. */
export function readFont(path: string): FontFile | undefined {
  const tables = readTables(readFileSync(path));
  if (!tables || NEEDED.some((tag) => !tables.has(tag))) return undefined;
  const table = (tag: string): Buffer => tables.get(tag) ?? Buffer.alloc(0);
  const glyphOf = readCmap(table('cmap'));
  if (!glyphOf) return undefined;
  const head = table('head');
  const hhea = table('hhea');
  const hmtx = table('hmtx');
  const unit = 1_000 / head.readUInt16BE(18);
  const scaled = (value: number): number => Math.round(value * unit);
  const widths = hhea.readUInt16BE(34);
  return {
    name: (path.split('/').at(-1) ?? 'Font').replace(/\.[a-z]+$/, '').replace(/[^A-Za-z0-9-]/g, ''),
    tables,
    glyphOf,
    width: (glyph) => scaled(hmtx.readUInt16BE(4 * Math.min(glyph, widths - 1))),
    ascent: scaled(hhea.readInt16BE(4)),
    descent: scaled(hhea.readInt16BE(6)),
    box: [36, 38, 40, 42].map((at) => scaled(head.readInt16BE(at))) as unknown as FontFile['box'],
  };
}
