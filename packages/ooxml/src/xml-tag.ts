import { canonicalName } from './xml-names.ts';
import { decodeReferences, XmlError } from './xml-text.ts';

/** One attribute of a start tag. */
export interface Attribute {
  /** Canonical: `w:val`, or `Id` in no namespace. */
  name: string;
  value: string;
  /** Before its name, counted from the tag's `<`. */
  start: number;
  /** After its closing quote, counted from the tag's `<`. */
  end: number;
}

/** A start tag, or the tag of an empty element, independent of its position. */
export interface Tag {
  /** As the document writes it, with the document's prefix. */
  written: string;
  /** Canonical: `w:p`. */
  name: string;
  length: number;
  isEmpty: boolean;
  attributes: readonly Attribute[];
  /** The namespace bindings inside the element. */
  scope: Scope;
}

/** An XML 1.0 name with at most one colon. Beyond ASCII, any letter-like character is allowed. */
const QUALIFIED_NAME =
  /^[A-Za-z_\u00c0-\uffff][\w.\-\u00b7-\uffff]*(?::[A-Za-z_\u00c0-\uffff][\w.\-\u00b7-\uffff]*)?$/;

const BINDINGS_MAX = 2_000;
/**
 * V8 hashes only the length of texts of more than 16,383 characters, so a map would compare each with every other.
 */
export const NAME_CHARS_MAX = 1_000;
const SCOPES_KEPT_MAX = 64;

/** The namespace bindings in force inside an element, and a cache of the names resolved with them. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #bindings: ReadonlyMap<string, string>;
  readonly #bindingCount: number;
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();
  /** Tags read inside this scope, by their text. `xml-scan.ts` fills it. */
  readonly tags = new Map<string, Tag>();
  /** Documents declare the same namespaces on thousands of elements. Equal sets share one scope. */
  readonly #inner = new Map<string, Scope>();

  constructor(bindings: ReadonlyMap<string, string>, parent?: Scope) {
    this.#bindings = bindings;
    this.#parent = parent;
    this.#bindingCount = bindings.size + (parent === undefined ? 0 : parent.#bindingCount);
    if (this.#bindingCount > BINDINGS_MAX)
      throw new XmlError('too many namespace declarations inside each other');
  }

  static root(): Scope {
    return new Scope(
      new Map([
        ['xml', 'http://www.w3.org/XML/1998/namespace'],
        ['xmlns', 'http://www.w3.org/2000/xmlns/'],
      ]),
    );
  }

  /** The scope inside an element with these declarations: pairs of prefix and URI. */
  enter(declarations: readonly (readonly [prefix: string, uri: string])[]): Scope {
    const key = JSON.stringify(declarations);
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const scope = new Scope(new Map(declarations), this);
    if (this.#inner.size < SCOPES_KEPT_MAX) this.#inner.set(key, scope);
    return scope;
  }

  /** The canonical name of an element from its written name: `w:p`. Throws XmlError. */
  element(written: string): string {
    let name = this.#elements.get(written);
    if (name === undefined) {
      name = this.#resolve(written, true);
      this.#elements.set(written, name);
    }
    return name;
  }

  /** The canonical name of an attribute. Without a prefix it has no namespace. Throws XmlError. */
  attribute(written: string): string {
    let name = this.#attributes.get(written);
    if (name === undefined) {
      name = this.#resolve(written, false);
      this.#attributes.set(written, name);
    }
    return name;
  }

  #resolve(written: string, isElement: boolean): string {
    if (written.length > NAME_CHARS_MAX)
      throw new XmlError(`a name of more than ${NAME_CHARS_MAX} characters`);
    if (!QUALIFIED_NAME.test(written))
      throw new XmlError(`${JSON.stringify(written.slice(0, 60))} is not a valid name`);
    const colon = written.indexOf(':');
    const prefix = colon === -1 ? '' : written.slice(0, colon);
    if (isElement && prefix === 'xmlns') throw new XmlError('an element with the prefix xmlns');
    const local = written.slice(colon + 1);
    const uri = prefix === '' && !isElement ? '' : this.#uri(prefix);
    if (uri === undefined) throw new XmlError(`the prefix ${prefix.slice(0, 60)} is not declared`);
    return canonicalName(uri, local);
  }

  #uri(prefix: string): string | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const uri = scope.#bindings.get(prefix);
      if (uri !== undefined) return uri;
    }
    return prefix === '' ? '' : undefined;
  }
}

/** Literal white space in a value is read as spaces. Only a reference keeps a line end (XML 1.0 §2.11 and §3.3.3). */
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
 * Reads the attributes, with their names as written, from the end of the tag's name to its `>`. Returns the offset
 * after the `>`.
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

/** Namespaces in XML 1.0 §3: `xml` is fixed, `xmlns` must not be declared, and a prefix must not be undeclared. */
function checkDeclaration(prefix: string, uri: string): void {
  const isXml = uri.trim() === XML_NAMESPACE;
  if (prefix === 'xmlns' || uri.trim() === XMLNS_NAMESPACE || (prefix === 'xml') !== isXml)
    throw new XmlError('a declaration of a reserved namespace');
  if (prefix !== '' && uri.trim() === '') throw new XmlError('a prefix without a namespace');
}

/** The scope inside a tag. It is the outer scope unless the tag declares namespaces. */
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
