import { X509Certificate } from 'node:crypto';
import { TAG } from '../asn1/der.ts';
import { DerError, readDer } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { readSignedData } from '../cms/read-signed-data.ts';
import { readCrl } from './crl.ts';
import { readOcspAnswer } from './ocsp.ts';
import { UnusableAnswerError } from './revocation.ts';

/** What documents store for later validations of their signatures. */
type StoredKind = 'certificate' | 'crl' | 'ocsp' | 'timestamp';

const READERS: Readonly<Record<StoredKind, (der: Buffer) => unknown>> = {
  // Its key may be of a type that is not supported here.
  certificate: (der) => new X509Certificate(readDer(der, TAG.sequence).bytes),
  crl: readCrl,
  ocsp: readOcspAnswer,
  timestamp(der) {
    if (readSignedData(der).contentType !== OID.tstInfo) throw new DerError('not a time-stamp');
  },
};

/** Whether the bytes are one value of this kind, and nothing else. Its origin and its age do not matter. */
export function isStoredData(kind: StoredKind, der: Buffer): boolean {
  try {
    READERS[kind](der);
    return true;
  } catch (error) {
    // A response may say that the responder gives no status.
    return error instanceof UnusableAnswerError;
  }
}
