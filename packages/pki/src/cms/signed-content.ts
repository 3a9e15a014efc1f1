import { createHash } from 'node:crypto';
import { DerError } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import { readTstInfo } from '../tsp/tst-info.ts';
import { type Hash, readHash } from '../x509/algorithms.ts';
import type { SignedData } from './read-signed-data.ts';

/** What a CMS in a PDF signs: the bytes themselves, their SHA-1, or a time-stamp's imprint of them (ISO 32000-2, 12.8.3). */
export type CmsKind = 'detached' | 'sha1' | 'timestamp';

/** Octets of digests whose length is for the user to choose, RFC 8702, 3.1. */
const OUTPUT_OCTETS: Partial<Record<Hash, number>> = { shake256: 64 };

/** Bytes in parts that need not lie behind each other, each digest of which is computed once. */
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

/** What a SignedData is about. */
export interface SignedContent {
  /** What its signer signs: the parts of the document, or what is enclosed. */
  content: HashedParts;
  /** By which what is enclosed speaks of the document. */
  hash?: Hash;
  statedTime?: Date;
  /** Whether what is enclosed is about the document; true where nothing is. */
  holds: boolean;
  faults: Fault[];
}

/** What is signed by a CMS of this kind over these parts of a document. Throws DerError. */
export function signedContent(data: SignedData, document: HashedParts, kind: CmsKind): SignedContent {
  if (kind === 'detached') {
    const faults =
      data.content === undefined
        ? []
        : [fault('CONTENT_ENCAPSULATED', 'The CMS holds what it signs by itself.')];
    return { content: document, holds: true, faults };
  }
  if (data.content === undefined) throw new DerError('there is no content');
  const content = new HashedParts([data.content]);
  if (kind === 'sha1')
    return { content, hash: 'sha1', ...outcome(document.digest('sha1').equals(data.content)) };
  if (data.contentType !== OID.tstInfo) throw new DerError('a time-stamp is due');
  const { imprint, time } = readTstInfo(data.content);
  const hash = readHash(imprint.algorithm);
  return { content, hash, statedTime: time, ...outcome(document.digest(hash).equals(imprint.value)) };
}

const outcome = (holds: boolean): Pick<SignedContent, 'holds' | 'faults'> => ({
  holds,
  faults: holds ? [] : [fault('DIGEST_MISMATCH', 'The digest that is signed is not that of the document.')],
});
