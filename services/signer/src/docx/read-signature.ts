import { X509Certificate } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { SIGNATURE_METHODS, type SignatureMethod } from './algorithms.ts';
import { CANONICAL_FORMS, type CanonicalForm, canonicalise } from './c14n.ts';
import { childrenOf, DSIG, indexIds, onlyChild, parseDom } from './xml-dom.ts';

const SIGNATURE_CHARS_MAX = 8 * 1024 * 1024;
const REFERENCES_MAX = 10;
const CERTIFICATES_MAX = 50;

/** Thrown where a signature cannot be read, or asks for what no signature of a package has. */
export class SignatureFormatError extends Error {}

/** A signature as its part says it; nothing of it is checked. */
export interface ReadSignature {
  root: Element;
  signedInfo: Element;
  /** The element SignatureValue. */
  value: Element;
  method: SignatureMethod;
  form: CanonicalForm;
  /** The References of SignedInfo. */
  references: Element[];
  /** All that KeyInfo holds. */
  certificates: X509Certificate[];
  /** Elements by `Id`; undefined where several have it. */
  ids: ReadonlyMap<string, Element | undefined>;
}

function require<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new SignatureFormatError(`it has not exactly one ${what}`);
  return found;
}

function algorithmOf<T>(element: Element, known: ReadonlyMap<string, T>): T {
  const found = known.get(element.getAttribute('Algorithm') ?? '');
  if (found === undefined)
    throw new SignatureFormatError(`its ${element.localName} is none that is supported`);
  return found;
}

function readCertificates(root: Element): X509Certificate[] {
  const texts = childrenOf(root, DSIG, 'KeyInfo')
    .flatMap((info) => childrenOf(info, DSIG, 'X509Data'))
    .flatMap((data) => childrenOf(data, DSIG, 'X509Certificate'));
  if (texts.length > CERTIFICATES_MAX) throw new SignatureFormatError('it holds too many certificates');
  try {
    return texts.map(({ textContent }) => new X509Certificate(Buffer.from(textContent ?? '', 'base64')));
  } catch {
    throw new SignatureFormatError('it holds a certificate that cannot be read');
  }
}

/** The bytes of a base64 text with white space in it. Throws SignatureFormatError. */
export function readBase64(element: Element): Buffer {
  const text = (element.textContent ?? '').replace(/[ \t\r\n]+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new SignatureFormatError(`its ${element.localName} is not base64`);
  return Buffer.from(text, 'base64');
}

/** Reads the text of a signature part, which the gate has scanned. Throws SignatureFormatError. */
export function readSignature(xml: string | undefined): ReadSignature {
  if (xml === undefined || xml.length > SIGNATURE_CHARS_MAX)
    throw new SignatureFormatError('its part is no XML, or too long');
  let root: Element | null;
  try {
    root = parseDom(xml).documentElement;
  } catch {
    throw new SignatureFormatError('its XML cannot be read');
  }
  if (root?.localName !== 'Signature' || root.namespaceURI !== DSIG)
    throw new SignatureFormatError('its part holds no Signature');
  const signedInfo = require(onlyChild(root, DSIG, 'SignedInfo'), 'SignedInfo');
  const references = childrenOf(signedInfo, DSIG, 'Reference');
  if (references.length === 0 || references.length > REFERENCES_MAX)
    throw new SignatureFormatError('it has no references, or too many');
  const canonicalisation = require(onlyChild(
    signedInfo,
    DSIG,
    'CanonicalizationMethod',
  ), 'CanonicalizationMethod');
  if (childrenOf(canonicalisation).length > 0)
    throw new SignatureFormatError('its canonicalisation has parameters');
  return {
    root,
    signedInfo,
    value: require(onlyChild(root, DSIG, 'SignatureValue'), 'SignatureValue'),
    method: algorithmOf(
      require(onlyChild(signedInfo, DSIG, 'SignatureMethod'), 'SignatureMethod'),
      SIGNATURE_METHODS,
    ),
    form: algorithmOf(canonicalisation, CANONICAL_FORMS),
    references,
    certificates: readCertificates(root),
    ids: indexIds(root),
  };
}

/** What the signature value is over: SignedInfo in its canonical form. */
export function signedBytes({ signedInfo, form }: ReadSignature): Buffer {
  return Buffer.from(canonicalise(signedInfo, form));
}
