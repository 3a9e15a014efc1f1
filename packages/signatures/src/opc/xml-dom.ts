import { DOMParser, type Document, type Element, type Node } from '@xmldom/xmldom';

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
/** Digital signatures of packages (ECMA-376-2 annex C). */
export const MDSSI = 'http://schemas.openxmlformats.org/package/2006/digital-signature';
/** What Office states about a signature (MS-OFFCRYPTO §2.5.2.5). */
export const OFFICE_DIGSIG = 'http://schemas.microsoft.com/office/2006/digsig';

function refuse(level: string, message: string): void {
  if (level !== 'warning') throw new Error(message);
}

const parser = new DOMParser({
  locator: false,
  // The default follows XML 1.1: U+0085 and U+2028 would become line ends, and digests would differ.
  normalizeLineEndings: (text) => text.replace(/\r\n?/g, '\n'),
  onError: refuse,
});

/** Each element that declares a namespace copies those in scope, so their number must be bounded. */
const PREFIXES_MAX = 100;
/** Each tag or attribute takes a kilobyte or more; a signature over 5,000 parts has 150,000. */
const MARKUP_MAX = 500_000;

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Counts the tags and attributes of a text: the cost of its tree. */
export function countMarkup(xml: string): number {
  return countOf(xml, '<') + countOf(xml, '=');
}

/**
 * Parses a text that `scanXml`, which is strict and bounded, has already read; this parser is neither. Throws an Error for
 * the cases left.
 */
export function parseDom(xml: string): Document {
  const prefixes = new Set(xml.match(/xmlns:[^\s=]+/g));
  if (prefixes.size > PREFIXES_MAX) throw new Error('too many prefixes of namespaces');
  if (countMarkup(xml) > MARKUP_MAX) throw new Error('too many tags and attributes');
  return parser.parseFromString(xml, 'text/xml');
}

export function isElement(node: Node | null): node is Element {
  return node?.nodeType === 1;
}

/** Returns the child elements, or only those of one name if given. */
export function childrenOf(parent: Node, namespace?: string, localName?: string): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling)
    if (
      isElement(node) &&
      (localName === undefined || (node.localName === localName && node.namespaceURI === namespace))
    )
      found.push(node);
  return found;
}

/** Returns the only child element of that name; undefined if there is none, or more than one. */
export function onlyChild(parent: Node, namespace: string, localName: string): Element | undefined {
  const found = childrenOf(parent, namespace, localName);
  return found.length === 1 ? found[0] : undefined;
}

/** Maps elements by their `Id`; undefined if several have it. */
export function indexIds(root: Element): ReadonlyMap<string, Element | undefined> {
  const index = new Map<string, Element | undefined>();
  const visit = (element: Element) => {
    const id = element.getAttributeNS(null, 'Id');
    if (id !== null) index.set(id, index.has(id) ? undefined : element);
    for (const child of childrenOf(element)) visit(child);
  };
  visit(root);
  return index;
}
