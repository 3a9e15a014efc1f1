import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { EngineError } from './engine.ts';
import { scanParts } from './scan-parts.ts';

const TEXT_CHARS_MAX = 30_000;

/**
 * Characters of scripts that have one direction and need no shaping: Latin, Greek, Cyrillic, Armenian, Han, Kana, Hangul,
 * punctuation and symbols, without combining marks. LibreOffice (`libreoffice.mjs`) lays other text out by what was there
 * before, too.
 */
const PLAIN_TEXT =
  /^[\u0020-\u007e\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffe6]+$/;

const OFF = ['0', 'false', 'off'];

/** Throws if a property is on (ECMA-376-1 §17.17.4). */
const refuseDirection = {
  open(tag: OpenTag): void {
    if (!OFF.includes(tag.attribute('w:val') ?? ''))
      throw new EngineError('unsupported', 'the form has text from right to left');
  },
};

/** LibreOffice loses bookmarks beside a text that is replaced: a link to one would lead nowhere. */
function refuseInnerLink(address: string | undefined): void {
  if (address !== undefined && /\\l\b|#/i.test(address))
    throw new EngineError('unsupported', 'the form has links to its own bookmarks');
}

/** What a form must not have, by element. */
const UNSUITABLE: XmlVisitor = {
  // ECMA-376-1 §17.16.22, and the fields of §17.16.5.25.
  'w:hyperlink': { open: (tag) => refuseInnerLink(tag.attribute('w:anchor') && '#') },
  'w:fldSimple': { open: (tag) => refuseInnerLink(tag.attribute('w:instr')) },
  'w:instrText': { text: refuseInnerLink },
  // Paragraphs, runs and tables from right to left, and runs of complex scripts (ECMA-376-1 §17.3.1.6 and §17.3.2).
  'w:bidi': refuseDirection,
  'w:rtl': refuseDirection,
  'w:cs': refuseDirection,
  'w:bidiVisual': refuseDirection,
  // Columns (ECMA-376-1 §17.6.4): after longer or shorter texts, they break in other places than in a loaded document.
  'w:cols': {
    open(tag) {
      if ((tag.attribute('w:num') ?? '1') !== '1')
        throw new EngineError('unsupported', 'the form has columns');
    },
  },
  'w:col': {
    open() {
      throw new EngineError('unsupported', 'the form has columns');
    },
  },
};

/** Texts that only a document of their own shows as they are. */
export class UnsuitableTexts extends EngineError {
  constructor() {
    super('unsupported', 'a text does not suit a form');
  }
}

/** Throws `UnsuitableTexts` unless texts look the same in a filled form as in a document that was loaded with them. */
export function requireSuitableTexts(texts: readonly (string | null)[]): void {
  const isSuitable = (text: string | null) =>
    !text || (text.length <= TEXT_CHARS_MAX && PLAIN_TEXT.test(text.replaceAll('\n', '')));
  if (!texts.every(isSuitable)) throw new UnsuitableTexts();
}

const UNSUITABLE_TARGETS: XmlVisitor = { '*': { open: (tag) => refuseInnerLink(tag.attribute('Target')) } };

/** Rejects with `unsupported` if a form has text from right to left, columns, or links to its own bookmarks. */
export async function requireSuitableForm(form: Buffer): Promise<void> {
  await scanParts(form, (name) => {
    if (name.endsWith('.rels')) return UNSUITABLE_TARGETS;
    return name.endsWith('.xml') ? UNSUITABLE : undefined;
  });
}
