import { PdfError } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, Name, type PdfValue, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { contentOf } from './content.ts';

/** Decodes a shown string; undefined if the font does not map its codes to Unicode. */
export type Decoder = (codes: Buffer) => string | undefined;

const MAPPED_MAX = 65_536;
const MAP_CHARS_MAX = 1_000_000;
const TARGET_DIGITS_MAX = 64;
/** Fonts without an own encoding whose glyphs are not letters. */
const SYMBOLIC = /(?:Symbol|ZapfDingbats|Wingdings|Webdings)/i;
const TABLES: Readonly<Record<string, InstanceType<typeof TextDecoder>>> = {
  WinAnsiEncoding: new TextDecoder('windows-1252'),
  MacRomanEncoding: new TextDecoder('macintosh'),
};
/** Encodings of Unicode (ISO 32000-2, table 116). */
const UTF16 = /^Uni[A-Za-z0-9]+-(?:UCS2|UTF16)-[HV]$/;
const ACCENTS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circumflex: '\u0302',
  tilde: '\u0303',
  macron: '\u0304',
  breve: '\u0306',
  dotaccent: '\u0307',
  dieresis: '\u0308',
  ring: '\u030a',
  hungarumlaut: '\u030b',
  caron: '\u030c',
  cedilla: '\u0327',
  ogonek: '\u0328',
};
/** Names of characters other than letters (Adobe Glyph List), in ASCII order from U+0020. */
const ASCII_NAMES =
  'space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at'.split(
    ' ',
  );
const OTHER_NAMES: Readonly<Record<string, string>> = {
  bracketleft: '[',
  backslash: '\\',
  bracketright: ']',
  asciicircum: '^',
  underscore: '_',
  grave: '`',
  braceleft: '{',
  bar: '|',
  braceright: '}',
  asciitilde: '~',
  Euro: '€',
  bullet: '•',
  dagger: '†',
  daggerdbl: '‡',
  ellipsis: '…',
  emdash: '—',
  endash: '–',
  florin: 'ƒ',
  fraction: '⁄',
  guilsinglleft: '‹',
  guilsinglright: '›',
  minus: '−',
  perthousand: '‰',
  quotedblbase: '„',
  quotedblleft: '“',
  quotedblright: '”',
  quoteleft: '‘',
  quoteright: '’',
  quotesinglbase: '‚',
  trademark: '™',
  fi: 'fi',
  fl: 'fl',
  Lslash: 'Ł',
  OE: 'Œ',
  dotlessi: 'ı',
  lslash: 'ł',
  oe: 'œ',
  AE: 'Æ',
  ae: 'æ',
  Oslash: 'Ø',
  oslash: 'ø',
  Eth: 'Ð',
  eth: 'ð',
  Thorn: 'Þ',
  thorn: 'þ',
  germandbls: 'ß',
  exclamdown: '¡',
  cent: '¢',
  sterling: '£',
  currency: '¤',
  yen: '¥',
  brokenbar: '¦',
  section: '§',
  copyright: '©',
  ordfeminine: 'ª',
  guillemotleft: '«',
  logicalnot: '¬',
  registered: '®',
  degree: '°',
  plusminus: '±',
  twosuperior: '²',
  threesuperior: '³',
  mu: 'µ',
  paragraph: '¶',
  periodcentered: '·',
  onesuperior: '¹',
  ordmasculine: 'º',
  guillemotright: '»',
  onequarter: '¼',
  onehalf: '½',
  threequarters: '¾',
  questiondown: '¿',
  multiply: '×',
  divide: '÷',
  nbspace: ' ',
  sfthyphen: '-',
};

/** The character of a glyph name (Adobe Glyph List Specification, 2); undefined for unknown names. */
function characterOf(name: string): string | undefined {
  if (/^[A-Za-z]$/.test(name)) return name;
  const known = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  if (known !== undefined) return known;
  const at = ASCII_NAMES.indexOf(name);
  if (at !== -1) return String.fromCharCode(0x20 + at);
  const [, digits] = /^uni([0-9A-F]{4})$/.exec(name) ?? [];
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  const [, letter, accent = ''] = /^([A-Za-z])([a-z]+)$/.exec(name) ?? [];
  const mark = Object.hasOwn(ACCENTS, accent) ? ACCENTS[accent] : undefined;
  return letter !== undefined && mark !== undefined ? `${letter}${mark}`.normalize('NFC') : undefined;
}

const unknown: Decoder = () => undefined;
/** Reads how a font maps codes to Unicode (ISO 32000-2, 9.10.2). Throws DOCUMENT_TOO_COMPLEX. */
export function decoderOf(document: PdfDocument, font: PdfValue, budget: Budget): Decoder {
  // Readers look elsewhere for a font that is not among the resources of the look, or draw nothing.
  if (!(font instanceof Dict)) return unknown;
  // A Type 3 glyph need not look like the letter in the map.
  if (isName(document.get(font, 'Subtype'), 'Type3')) return unknown;
  const map = document.get(font, 'ToUnicode');
  const encoding = document.get(font, 'Encoding');
  if (map instanceof Stream) {
    const mapped = byMap(document, map, budget) ?? unknown;
    if (!isSetByEncoding(document, font, encoding)) return mapped;
    const encoded = byEncoding(document, font, encoding);
    return (codes) => agreed(mapped(codes), encoded(codes));
  }
  if (isName(document.get(font, 'Subtype'), 'Type0')) {
    if (!(encoding instanceof Name && UTF16.test(encoding.text))) return unknown;
    return (codes) =>
      Buffer.from(codes.subarray(0, codes.length & ~1))
        .swap16()
        .toString('utf16le');
  }
  return byEncoding(document, font, encoding);
}

/** Whether the encoding of a font determines its glyphs. A ToUnicode map cannot change them. */
function isSetByEncoding(document: PdfDocument, font: Dict, encoding: PdfValue): boolean {
  if (isName(document.get(font, 'Subtype'), 'Type0')) return false;
  if (encoding instanceof Name && Object.hasOwn(TABLES, encoding.text)) return true;
  return !hasProgram(document, font);
}

/** /Flags of a descriptor: the font has the standard Latin letters (ISO 32000-2, table 121). */
const NONSYMBOLIC = 1 << 5;

/** Keys of a font descriptor that hold a font program (ISO 32000-2, table 120). */
const PROGRAMS = ['FontFile', 'FontFile2', 'FontFile3'];

/** Whether a simple or descendant font has its program in the document. */
export function hasProgram(document: PdfDocument, font: Dict): boolean {
  const descriptor = document.dict(font, 'FontDescriptor');
  return descriptor !== undefined && PROGRAMS.some((key) => document.get(descriptor, key) !== null);
}

/** Whether only the program of a font knows which letters its codes show: it does not claim Latin letters. */
function hasOwnCodes(document: PdfDocument, font: Dict): boolean {
  const descriptor = document.dict(font, 'FontDescriptor');
  if (descriptor === undefined || !hasProgram(document, font)) return false;
  const flags = document.get(descriptor, 'Flags');
  return typeof flags !== 'number' || (flags & NONSYMBOLIC) === 0;
}

const agreed = (mapped: string | undefined, encoded: string | undefined): string | undefined =>
  mapped === undefined || encoded === undefined || mapped.normalize('NFKC') === encoded.normalize('NFKC')
    ? mapped
    : undefined;

function byEncoding(document: PdfDocument, font: Dict, encoding: PdfValue): Decoder {
  const base = document.get(font, 'BaseFont');
  if (base instanceof Name && SYMBOLIC.test(base.text)) return unknown;
  const table = encoding instanceof Dict ? document.get(encoding, 'BaseEncoding') : encoding;
  const differences = encoding instanceof Dict ? document.get(encoding, 'Differences') : null;
  const named = new Map<number, string | undefined>();
  let code = 0;
  for (const item of Array.isArray(differences) ? differences : []) {
    const value = document.resolve(item);
    if (typeof value === 'number') code = value;
    else if (value instanceof Name) named.set(code++, characterOf(value.text));
  }
  // Its letters have other codes.
  if (isName(table, 'MacExpertEncoding')) return unknown;
  const decoder = table instanceof Name ? TABLES[table.text] : undefined;
  const isOwn = table === null && hasOwnCodes(document, font);
  return (codes) => {
    let text = '';
    for (const byte of codes) {
      const plain = !isOwn && byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : undefined;
      const other = plain ?? decoder?.decode(Buffer.from([byte]));
      const character = named.has(byte) ? named.get(byte) : other;
      if (character === undefined) return undefined;
      text += character;
    }
    return text;
  };
}

const fromHex = (digits: string): string => {
  const bytes = Buffer.from(digits.slice(0, TARGET_DIGITS_MAX), 'hex');
  return bytes.length === 1
    ? bytes.toString('latin1')
    : Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le');
};

/** A ToUnicode CMap (ISO 32000-2, 9.10.3). */
function byMap(document: PdfDocument, stream: Stream, budget: Budget): Decoder | undefined {
  const source = readMap(document, stream, budget);
  if (source === undefined) return undefined;
  const codes = new Map<number, string>();
  const [, width = ''] = /begincodespacerange\s*<([0-9a-fA-F]+)>/.exec(source) ?? [];
  const bytes = width.length === 2 ? 1 : 2;
  for (const [, block = ''] of source.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, code = '', text = ''] of block.matchAll(/<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]*)>/g))
      if (codes.size < MAPPED_MAX) codes.set(Number.parseInt(code, 16), fromHex(text));
  }
  for (const [, block = ''] of source.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) readRanges(block, codes);
  return (shown) => {
    let text = '';
    for (let at = 0; at + bytes <= shown.length; at += bytes) {
      const character = codes.get(shown.readUIntBE(at, bytes));
      if (character === undefined) return undefined;
      text += character;
    }
    return text;
  };
}

function readMap(document: PdfDocument, stream: Stream, budget: Budget): string | undefined {
  try {
    const source = contentOf(document, stream, budget);
    return source.length > MAP_CHARS_MAX ? undefined : source.toString('latin1');
  } catch (error) {
    if (error instanceof PdfError && error.code === 'INVALID_FILE_FORMAT') return undefined;
    throw error;
  }
}

function readRanges(block: string, codes: Map<number, string>): void {
  const range = /<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>\s*(?:<([0-9a-fA-F]*)>|\[([^\]]*)\])/g;
  for (const [, low = '', high = '', first, list] of block.matchAll(range)) {
    const [from, to] = [Number.parseInt(low, 16), Number.parseInt(high, 16)];
    const items =
      list === undefined ? [] : [...list.matchAll(/<([0-9a-fA-F]*)>/g)].map(([, item = '']) => item);
    for (let code = from; code <= to && codes.size < MAPPED_MAX; code++) {
      if (list !== undefined) codes.set(code, fromHex(items[code - from] ?? ''));
      else {
        const start = fromHex(first ?? '');
        const last = start.charCodeAt(start.length - 1) + code - from;
        codes.set(code, start.slice(0, -1) + String.fromCharCode(last));
      }
    }
  }
}
