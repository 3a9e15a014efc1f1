const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /^(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6}))$/;
/**
 * Characters that XML 1.0 does not allow (§2.2, Char), as the inside of a character class. Lone surrogates are not
 * included.
 */
export const FORBIDDEN_CHARACTERS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff';
/** Lone surrogates need no test: a string decoded from UTF-8 does not contain them. */
export const FORBIDDEN_CHARACTER = new RegExp(`[${FORBIDDEN_CHARACTERS}]`);
const DECLARATION =
  /^<\?xml\s+version\s*=\s*["']([\w.]+)["'](?:\s+encoding\s*=\s*["']([\w.:-]+)["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>/;

/** The start of every XML part that this code writes. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The text is not well-formed XML 1.0 with namespaces, or has a DOCTYPE. */
export class XmlError extends Error {}

export interface DecodedXml {
  xml: string;
  /** False if the bytes are not UTF-8 or not declared as UTF-8. The text then has no declaration. */
  isUtf8: boolean;
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return 'utf-8';
}

/**
 * Decodes the bytes of an XML part: UTF-8 or UTF-16, as ECMA-376-2 §6.1.4 allows. The declaration must match: a
 * reader that believed another declaration would see another document. Throws XmlError.
 */
export function decodeXml(bytes: Uint8Array): DecodedXml {
  const encoding = encodingOf(bytes);
  let xml: string;
  try {
    xml = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new XmlError(`bytes that are not ${encoding.toUpperCase()}`, { cause });
  }
  if (FORBIDDEN_CHARACTER.test(xml)) throw new XmlError('a character that XML does not allow');
  const declaration = DECLARATION.exec(xml);
  if (declaration === null) {
    if (/^<\?xml[\s?]/.test(xml)) throw new XmlError('a malformed XML declaration');
    return { xml, isUtf8: encoding === 'utf-8' };
  }
  const [whole, version, declared = encoding] = declaration;
  if (version !== '1.0') throw new XmlError(`XML of version ${version}`);
  // ASCII is also UTF-8.
  const agrees = encoding === 'utf-8' ? /^(utf-?8|us-ascii)$/i : /^utf-?16(le|be)?$/i;
  if (!agrees.test(declared))
    throw new XmlError(`the encoding ${declared}; only UTF-8 and UTF-16 are supported`);
  return encoding === 'utf-8' ? { xml, isUtf8: true } : { xml: xml.slice(whole.length), isUtf8: false };
}

function decodeReference(name: string): string {
  const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
  if (known !== undefined) return known;
  const [, decimal, hexadecimal] = REFERENCE.exec(name) ?? [];
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  if (!isCharacter || FORBIDDEN_CHARACTER.test(String.fromCodePoint(code)))
    throw new XmlError(`the unknown entity &${name.slice(0, 30)};`);
  return String.fromCodePoint(code);
}

/** Replaces the references in a text or an attribute's value. Throws XmlError if one is unknown. */
export function decodeReferences(text: string): string {
  let at = text.indexOf('&');
  if (at === -1) return text;
  const pieces: string[] = [];
  let from = 0;
  for (; at !== -1; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end === -1 || end - at > 12) throw new XmlError('an & that does not begin an entity');
    pieces.push(text.slice(from, at), decodeReference(text.slice(at + 1, end)));
    from = end + 1;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

/**
 * Escapes text for element content, or for an attribute in double quotes.
 *
 * @example
 * escapeXml('<A & B>') // '&lt;A &amp; B&gt;'
 */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
