import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readDer,
  readNumber,
  readOctetString,
  readOid,
  readSequence,
} from '../asn1/der-reader.ts';
import { readExtensions } from '../x509/certificate.ts';
import { readTime } from '../x509/time.ts';

/** A TSTInfo (RFC 3161, 2.4.2), the content of a time-stamp. */
export interface TstInfo {
  time: Date;
  /** Object identifier. */
  policy: string;
  /** AlgorithmIdentifier of the hash, and the stamped digest. */
  imprint: { algorithm: DerValue | undefined; value: Buffer };
  /** Octets of the INTEGER, as encoded. */
  nonce: Buffer | undefined;
}

/** An unknown critical extension may change the meaning (RFC 3161, 2.4.2). */
function refuseCritical(extensions: DerValue | undefined): void {
  const read = readExtensions(extensions && { ...extensions, tag: TAG.sequence });
  for (const { isCritical } of read.values())
    if (isCritical) throw new DerError('time-stamp with a critical extension');
}

/** Throws DerError. */
export function readTstInfo(content: Buffer): TstInfo {
  const [version, policy, imprint, , time, ...rest] = readSequence(readDer(content));
  if (readNumber(version) !== 1) throw new DerError('time-stamp version 1 expected');
  const [algorithm, value] = readSequence(imprint);
  refuseCritical(rest.find(({ tag }) => tag === contextTag(1)));
  return {
    time: readTime(time),
    policy: readOid(policy),
    imprint: { algorithm, value: readOctetString(value) },
    nonce: rest.find(({ tag }) => tag === TAG.integer)?.content,
  };
}
