import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { EngineError } from '../engine.ts';

const TEXT_CHARS_MAX = 30_000;

/**
 * Characters of scripts that have one direction and need no shaping: Latin, Greek, Cyrillic, Armenian, Han, Kana, Hangul,
 * punctuation and symbols, without combining marks. LibreOffice (`libreoffice.mjs`) lays other text out by what was there
 * before, too.
 */
const PLAIN_TEXT =
  /^[\u0020-\u007e\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffe6]+$/;

/** Paragraphs, runs and tables from right to left, and runs of complex scripts (ECMA-376-1 §17.3.1.6 and §17.3.2). */
const FROM_RIGHT_TO_LEFT = /<w:(?:bidi|rtl|cs|bidiVisual)(?: w:val="(?!0"|false"|off")[^"]*")?\s*\/>/;

/** Texts that only a document of their own shows as they are. */
export class UnsuitableTexts extends EngineError {
  constructor() {
    super('unsupported', 'a text does not suit a form');
  }
}

/**
 * Throws `UnsuitableTexts` unless texts look the same in a filled form as in a document that was loaded with them. A place cannot
 * be empty, since its text carries the formatting.
 */
export function requireSuitableTexts(texts: readonly string[]): void {
  if (!texts.every((text) => text.length <= TEXT_CHARS_MAX && PLAIN_TEXT.test(text)))
    throw new UnsuitableTexts();
}

/** Rejects with `unsupported` if text of the form runs from right to left. */
export async function requireSuitableForm(form: Buffer): Promise<void> {
  const budget = new Budget();
  for (const entry of (await readArchive(form, budget)).values())
    if (entry.name.endsWith('.xml') && FROM_RIGHT_TO_LEFT.test(unpackEntry(entry, budget).toString()))
      throw new EngineError('unsupported', 'the form has text from right to left');
}
