import { type Scope, XmlError } from './xml-names.ts';
import { decodeReferences } from './xml-text.ts';

/** One attribute of a start tag. */
export interface Attribute {
  /** Canonical: `w:val`, or `Id` in no namespace. */
  name: string;
  value: string;
  /** Before its name, counted from the tag's `<`. */
  start: number;
  /** Behind its closing quote, counted from the tag's `<`. */
  end: number;
}

/** A start tag, or the tag of an empty element, wherever it stands. */
export interface Tag {
  /** As the document writes it, with its own prefix. */
  written: string;
  /** Canonical: `w:p`. */
  name: string;
  length: number;
  isEmpty: boolean;
  attributes: readonly Attribute[];
  /** The bindings inside the element. */
  scope: Scope;
}

/** Literal white space in a value is read as blanks; only a reference keeps a line end (XML 1.0 §2.11 and §3.3.3). */
const LITERAL_SPACE = /\r\n|[\t\n\r]/g;
const [TAB, LINE, RETURN, SPACE] = [9, 10, 13, 32];
const [QUOTE, APOSTROPHE, SLASH, EQUALS, LESS, GREATER] = [34, 39, 47, 61, 60, 62];
const FEW = 8;

export function isSpace(code: number): boolean {
  return code === SPACE || code === LINE || code === TAB || code === RETURN;
}

function skipSpace(xml: string, from: number): number {
  let at = from;
  while (isSpace(xml.charCodeAt(at))) at++;
  return at;
}

/**
 * Reads the attributes, their names as written, from the end of the tag's name up to its `>`; returns the offset behind
 * that.
 */
function findAttributes(xml: string, start: number, nameEnd: number, found: Attribute[]): number {
  const next = xml.indexOf('<', start + 1);
  const limit = next === -1 ? xml.length : next;
  for (let at = nameEnd; ; ) {
    const from = skipSpace(xml, at);
    const code = xml.charCodeAt(from);
    if (code === GREATER) return from + 1;
    if (code === SLASH && xml.charCodeAt(from + 1) === GREATER) return from + 2;
    if (from >= limit || from === at) throw new XmlError('a malformed tag');
    let end = from;
    for (let c = code; c !== EQUALS && !isSpace(c); c = xml.charCodeAt(++end))
      if (end >= limit || c === GREATER || c === LESS) throw new XmlError('a malformed tag');
    const equals = skipSpace(xml, end);
    if (xml.charCodeAt(equals) !== EQUALS) throw new XmlError('an attribute without a value');
    const open = skipSpace(xml, equals + 1);
    const quote = xml.charCodeAt(open);
    if (quote !== QUOTE && quote !== APOSTROPHE) throw new XmlError('an attribute without quotes');
    const close = xml.indexOf(quote === QUOTE ? '"' : "'", open + 1);
    if (close === -1 || close >= limit) throw new XmlError('an attribute with a < in it, or without an end');
    const value = decodeReferences(xml.slice(open + 1, close).replace(LITERAL_SPACE, ' '));
    found.push({ name: xml.slice(from, end), value, start: from - start, end: close + 1 - start });
    at = close + 1;
  }
}

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** Namespaces in XML 1.0 §3: `xml` means what it means, `xmlns` nothing, and no prefix can be taken back. */
function checkDeclaration(prefix: string, uri: string): void {
  const isXml = uri.trim() === XML_NAMESPACE;
  if (prefix === 'xmlns' || uri.trim() === XMLNS_NAMESPACE || (prefix === 'xml') !== isXml)
    throw new XmlError('a declaration of a reserved namespace');
  if (prefix !== '' && uri.trim() === '') throw new XmlError(`a prefix without a namespace`);
}

/** The scope inside a tag: that outside of it, unless it declares namespaces. */
function scopeInside(outer: Scope, attributes: readonly Attribute[]): Scope {
  let declarations: [prefix: string, uri: string][] | undefined;
  for (const { name, value } of attributes) {
    if (!name.startsWith('xmlns') || (name.length > 5 && name[5] !== ':')) continue;
    checkDeclaration(name.slice(6), value);
    declarations ??= [];
    declarations.push([name.slice(6), value]);
  }
  return declarations === undefined ? outer : outer.enter(declarations);
}

function isUnique(attributes: readonly Attribute[]): boolean {
  if (attributes.length > FEW) return new Set(attributes.map(({ name }) => name)).size === attributes.length;
  for (let i = 1; i < attributes.length; i++)
    for (let j = 0; j < i; j++) if (attributes[i]?.name === attributes[j]?.name) return false;
  return true;
}

/** Reads the tag whose `<` is at `start`, inside `outer`. Throws XmlError. */
export function readTag(xml: string, start: number, outer: Scope): Tag {
  let nameEnd = start + 1;
  for (let code = xml.charCodeAt(nameEnd); ; code = xml.charCodeAt(++nameEnd))
    if (isSpace(code) || code === SLASH || code === GREATER || Number.isNaN(code)) break;
  const attributes: Attribute[] = [];
  const end = findAttributes(xml, start, nameEnd, attributes);
  const scope = scopeInside(outer, attributes);
  for (const attribute of attributes) attribute.name = scope.attribute(attribute.name);
  if (!isUnique(attributes)) throw new XmlError('the same attribute twice');
  const written = xml.slice(start + 1, nameEnd);
  return {
    written,
    name: scope.element(written),
    length: end - start,
    isEmpty: xml.charCodeAt(end - 2) === SLASH,
    attributes,
    scope,
  };
}
