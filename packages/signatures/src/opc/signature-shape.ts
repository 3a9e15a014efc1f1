import type { Attr, Element } from '@xmldom/xmldom';
import { SignatureFormatError } from './signature-errors.ts';
import { childrenOf, DSIG, indexIds, isElement, onlyChild, XADES } from './xml-dom.ts';

const REFERENCES_MAX = 10;
const XML = 'http://www.w3.org/XML/1998/namespace';
const [INSTRUCTION, COMMENT] = [7, 8];

/** The elements of a signature. */
export interface SignatureShape {
  root: Element;
  signedInfo: Element;
  /** The element SignatureValue. */
  value: Element;
  keyInfo: Element | undefined;
  /** The References of SignedInfo with their targets. */
  references: { reference: Element; target: Element }[];
  /** The References of the Manifest, which SignedInfo covers. */
  manifest: Element[];
  /** Children of Objects that SignedInfo covers. */
  signedContent: Element[];
  /** `SignedProperties` of XAdES, which SignedInfo covers. */
  signedProperties: Element | undefined;
  /** `UnsignedSignatureProperties` of XAdES. */
  unsignedProperties: Element | undefined;
}

function refuse(why: string): SignatureFormatError {
  return new SignatureFormatError(why);
}

function required<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw refuse(`it does not have exactly one ${what}`);
  return found;
}

/** Returns the children of an element of XML signatures. Throws SignatureFormatError if one has another name. */
export function strictChildren(parent: Element, names: readonly string[]): Element[] {
  const children = childrenOf(parent);
  if (
    children.some(({ namespaceURI, localName }) => namespaceURI !== DSIG || !names.includes(localName ?? ''))
  )
    throw refuse(`its ${parent.localName} contains an element that packages do not allow there`);
  return children;
}

/** Readers differ in what they take for an id: none may occur twice, in any spelling. */
function isId({ localName, name, namespaceURI }: Attr): boolean {
  return /^id$/i.test(localName ?? name) && (namespaceURI === null || namespaceURI === XML);
}

/** Rejects markup that a signature must not contain anywhere, because readers treat it differently or ignore it. */
export function survey(root: Element): void {
  const ids = new Set<string>();
  const visit = (element: Element) => {
    for (let at = 0; at < element.attributes.length; at++) {
      const attribute = element.attributes.item(at);
      if (attribute === null || !isId(attribute)) continue;
      if (ids.has(attribute.value)) throw refuse('more than one of its elements has the same Id');
      ids.add(attribute.value);
    }
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === COMMENT || node.nodeType === INSTRUCTION)
        throw refuse('it contains a comment or a processing instruction');
      if (!isElement(node)) continue;
      checkPlace(node, element, root);
      visit(node);
    }
  };
  visit(root);
}

/** Names that may occur in one place only, with the name of the required parent element. */
const PLACES: Readonly<Record<string, string>> = {
  SignedInfo: 'Signature',
  SignatureValue: 'Signature',
  Manifest: 'Object',
  Object: 'Signature',
};

function checkPlace({ namespaceURI, localName }: Element, parent: Element, root: Element): void {
  if (namespaceURI === XADES && localName === 'QualifyingProperties' && !isObject(parent, root))
    throw refuse('its QualifyingProperties are not in an Object');
  if (namespaceURI !== DSIG || localName === null) return;
  const around = Object.hasOwn(PLACES, localName) ? PLACES[localName] : undefined;
  const isMisplaced =
    around === 'Signature' ? parent !== root : around === 'Object' && !isObject(parent, root);
  if (isMisplaced || localName === 'Signature') throw refuse(`it contains a misplaced ${localName}`);
}

function isObject(element: Element, root: Element): boolean {
  return element.parentNode === root && element.localName === 'Object' && element.namespaceURI === DSIG;
}

function readReferences(signedInfo: Element, root: Element): SignatureShape['references'] {
  const ids = indexIds(root);
  const elements = childrenOf(signedInfo, DSIG, 'Reference');
  if (elements.length === 0 || elements.length > REFERENCES_MAX)
    throw refuse('it has no references, or too many');
  const references = elements.map((reference) => {
    const uri = reference.getAttribute('URI') ?? '';
    const target = uri.startsWith('#') ? ids.get(uri.slice(1)) : undefined;
    if (target === undefined || !isSignable(target, root))
      throw refuse('a reference has no target, or one that packages do not allow');
    return { reference, target };
  });
  if (new Set(references.map(({ target }) => target)).size < references.length)
    throw refuse('two references have the same target');
  return references;
}

export function isSignable(target: Element, root: Element): boolean {
  const { parentNode, namespaceURI, localName } = target;
  if (parentNode === root)
    return namespaceURI === DSIG && (localName === 'Object' || localName === 'KeyInfo');
  return (
    namespaceURI === XADES && localName === 'SignedProperties' && isQualifying(parentNode as Element, root)
  );
}

function isQualifying(element: Element, root: Element): boolean {
  const { namespaceURI, localName, parentNode } = element;
  return (
    namespaceURI === XADES && localName === 'QualifyingProperties' && isObject(parentNode as Element, root)
  );
}

/** Returns the QualifyingProperties of a signature, if there are any. */
export function findQualifying(root: Element, objects: readonly Element[]): Element | undefined {
  const [found, ...others] = objects.flatMap((object) => childrenOf(object, XADES, 'QualifyingProperties'));
  if (others.length > 0) throw refuse('it has more than one QualifyingProperties');
  const target = found?.getAttribute('Target');
  const id = root.getAttribute('Id');
  if (target && id !== null && target !== `#${id}`)
    throw refuse('its QualifyingProperties are about another signature');
  return found;
}

/** Whether an unreferenced Object contains only properties whose signed ones are covered. */
export function isPropertiesObject(object: Element, covered: ReadonlySet<Element>): boolean {
  const [qualifying, ...others] = childrenOf(object);
  if (qualifying === undefined || others.length > 0 || qualifying.localName !== 'QualifyingProperties')
    return false;
  const names = childrenOf(qualifying).map(({ localName }) => localName);
  const signed = onlyChild(qualifying, XADES, 'SignedProperties');
  return (
    signed !== undefined &&
    covered.has(signed) &&
    names.every((name) => name === 'SignedProperties' || name === 'UnsignedProperties')
  );
}

/**
 * Finds the elements of a Signature. It must have no others. Each must be in the one place where every reader looks for it (XML
 * Signature §4.1, ECMA-376-2 §13.2.4, EN 319 132-1 §4.4). Throws SignatureFormatError.
 */
export function readShape(root: Element): SignatureShape {
  survey(root);
  strictChildren(root, ['SignedInfo', 'SignatureValue', 'KeyInfo', 'Object']);
  const signedInfo = required(onlyChild(root, DSIG, 'SignedInfo'), 'SignedInfo');
  const value = required(onlyChild(root, DSIG, 'SignatureValue'), 'SignatureValue');
  const [keyInfo, ...keyInfos] = childrenOf(root, DSIG, 'KeyInfo');
  if (keyInfos.length > 0) throw refuse('it has more than one KeyInfo');
  strictChildren(signedInfo, ['CanonicalizationMethod', 'SignatureMethod', 'Reference']);
  const references = readReferences(signedInfo, root);
  const covered = new Set(references.map(({ target }) => target));
  const objects = childrenOf(root, DSIG, 'Object');
  if (!objects.every((object) => covered.has(object) || isPropertiesObject(object, covered)))
    throw refuse('it contains objects that it does not cover');
  const qualifying = findQualifying(root, objects);
  const signedContent = objects
    .filter((object) => covered.has(object))
    .flatMap((object) => childrenOf(object));
  const [manifest, ...manifests] = signedContent.filter((child) => isNamed(child, DSIG, 'Manifest'));
  if (manifests.length > 0 || manifest === undefined) throw refuse('it does not have exactly one Manifest');
  const unsigned = qualifying && onlyChild(qualifying, XADES, 'UnsignedProperties');
  return {
    root,
    signedInfo,
    value,
    keyInfo,
    references,
    manifest: strictChildren(manifest, ['Reference']),
    signedContent,
    signedProperties: qualifying && onlyChild(qualifying, XADES, 'SignedProperties'),
    unsignedProperties: unsigned && onlyChild(unsigned, XADES, 'UnsignedSignatureProperties'),
  };
}

function isNamed({ namespaceURI, localName }: Element, namespace: string, name: string): boolean {
  return namespaceURI === namespace && localName === name;
}
