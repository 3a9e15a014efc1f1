import { type Certificate, tryReadCertificate } from '@scriptorium/pki/certificates';
import type { Element } from '@xmldom/xmldom';
import { SIGNATURE_METHODS, type SignatureMethod } from './algorithms.ts';
import { CANONICAL_FORMS, type CanonicalForm, canonicalize } from './c14n.ts';
import { SignatureFormatError, UnsupportedMethodError } from './signature-errors.ts';
import { readShape, type SignatureShape } from './signature-shape.ts';
import { childrenOf, DSIG, onlyChild, parseDom } from './xml-dom.ts';

const SIGNATURE_CHARS_MAX = 8 * 1024 * 1024;
const CERTIFICATES_MAX = 20;

/** A signature as stated in its part. Only its shape has been checked. */
export interface ReadSignature extends SignatureShape {
  method: SignatureMethod;
  form: CanonicalForm;
  /** All readable certificates in KeyInfo. */
  certificates: Certificate[];
}

/** Decodes a base64 text that may contain white space. Throws SignatureFormatError. */
export function readBase64(element: Element): Buffer {
  const text = (element.textContent ?? '').replace(/[ \t\r\n]+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new SignatureFormatError(`its ${element.localName} is not base64`);
  return Buffer.from(text, 'base64');
}

export function readCertificates(keyInfo: Element | undefined): Certificate[] {
  const elements = (keyInfo === undefined ? [] : childrenOf(keyInfo, DSIG, 'X509Data')).flatMap((data) =>
    childrenOf(data, DSIG, 'X509Certificate'),
  );
  if (elements.length > CERTIFICATES_MAX) throw new SignatureFormatError('it has too many certificates');
  return elements.flatMap((element) => tryReadCertificate(readBase64(element)) ?? []);
}

export function readMethod(signedInfo: Element): SignatureMethod {
  const element = onlyChild(signedInfo, DSIG, 'SignatureMethod');
  const uri = element?.getAttribute('Algorithm') ?? '';
  const method = SIGNATURE_METHODS.get(uri);
  // Anyone who can check a MAC can also create one.
  if (element === undefined || /hmac/i.test(uri))
    throw new SignatureFormatError('its SignatureMethod is not allowed in a package');
  if (method === undefined || childrenOf(element).length > 0)
    throw new UnsupportedMethodError('its SignatureMethod is not supported');
  return method;
}

export function readForm(signedInfo: Element): CanonicalForm {
  const element = onlyChild(signedInfo, DSIG, 'CanonicalizationMethod');
  const form = CANONICAL_FORMS.get(element?.getAttribute('Algorithm') ?? '');
  if (element === undefined || form === undefined || childrenOf(element).length > 0)
    throw new SignatureFormatError('its CanonicalizationMethod is not supported');
  return form;
}

/** Reads a signature part that the sanitizer has scanned. Throws SignatureFormatError and UnsupportedMethodError. */
export function readSignature(xml: string | undefined): ReadSignature {
  if (xml === undefined || xml.length > SIGNATURE_CHARS_MAX)
    throw new SignatureFormatError('its part is not XML, or too long');
  let root: Element | null;
  try {
    root = parseDom(xml).documentElement;
  } catch {
    throw new SignatureFormatError('its XML cannot be read');
  }
  if (root?.localName !== 'Signature' || root.namespaceURI !== DSIG)
    throw new SignatureFormatError('its part does not contain a Signature');
  const shape = readShape(root);
  return {
    ...shape,
    method: readMethod(shape.signedInfo),
    form: readForm(shape.signedInfo),
    certificates: readCertificates(shape.keyInfo),
  };
}

/** Returns the bytes that the signature value covers: SignedInfo in its canonical form. */
export function signedBytes({ signedInfo, form }: Pick<ReadSignature, 'signedInfo' | 'form'>): Buffer {
  return Buffer.from(canonicalize(signedInfo, form));
}
