import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { decodeName, isReservedName } from '@scriptorium/ooxml/package';
import { decodeXml } from '@scriptorium/ooxml/xml';
import { unpackEntry } from '@scriptorium/ooxml/zip';
import type { Element } from '@xmldom/xmldom';
import { DIGESTS, type DigestAlgorithm, digest } from './algorithms.ts';
import { CANONICAL_FORMS, canonicalize, INCLUSIVE } from './c14n.ts';
import { partUri, RELATIONSHIPS_TYPE } from './manifest.ts';
import { type ReadSignature, readBase64 } from './read-signature.ts';
import {
  acceptedTransforms,
  type CoveredRelationships,
  RELATIONSHIP_TRANSFORM,
} from './relationship-transform.ts';
import type { Signable } from './signable.ts';
import { SignatureFormatError, UnsupportedMethodError } from './signature-errors.ts';
import { childrenOf, DSIG, MDSSI, onlyChild, parseDom } from './xml-dom.ts';

interface Expected {
  uri: string;
  hash: DigestAlgorithm;
  value: Buffer;
  transforms: Element[];
}

/** Reads the content of a Reference (XML Signature §4.4.3). Throws SignatureFormatError and UnsupportedMethodError. */
export function readReference(reference: Element): Expected {
  const uri = reference.getAttribute('URI') ?? '';
  const method = onlyChild(reference, DSIG, 'DigestMethod');
  const value = onlyChild(reference, DSIG, 'DigestValue');
  const [list, ...others] = childrenOf(reference, DSIG, 'Transforms');
  if (method === undefined || value === undefined || others.length > 0)
    throw new SignatureFormatError('a reference has no digest, or more than one');
  const hash = DIGESTS.get(method.getAttribute('Algorithm') ?? '');
  if (hash === undefined) throw new UnsupportedMethodError('a reference has an unsupported digest algorithm');
  return { uri, hash, value: readBase64(value), transforms: list === undefined ? [] : childrenOf(list) };
}

/** Returns the digest algorithm of a Reference. Throws as `examine` does. */
export function hashOf(reference: Element): DigestAlgorithm {
  return readReference(reference).hash;
}

function unsupported(): SignatureFormatError {
  return new SignatureFormatError('a reference has an unsupported transform');
}

/** Whether the targets of the references in SignedInfo are unchanged. Throws SignatureFormatError. */
export function objectsHold({ references }: Pick<ReadSignature, 'references'>): boolean {
  const holds = references.map(({ reference, target }) => {
    const { hash, value, transforms } = readReference(reference);
    const [transform, ...others] = transforms;
    const form =
      transform === undefined ? INCLUSIVE : CANONICAL_FORMS.get(transform.getAttribute('Algorithm') ?? '');
    if (others.length > 0 || form === undefined || (transform && childrenOf(transform).length > 0))
      throw unsupported();
    return digest(hash, canonicalize(target, form)).equals(value);
  });
  return holds.every(Boolean);
}

/** The state of a part named in a Manifest. `retyped`: only its content type has changed. */
export interface PartFinding {
  /** As written in the signature: a path without the content type. */
  path: string;
  /** Archive key; undefined if the part is missing. */
  key: string | undefined;
  outcome: 'holds' | 'changed' | 'missing' | 'retyped';
  /** The covered relationships of a relationships part; undefined if the whole part is covered, as for any other part. */
  relationships: CoveredRelationships | undefined;
}

/** The parts of a package as signatures name them. Digests are cached, because every signature needs them. */
export class SignedParts {
  readonly #signable: Signable;
  readonly #budget: Budget;
  /** A separate budget, since each signature may need the same relationships again. */
  readonly #xmlBudget = new Budget();
  readonly #keys: ReadonlyMap<string, string>;
  readonly #digests = new Map<string, Buffer>();
  readonly #unpacked = new Map<string, Buffer>();

  constructor(signable: Signable) {
    this.#signable = signable;
    this.#budget = signable.budget;
    this.#keys = keysByUri(signable);
  }

  /**
   * Compares the references of a Manifest with the package: content types, and bytes or the named relationships
   * (ECMA-376-2 §13.2.4). Throws SignatureFormatError, also if it names nothing or names a part twice.
   */
  examine(manifest: readonly Element[]): PartFinding[] {
    const findings = manifest.map((reference) => this.#examine(reference));
    const names = findings.map(({ key, path }) => key ?? path);
    if (names.length === 0 || new Set(names).size < names.length)
      throw new SignatureFormatError('its manifest is empty, or names a part twice');
    return findings;
  }

  #examine(reference: Element): PartFinding {
    const { uri, hash, value, transforms } = readReference(reference);
    const [, path, type] = /^\/([^?#]+)\?ContentType=([^#]+)$/.exec(uri) ?? [];
    if (path === undefined || type === undefined)
      throw new SignatureFormatError('its manifest names something that is not a part with a content type');
    const key = this.#keys.get(path) ?? this.#keys.get(decodeName(path));
    const relationships = isReservedName(key ?? '') ? coveredBy(transforms[0]) : undefined;
    const found = { path: `/${path}`, key, relationships };
    if (key === undefined) return { ...found, outcome: 'missing' };
    const holds =
      transforms.length === 0
        ? this.#digest(key, hash).equals(value)
        : this.#transform(key, transforms).some((text) => digest(hash, text).equals(value));
    if (!holds) return { ...found, outcome: 'changed' };
    const isTyped = decodeName(type).toLowerCase() === this.#typeOf(key);
    return { ...found, outcome: isTyped ? 'holds' : 'retyped' };
  }

  #typeOf(key: string): string {
    const { document, typeOf } = this.#signable;
    const type = typeOf(document.archive.get(key)?.name ?? '');
    return type === '' && isReservedName(key) ? RELATIONSHIPS_TYPE : type.toLowerCase();
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

  #digest(key: string, hash: DigestAlgorithm): Buffer {
    const known = this.#digests.get(`${hash} ${key}`);
    if (known !== undefined) return known;
    const value = digest(hash, this.#bytes(key));
    this.#digests.set(`${hash} ${key}`, value);
    return value;
  }

  #transform(key: string, transforms: Element[]): string[] {
    const bytes = this.#bytes(key);
    this.#xmlBudget.addXml(bytes.length);
    try {
      return this.#transformXml(key, decodeXml(bytes).xml, transforms);
    } catch (error) {
      if (error instanceof OoxmlError || error instanceof SignatureFormatError) throw error;
      throw new SignatureFormatError(`the XML of ${partUri(key)} cannot be read`, { cause: error });
    }
  }

  #transformXml(key: string, xml: string, [first, second, ...others]: Element[]): string[] {
    const forms = [first, second].map((transform) =>
      CANONICAL_FORMS.get(transform?.getAttribute('Algorithm') ?? ''),
    );
    if (others.length > 0) throw unsupported();
    const covered = coveredBy(first);
    if (covered !== undefined && isReservedName(key)) {
      // A canonicalization must follow, and changes nothing, whichever it is (ECMA-376-2 §13.2.4.24).
      if (forms[1] === undefined) throw unsupported();
      return acceptedTransforms(xml, covered, key);
    }
    // Parts that the sanitizer has not scanned must not be parsed into a tree.
    const isScanned = this.#signable.document.parts.get(key)?.xml !== undefined;
    if (forms[0] === undefined || second !== undefined || !isScanned) throw unsupported();
    return [canonicalize(parseDom(xml), forms[0])];
  }
}

/**
 * Maps the names that a signature may use for a part to archive keys: the name itself, or a URI. Names with the same URI are
 * left out: a signature covers neither. Case matters, because some readers are case-sensitive.
 */
function keysByUri({ document: { archive } }: Signable): Map<string, string> {
  const counts = new Map<string, number>();
  const plain = (name: string) => decodeName(name).normalize('NFC').toLowerCase();
  for (const { name } of archive.values()) counts.set(plain(name), (counts.get(plain(name)) ?? 0) + 1);
  const keys = new Map<string, string>();
  for (const [key, { name }] of archive)
    if (counts.get(plain(name)) === 1) keys.set(name, key).set(partUri(name).slice(1), key);
  return keys;
}

/** Returns what a relationships transform covers; undefined for any other transform. */
function coveredBy(transform: Element | undefined): CoveredRelationships | undefined {
  if (transform?.getAttribute('Algorithm') !== RELATIONSHIP_TRANSFORM) return undefined;
  const list = (name: string, attribute: string) =>
    new Set(childrenOf(transform, MDSSI, name).map((element) => element.getAttribute(attribute) ?? ''));
  return {
    ids: list('RelationshipReference', 'SourceId'),
    types: list('RelationshipsGroupReference', 'SourceType'),
  };
}
