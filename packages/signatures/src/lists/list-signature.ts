import { type Certificate, isValidAt } from '@scriptorium/pki/certificates';
import { weaknesses } from '@scriptorium/pki/cms';
import type { Element } from '@xmldom/xmldom';
import { digest, isSignatureOf } from '../opc/algorithms.ts';
import { CANONICAL_FORMS, canonicalize, INCLUSIVE } from '../opc/c14n.ts';
import { readBase64, readCertificates, readForm, readMethod, signedBytes } from '../opc/read-signature.ts';
import { hashOf, objectsHold, readReference } from '../opc/reference-digest.ts';
import { SignatureFormatError } from '../opc/signature-errors.ts';
import {
  findQualifying,
  isPropertiesObject,
  isSignable,
  strictChildren,
  survey,
} from '../opc/signature-shape.ts';
import { chooseSigner } from '../opc/signer-certificate.ts';
import { childrenOf, DSIG, indexIds, onlyChild, XADES } from '../opc/xml-dom.ts';
import { TrustedListError } from './list-error.ts';

const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const REFERENCES_MAX = 4;

const refuse = (why: string): TrustedListError => new TrustedListError('LIST_SIGNATURE_INVALID', why);

/**
 * Checks the enveloped XAdES signature of a list (ETSI TS 119 612, annex B). Its one reference must cover the root element, and
 * one of `signers` must have made it. Removes the signature: what is left in the tree is exactly what is signed. Returns the
 * certificate of its signer. Throws TrustedListError.
 */
export function checkListSignature(root: Element, signers: readonly Certificate[], at: Date): Certificate {
  const [signature, ...others] = childrenOf(root, DSIG, 'Signature');
  if (signature === undefined || others.length > 0)
    throw refuse('the list does not have exactly one signature');
  try {
    const signer = signerOf(signature, root, signers);
    if (!isValidAt(signer, at)) throw refuse('the certificate of its signer is not valid');
    return signer;
  } catch (error) {
    if (!(error instanceof SignatureFormatError)) throw error;
    throw new TrustedListError('LIST_SIGNATURE_INVALID', error.message, error);
  }
}

function signerOf(signature: Element, root: Element, signers: readonly Certificate[]): Certificate {
  survey(signature);
  strictChildren(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo', 'Object']);
  const part = (name: string) => {
    const found = onlyChild(signature, DSIG, name);
    if (found === undefined) throw refuse(`it does not have exactly one ${name}`);
    return found;
  };
  const [signedInfo, value, keyInfo] = ['SignedInfo', 'SignatureValue', 'KeyInfo'].map(part) as [
    Element,
    Element,
    Element,
  ];
  strictChildren(signedInfo, ['CanonicalizationMethod', 'SignatureMethod', 'Reference']);
  const data = signedBytes({ signedInfo, form: readForm(signedInfo) });
  const method = readMethod(signedInfo);
  const { whole, within } = splitReferences(signedInfo, signature, root);
  const signedProperties = propertiesOf(signature, new Set(within.map(({ target }) => target)));
  const bytes = readBase64(value);
  const certificates = [...readCertificates(keyInfo), ...signers];
  const chosen = chooseSigner(certificates, signedProperties, ({ x509 }) =>
    isSignatureOf(bytes, data, method, x509),
  );
  if (chosen.signer === undefined || !chosen.signatureHolds) throw refuse('the signature value is wrong');
  if (chosen.namesSigner !== 'yes' || chosen.isAmbiguous)
    throw refuse('it does not name the certificate of its signer');
  const { signer } = chosen;
  // Before the list is put into its canonical form, which costs most.
  if (!signers.some(({ der }) => der.equals(signer.der)))
    throw new TrustedListError('LIST_SIGNER_UNKNOWN', 'a key signed that may not sign this list');
  const hashes = [whole, ...within.map(({ reference }) => reference)].map(hashOf);
  const [weakness] = weaknesses([...hashes, method.hash], undefined, signer.x509.publicKey);
  if (weakness !== undefined) throw refuse(weakness.message);
  if (!objectsHold({ references: within })) throw refuse('its signed properties were changed');
  // Only now: what is inside the signature needs the namespaces around it.
  root.removeChild(signature);
  if (!wholeHolds(whole, root)) throw refuse('the list was changed after signing');
  return signer;
}

interface References {
  /** That of the list without its signature. */
  whole: Element;
  /** Those of elements of the signature. */
  within: { reference: Element; target: Element }[];
}

/** A reference must lead to the root of the list, or into its signature: nothing else can be taken for the list. */
function splitReferences(signedInfo: Element, signature: Element, root: Element): References {
  const ids = indexIds(signature);
  const rootId = root.getAttributeNS(null, 'Id');
  const references = childrenOf(signedInfo, DSIG, 'Reference');
  if (references.length > REFERENCES_MAX) throw refuse('it has too many references');
  if (rootId !== null && ids.has(rootId)) throw refuse('two elements have the same Id');
  const wholes: Element[] = [];
  const within = references.flatMap((reference) => {
    const uri = reference.getAttributeNS(null, 'URI');
    if (uri === '' || (rootId !== null && uri === `#${rootId}`)) {
      wholes.push(reference);
      return [];
    }
    const target = uri?.startsWith('#') ? ids.get(uri.slice(1)) : undefined;
    if (target === undefined || !isSignable(target, signature))
      throw refuse('a reference leads to something other than the list');
    return [{ reference, target }];
  });
  const [whole, ...others] = wholes;
  if (whole === undefined || others.length > 0) throw refuse('it does not cover the list exactly once');
  return { whole, within };
}

function propertiesOf(signature: Element, covered: ReadonlySet<Element>): Element {
  const objects = childrenOf(signature, DSIG, 'Object');
  if (!objects.every((object) => covered.has(object) || isPropertiesObject(object, covered)))
    throw refuse('it contains objects that it does not cover');
  const qualifying = findQualifying(signature, objects);
  const properties = qualifying && onlyChild(qualifying, XADES, 'SignedProperties');
  if (properties === undefined || !covered.has(properties)) throw refuse('it has no signed properties');
  return properties;
}

function wholeHolds(reference: Element, root: Element): boolean {
  const { uri, hash, value, transforms } = readReference(reference);
  const [enveloped, form, ...others] = transforms.map((transform) =>
    childrenOf(transform).length > 0 ? 'with parameters' : transform.getAttributeNS(null, 'Algorithm'),
  );
  const canonical = form === undefined ? INCLUSIVE : CANONICAL_FORMS.get(form ?? '');
  if (enveloped !== ENVELOPED || canonical === undefined || others.length > 0)
    throw refuse('its reference to the list has other transforms than it may have');
  const node = uri === '' ? root.ownerDocument : root;
  if (node === null) throw new Error('the list has no document');
  // A reference of this kind leaves comments out, whatever the form (XML Signature §4.4.3.3).
  return digest(hash, canonicalize(node, { ...canonical, hasComments: false })).equals(value);
}
