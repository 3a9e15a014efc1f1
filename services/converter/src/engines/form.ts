import { Budget } from '@scriptorium/ooxml/bounds';
import { type ArchiveEntry, readArchive, unpackEntry, writeArchive } from '@scriptorium/ooxml/zip';
import { EngineError } from '../engine.ts';

/** `placeText` of `shared/src/jobs/rows.ts`. */
const PLACE = /\u{F5C0}(\d{1,5})\u{F5C1}/gu;
const PLACE_START = Buffer.from('\u{F5C0}');
const TEXT_CHARS_MAX = 30_000;

/**
 * Characters of scripts that have one direction and need no shaping: Latin, Greek, Cyrillic, Armenian, Han, Kana, Hangul,
 * punctuation and symbols, without combining marks. LibreOffice lays other text out by what was there before, too.
 */
const PLAIN_TEXT =
  /^[\u0020-\u007e\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffe6]*$/;

/** Paragraphs, runs and tables from right to left, and runs of complex scripts (ECMA-376-1 §17.3.1.6 and §17.3.2). */
const FROM_RIGHT_TO_LEFT = /<w:(?:bidi|rtl|cs|bidiVisual)(?: w:val="(?!0"|false"|off")[^"]*")?\s*\/>/;

/** Whether texts look the same in a filled form as in a document that was loaded with them. */
export function areSuitableTexts(texts: readonly string[]): boolean {
  return texts.every((text) => text.length <= TEXT_CHARS_MAX && PLAIN_TEXT.test(text));
}

/** A form whose parts with places can be written anew. */
export class Form {
  readonly #entries: readonly ArchiveEntry[];
  /** The parts that have places, by name. */
  readonly #parts: ReadonlyMap<string, string>;

  /** Rejects with `unsupported` if text of the form runs from right to left. */
  static async open(bytes: Buffer): Promise<Form> {
    const budget = new Budget();
    const entries = [...(await readArchive(bytes, budget)).values()];
    const parts = new Map<string, string>();
    for (const entry of entries) {
      if (!entry.name.endsWith('.xml')) continue;
      const data = unpackEntry(entry, budget);
      const text = data.toString();
      if (FROM_RIGHT_TO_LEFT.test(text))
        throw new EngineError('unsupported', 'the form has text from right to left');
      if (data.includes(PLACE_START)) parts.set(entry.name, text);
    }
    return new Form(entries, parts);
  }

  private constructor(entries: readonly ArchiveEntry[], parts: ReadonlyMap<string, string>) {
    this.#entries = entries;
    this.#parts = parts;
  }

  /** Returns the document without the texts of these places. What surrounds a text stays. */
  without(places: ReadonlySet<number>): Buffer {
    const files = this.#entries.map((entry) => {
      const part = this.#parts.get(entry.name);
      if (part === undefined) return { name: entry.name, entry };
      const text = part.replace(PLACE, (place, number) => (places.has(Number(number)) ? '' : place));
      return { name: entry.name, data: Buffer.from(text) };
    });
    return writeArchive(files, { isCompressed: false });
  }
}
