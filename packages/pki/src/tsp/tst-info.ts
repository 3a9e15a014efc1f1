import { TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readDer,
  readNumber,
  readOctetString,
  readOid,
  readSequence,
} from '../asn1/der-reader.ts';
import { readTime } from '../x509/time.ts';

/** A TSTInfo (RFC 3161, 2.4.2): what a time-stamp states. */
export interface TstInfo {
  time: Date;
  /** Object identifier. */
  policy: string;
  /** AlgorithmIdentifier of the hash, and what was stamped by it. */
  imprint: { algorithm: DerValue | undefined; value: Buffer };
  /** Octets of the INTEGER, as they are. */
  nonce: Buffer | undefined;
}

/** Throws DerError. */
export function readTstInfo(content: Buffer): TstInfo {
  const [version, policy, imprint, , time, ...rest] = readSequence(readDer(content));
  if (readNumber(version) !== 1) throw new DerError('a time-stamp of version 1 is due');
  const [algorithm, value] = readSequence(imprint);
  return {
    time: readTime(time),
    policy: readOid(policy),
    imprint: { algorithm, value: readOctetString(value) },
    nonce: rest.find(({ tag }) => tag === TAG.integer)?.content,
  };
}
