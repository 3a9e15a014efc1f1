import { AppError } from '@scriptorium/shared/errors';
import { Budget } from '@scriptorium/shared/ooxml/bounds';
import { decodeName, isReservedName } from '@scriptorium/shared/ooxml/part-name';
import { decodeXml } from '@scriptorium/shared/ooxml/xml-text';
import { unpackEntry } from '@scriptorium/shared/ooxml/zip-reader';
import type { Element } from '@xmldom/xmldom';
import type { HashAlgorithm } from '../keys/raw-signer.ts';
import { DIGESTS, digest } from './algorithms.ts';
import { CANONICAL_FORMS, canonicalise, INCLUSIVE } from './c14n.ts';
import { partUri, RELATIONSHIPS_TYPE } from './manifest.ts';
import { type ReadSignature, readBase64, SignatureFormatError } from './read-signature.ts';
import { RELATIONSHIP_TRANSFORM, transformRelationships } from './relationship-transform.ts';
import type { Signable } from './signable.ts';
import { childrenOf, DSIG, MDSSI, onlyChild, parseDom } from './xml-dom.ts';

interface Expected {
  uri: string;
  hash: HashAlgorithm | 'sha1';
  value: Buffer;
  transforms: Element[];
}

/** What a Reference says (XML Signature §4.4.3). Throws SignatureFormatError. */
function readReference(reference: Element): Expected {
  const uri = reference.getAttribute('URI') ?? '';
  const method = onlyChild(reference, DSIG, 'DigestMethod')?.getAttribute('Algorithm') ?? '';
  const hash = DIGESTS.get(method);
  const value = onlyChild(reference, DSIG, 'DigestValue');
  if (hash === undefined || value === undefined)
    throw new SignatureFormatError('a reference has no digest of a kind that is supported');
  const transforms = childrenOf(reference, DSIG, 'Transforms').flatMap((list) => childrenOf(list));
  return { uri, hash, value: readBase64(value), transforms };
}

function unsupported(): SignatureFormatError {
  return new SignatureFormatError('a reference has a transform that is not supported');
}

/** Whether a reference of SignedInfo to an object of the same signature holds. Throws SignatureFormatError. */
export function objectHolds(reference: Element, { ids }: ReadSignature): boolean {
  const { uri, hash, value, transforms } = readReference(reference);
  const target = uri.startsWith('#') ? ids.get(uri.slice(1)) : undefined;
  if (target === undefined)
    throw new SignatureFormatError('a reference leads to nothing, or to more than one thing');
  if (transforms.length > 1) throw unsupported();
  const [transform] = transforms;
  const form =
    transform === undefined ? INCLUSIVE : CANONICAL_FORMS.get(transform.getAttribute('Algorithm') ?? '');
  if (form === undefined || (transform && childrenOf(transform).length > 0)) throw unsupported();
  return digest(hash, canonicalise(target, form)).equals(value);
}

/** The parts of a package as signatures name them. Digests are kept: each signature asks for the same. */
export class SignedParts {
  readonly #signable: Signable;
  readonly #budget: Budget;
  /** Of its own: each signature may have the same relationships read again. */
  readonly #xmlBudget = new Budget();
  /** Keys of the archive by decoded name. */
  readonly #keys = new Map<string, string>();
  readonly #digests = new Map<string, Buffer>();
  readonly #unpacked = new Map<string, Buffer>();

  constructor(signable: Signable) {
    this.#signable = signable;
    this.#budget = signable.budget;
    for (const key of signable.document.archive.keys()) this.#keys.set(decodeName(key), key);
  }

  /**
   * Whether a reference of a Manifest to a part holds: its content type, and its bytes or those of its relationships
   * that are named (ECMA-376-2 §13.2.4). Throws SignatureFormatError.
   */
  holds(reference: Element): boolean {
    const { uri, hash, value, transforms } = readReference(reference);
    const [, path, type] = /^\/([^?#]+)\?ContentType=([^#]+)$/.exec(uri) ?? [];
    if (path === undefined || type === undefined)
      throw new SignatureFormatError('its manifest names what is no part with a content type');
    const key = this.#keys.get(decodeName(path).toLowerCase());
    if (key === undefined || decodeName(type).toLowerCase() !== this.#typeOf(key)) return false;
    if (transforms.length === 0) return this.#digest(key, hash).equals(value);
    return digest(hash, this.#transform(key, transforms)).equals(value);
  }

  #typeOf(key: string): string {
    const { archive, contentTypes } = this.#signable.document;
    return (
      contentTypes.typeOf(archive.get(key)?.name ?? '') || (isReservedName(key) ? RELATIONSHIPS_TYPE : '')
    );
  }

  #bytes(key: string): Buffer {
    const { parts, archive } = this.#signable.document;
    const known = parts.get(key)?.bytes ?? this.#unpacked.get(key);
    if (known !== undefined) return known;
    const entry = archive.get(key);
    if (entry === undefined) throw new Error(`there is no ${key}`);
    const bytes = unpackEntry(entry, this.#budget);
    this.#unpacked.set(key, bytes);
    return bytes;
  }

  #digest(key: string, hash: HashAlgorithm | 'sha1'): Buffer {
    const known = this.#digests.get(`${hash} ${key}`);
    if (known !== undefined) return known;
    const value = digest(hash, this.#bytes(key));
    this.#digests.set(`${hash} ${key}`, value);
    return value;
  }

  #transform(key: string, transforms: Element[]): string {
    const bytes = this.#bytes(key);
    this.#xmlBudget.addXml(bytes.length);
    try {
      return this.#transformXml(key, decodeXml(bytes).xml, transforms);
    } catch (error) {
      if (error instanceof AppError || error instanceof SignatureFormatError) throw error;
      throw new SignatureFormatError(`the XML of ${partUri(key)} cannot be read`, { cause: error });
    }
  }

  #transformXml(key: string, xml: string, [first, ...others]: Element[]): string {
    const algorithm = first?.getAttribute('Algorithm') ?? '';
    if (first !== undefined && algorithm === RELATIONSHIP_TRANSFORM && isReservedName(key)) {
      // A canonicalisation behind it changes nothing, whichever it is.
      if (others.some((other) => !CANONICAL_FORMS.has(other.getAttribute('Algorithm') ?? '')))
        throw unsupported();
      return transformRelationships(xml, coveredBy(first), key);
    }
    const form = CANONICAL_FORMS.get(algorithm);
    // What the gate has not scanned must not become a tree.
    const isScanned = this.#signable.document.parts.get(key)?.xml !== undefined;
    if (form === undefined || others.length > 0 || !isScanned) throw unsupported();
    return canonicalise(parseDom(xml), form);
  }
}

function coveredBy(transform: Element) {
  const list = (name: string, attribute: string) =>
    new Set(childrenOf(transform, MDSSI, name).map((element) => element.getAttribute(attribute) ?? ''));
  return {
    ids: list('RelationshipReference', 'SourceId'),
    types: list('RelationshipsGroupReference', 'SourceType'),
  };
}
