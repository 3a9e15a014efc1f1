import type { Attr, Document, Element, Node } from '@xmldom/xmldom';
import { isElement } from './xml-dom.ts';

export interface CanonicalForm {
  isExclusive: boolean;
  hasComments: boolean;
  /** Exclusive form only: prefixes treated as in the inclusive form; empty for the default namespace. */
  inclusivePrefixes?: readonly string[];
}

/** Canonical XML 1.0 and Exclusive XML Canonicalization 1.0, by the URIs used in signatures. */
export const CANONICAL_FORMS: ReadonlyMap<string, CanonicalForm> = new Map([
  ['http://www.w3.org/TR/2001/REC-xml-c14n-20010315', { isExclusive: false, hasComments: false }],
  ['http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments', { isExclusive: false, hasComments: true }],
  ['http://www.w3.org/2001/10/xml-exc-c14n#', { isExclusive: true, hasComments: false }],
  ['http://www.w3.org/2001/10/xml-exc-c14n#WithComments', { isExclusive: true, hasComments: true }],
]);

export const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
export const INCLUSIVE: CanonicalForm = { isExclusive: false, hasComments: false };

const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const [TEXT, CDATA, INSTRUCTION, COMMENT, DOCUMENT] = [3, 4, 7, 8, 9];

const TEXT_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#xD;',
};
const VALUE_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => TEXT_ESCAPES[character] ?? '');
}

/** Returns an attribute in canonical form, with a leading space. */
export function canonicalAttribute(name: string, value: string): string {
  return ` ${name}="${value.replace(/[&<"\t\n\r]/g, (character) => VALUE_ESCAPES[character] ?? '')}"`;
}

/** Compares by code points, which is the order of UTF-8 but not of UTF-16. */
export function compareCodePoints(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Namespace URI by prefix; empty for the default namespace. */
type Bindings = ReadonlyMap<string, string>;
const NO_BINDINGS: Bindings = new Map();

function attributesOf({ attributes }: Element): { declarations: Attr[]; others: Attr[] } {
  const declarations: Attr[] = [];
  const others: Attr[] = [];
  for (let at = 0; at < attributes.length; at++) {
    const attribute = attributes.item(at);
    if (attribute !== null) (attribute.namespaceURI === XMLNS ? declarations : others).push(attribute);
  }
  return { declarations, others };
}

function bind(outer: Bindings, declarations: readonly Attr[]): Bindings {
  if (declarations.length === 0) return outer;
  const inner = new Map(outer);
  for (const { name, value } of declarations) if (name !== 'xmlns:xml') inner.set(name.slice(6), value);
  return inner;
}

/** What an element inherits from surrounding elements that are not in the output. */
interface Inherited {
  bindings: Bindings;
  /** `xml:lang` and similar attributes by name: they also apply to descendants. */
  attributes: ReadonlyMap<string, Attr>;
}

function inheritedBy(apex: Element): Inherited {
  const outer: Element[] = [];
  for (let node: Node | null = apex.parentNode; isElement(node); node = node.parentNode) outer.unshift(node);
  let bindings = NO_BINDINGS;
  const attributes = new Map<string, Attr>();
  for (const element of outer) {
    const { declarations, others } = attributesOf(element);
    bindings = bind(bindings, declarations);
    for (const attribute of others)
      if (attribute.namespaceURI === XML) attributes.set(attribute.name, attribute);
  }
  return { bindings, attributes };
}

function compareAttributes(a: Attr, b: Attr): number {
  return (
    compareCodePoints(a.namespaceURI ?? '', b.namespaceURI ?? '') ||
    compareCodePoints(a.localName ?? a.name, b.localName ?? b.name)
  );
}

class CanonicalWriter {
  readonly #form: CanonicalForm;
  readonly #pieces: string[] = [];

  constructor(form: CanonicalForm) {
    this.#form = form;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  writeDocument(document: Document): void {
    let isBehindRoot = false;
    for (let node = document.firstChild; node !== null; node = node.nextSibling) {
      if (isElement(node)) {
        this.writeApex(node);
        isBehindRoot = true;
      } else {
        const text = this.#markup(node);
        if (text !== '') this.#pieces.push(isBehindRoot ? `\n${text}` : `${text}\n`);
      }
    }
  }

  writeApex(element: Element): void {
    const { bindings, attributes } = inheritedBy(element);
    const { declarations, others } = attributesOf(element);
    if (!this.#form.isExclusive)
      for (const [name, attribute] of attributes)
        if (!others.some((other) => other.name === name)) others.push(attribute);
    this.#writeElement(element, bind(bindings, declarations), others, NO_BINDINGS);
  }

  #writeElement(element: Element, bindings: Bindings, attributes: Attr[], written: Bindings): void {
    const pieces = this.#pieces;
    pieces.push('<', element.tagName);
    const due = this.#dueBindings(element, attributes, bindings, written);
    for (const [prefix, uri] of due)
      pieces.push(canonicalAttribute(prefix === '' ? 'xmlns' : `xmlns:${prefix}`, uri));
    if (attributes.length > 1) attributes.sort(compareAttributes);
    for (const { name, value } of attributes) pieces.push(canonicalAttribute(name, value));
    pieces.push('>');
    // The inclusive form writes every namespace in scope.
    const inside = this.#form.isExclusive ? new Map([...written, ...due]) : bindings;
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (isElement(node)) {
        const { declarations, others } = attributesOf(node);
        this.#writeElement(node, bind(bindings, declarations), others, inside);
      } else if (node.nodeType === TEXT || node.nodeType === CDATA) {
        pieces.push(escapeText(node.nodeValue ?? ''));
      } else pieces.push(this.#markup(node));
    }
    pieces.push('</', element.tagName, '>');
  }

  /** Returns the namespaces that an element must declare because no written ancestor declares them. */
  #dueBindings(
    element: Element,
    attributes: readonly Attr[],
    bindings: Bindings,
    written: Bindings,
  ): [string, string][] {
    const { isExclusive, inclusivePrefixes = [] } = this.#form;
    if (!isExclusive && bindings === written) return [];
    const used = isExclusive
      ? new Set([
          element.prefix ?? '',
          ...attributes
            .map(({ prefix }) => prefix ?? '')
            .filter((prefix) => prefix !== '' && prefix !== 'xml'),
          ...inclusivePrefixes.filter((prefix) => bindings.has(prefix)),
        ])
      : bindings.keys();
    const due: [string, string][] = [];
    for (const prefix of used) {
      const uri = bindings.get(prefix) ?? '';
      if (prefix !== 'xml' && uri !== (written.get(prefix) ?? '')) due.push([prefix, uri]);
    }
    return due.length > 1 ? due.sort(([a], [b]) => compareCodePoints(a, b)) : due;
  }

  #markup(node: Node): string {
    const value = node.nodeValue ?? '';
    if (node.nodeType === COMMENT) return this.#form.hasComments ? `<!--${value}-->` : '';
    // The tree represents the XML declaration as a processing instruction, which it is not.
    if (node.nodeType !== INSTRUCTION || node.nodeName === 'xml') return '';
    return `<?${node.nodeName}${value === '' ? '' : ` ${value}`}?>`;
  }
}

/**
 * Serializes a document or an element with its content as Canonical XML 1.0 or Exclusive XML Canonicalization 1.0. An
 * element keeps the namespaces of its ancestors.
 * https://www.w3.org/TR/2001/REC-xml-c14n-20010315, https://www.w3.org/TR/2002/REC-xml-exc-c14n-20020718/
 */
export function canonicalize(node: Document | Element, form: CanonicalForm = INCLUSIVE): string {
  const writer = new CanonicalWriter(form);
  if (node.nodeType === DOCUMENT) writer.writeDocument(node as Document);
  else writer.writeApex(node as Element);
  return writer.text;
}
