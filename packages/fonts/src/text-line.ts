import bidiFactory from 'bidi-js';
import { type FontBook, type FontStyle, type FontWish, hostFonts, regionOf } from './font-book.ts';
import { scriptOf } from './scripts.ts';
import type { Sfnt } from './sfnt.ts';
import { type ShapedGlyph, shape } from './shape.ts';

/** Glyphs that belong together, and the text that they show. */
export interface Cluster {
  font: Sfnt;
  text: string;
  isRightToLeft: boolean;
  /** From left to right. */
  glyphs: ShapedGlyph[];
}

export interface TextLine {
  /** From left to right. */
  clusters: Cluster[];
  /** In thousandths of the font size. */
  width: number;
  /** Characters that no font has. The line shows their code points, such as `[U+1F9FF]`. */
  missing: string[];
}

/** Adjacent letters with the same font, script and level, in UTF-16 units. Odd levels run from right to left. */
interface Section {
  font: Sfnt;
  script: string;
  level: number;
  start: number;
  end: number;
}

const ASCII = /^[ -~]*$/;
const BREAKS = /[\p{Cc}\u2028\u2029]/gu;
/** Letters and controls that run from right to left, or change the direction. */
const BIDIRECTIONAL =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// The package is CommonJS with types of an ES module.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Shapes one line of text for a style. Finds a font for each letter, orders the letters by the Unicode Bidirectional Algorithm
 * (UAX #9), and applies the tables of the fonts. Control characters become spaces. Shows nothing if the host has no fonts.
 */
export function textLine(text: string, style: FontStyle, book: FontBook): TextLine {
  const { shown, sections, missing } = inFonts(cleaned(text), style, book);
  const ordered = BIDIRECTIONAL.test(shown) ? inVisualOrder(shown, sections) : sections;
  const clusters = ordered.flatMap((section) => shapeSection(shown, section));
  let width = 0;
  for (const { font, glyphs } of clusters)
    for (const { advance } of glyphs) width += (advance * 1_000) / font.metrics.unitsPerEm;
  return { clusters, width, missing };
}

/** Returns a line of text as it is shown from left to right, in a paragraph of this direction (UAX #9). */
export function visualOrder(text: string, direction: 'ltr' | 'rtl'): string {
  return bidi.getReorderedString(text, bidi.getEmbeddingLevels(text, direction));
}

/** Returns the characters of a text, of any number of lines, that no font has. */
export function missingCharacters(text: string, book: FontBook = hostFonts()): string[] {
  return inFonts(cleaned(text), 'regular', book).missing;
}

const LEFT_TO_RIGHT_MARK = '\u200e';
const RIGHT_TO_LEFT_MARK = '\u200f';

/**
 * The invisible character that gives a line the direction of its paragraph, for lines after the first. Empty if the
 * direction is that of any line.
 */
export function directionMark(paragraph: string): string {
  if (!BIDIRECTIONAL.test(paragraph)) return '';
  const level = bidi.getEmbeddingLevels(paragraph, 'auto').paragraphs[0]?.level ?? 0;
  return level === 1 ? RIGHT_TO_LEFT_MARK : LEFT_TO_RIGHT_MARK;
}

const cleaned = (text: string): string =>
  ASCII.test(text) ? text : text.normalize('NFC').replace(BREAKS, ' ');

interface Fonts {
  /** The text, with code points for the characters without a font. */
  shown: string;
  sections: Section[];
  missing: string[];
}

function inFonts(text: string, style: FontStyle, book: FontBook): Fonts {
  const letters = ASCII.test(text) ? text : Array.from(graphemes.segment(text), ({ segment }) => segment);
  const wish: FontWish = { style, region: regionOf(text), script: firstScript(text) };
  const fonts: Fonts = { shown: '', sections: [], missing: [] };
  for (const letter of letters) {
    wish.script = scriptOf(letter) || wish.script;
    const font = book.find(letter, wish);
    if (font) append(fonts, letter, font, wish.script);
    else for (const character of letter) appendCharacter(fonts, character, book, wish);
  }
  return fonts;
}

/** Characters that scripts share go with the letter before them, or at the start with the first letter. */
function firstScript(text: string): string {
  for (const character of text) {
    const script = scriptOf(character);
    if (script !== '') return script;
  }
  return '';
}

function appendCharacter(fonts: Fonts, character: string, book: FontBook, wish: FontWish): void {
  const font = book.find(character, wish);
  if (font) {
    append(fonts, character, font, wish.script);
    return;
  }
  fonts.missing.push(character);
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  for (const spelled of `[U+${code}]`) {
    const plain = book.find(spelled, { ...wish, script: 'Latin' });
    if (plain) append(fonts, spelled, plain, 'Latin');
  }
}

function append(fonts: Fonts, letter: string, font: Sfnt, script: string): void {
  const start = fonts.shown.length;
  fonts.shown += letter;
  const last = fonts.sections.at(-1);
  if (last?.font === font && last.script === script) last.end = fonts.shown.length;
  else fonts.sections.push({ font, script, level: 0, start, end: fonts.shown.length });
}

/** Splits the sections where the direction changes, and returns them from left to right. */
function inVisualOrder(text: string, sections: readonly Section[]): Section[] {
  const embedding = bidi.getEmbeddingLevels(text, 'auto');
  const levelAt = (index: number): number => embedding.levels[index] ?? 0;
  const sectionAt: Section[] = [];
  for (const section of sections) {
    let part = { ...section, level: levelAt(section.start) };
    for (let index = section.start; index < section.end; index++) {
      if (levelAt(index) !== part.level) {
        part.end = index;
        part = { ...section, start: index, level: levelAt(index) };
      }
      sectionAt.push(part);
    }
  }
  const indices = bidi.getReorderedIndices(text, embedding);
  return [...new Set(indices.flatMap((index) => sectionAt[index] ?? []))];
}

/** HarfBuzz returns clusters in the order of the text, or in the reverse order from right to left. */
function shapeSection(text: string, { font, level, start, end }: Section): Cluster[] {
  const isRightToLeft = level % 2 === 1;
  const clusters: Cluster[] = [];
  const starts: number[] = [];
  for (const glyph of shape(font, text, { start, end, isRightToLeft })) {
    const last = clusters.at(-1);
    if (last && glyph.cluster === starts.at(-1)) last.glyphs.push(glyph);
    else {
      starts.push(glyph.cluster);
      clusters.push({ font, text: '', isRightToLeft, glyphs: [glyph] });
    }
  }
  const step = isRightToLeft ? -1 : 1;
  for (const [index, cluster] of clusters.entries())
    cluster.text = text.slice(starts[index], starts[index + step] ?? end);
  return clusters;
}
