import { createHash } from 'node:crypto';
import { DerError } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import { readTstInfo } from '../tsp/tst-info.ts';
import { type Hash, readHash } from '../x509/algorithms.ts';
import type { SignedData } from './read-signed-data.ts';

/**
 * What a CMS in a PDF signs: the bytes themselves, their SHA-1, or a time-stamp imprint of them (ISO 32000-2,
 * 12.8.3).
 */
export type CmsKind = 'detached' | 'sha1' | 'timestamp';

/** Octets of digests with a variable length, RFC 8702, 3.1. */
const OUTPUT_OCTETS: Partial<Record<Hash, number>> = { shake256: 64 };

/** Bytes in parts that need not be adjacent. Each digest is computed once. */
export class HashedParts {
  readonly parts: readonly Buffer[];
  readonly #digests = new Map<Hash, Buffer>();

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
  }

  digest(hash: Hash): Buffer {
    const known = this.#digests.get(hash);
    if (known !== undefined) return known;
    const sum = createHash(hash, { outputLength: OUTPUT_OCTETS[hash] });
    for (const part of this.parts) sum.update(part);
    const digest = sum.digest();
    this.#digests.set(hash, digest);
    return digest;
  }
}

/** The content of a SignedData. */
export interface SignedContent {
  /** What the signer signs: the parts of the document, or the encapsulated content. */
  content: HashedParts;
  /** The hash by which the encapsulated content refers to the document. */
  hash?: Hash;
  statedTime?: Date;
  /** Whether the encapsulated content matches the document. True if there is none. */
  holds: boolean;
  faults: Fault[];
}

/** The content that a CMS of this kind signs, over these parts of a document. Throws DerError. */
export function signedContent(data: SignedData, document: HashedParts, kind: CmsKind): SignedContent {
  if (kind === 'detached') {
    const faults =
      data.content === undefined ? [] : [fault('CONTENT_ENCAPSULATED', 'The CMS encapsulates its content.')];
    return { content: document, holds: true, faults };
  }
  if (data.content === undefined) throw new DerError('content missing');
  const content = new HashedParts([data.content]);
  if (kind === 'sha1')
    return { content, hash: 'sha1', ...outcome(document.digest('sha1').equals(data.content)) };
  if (data.contentType !== OID.tstInfo) throw new DerError('time-stamp expected');
  const { imprint, time } = readTstInfo(data.content);
  const hash = readHash(imprint.algorithm);
  return { content, hash, statedTime: time, ...outcome(document.digest(hash).equals(imprint.value)) };
}

const outcome = (holds: boolean): Pick<SignedContent, 'holds' | 'faults'> => ({
  holds,
  faults: holds ? [] : [fault('DIGEST_MISMATCH', 'The signed digest does not match the document.')],
});
