import { createHash, sign } from 'node:crypto';
import {
  explicit,
  identifier,
  implicit,
  integer,
  octetString,
  sequence,
  setOf,
} from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { memberAt, readAsn1 } from '@scriptorium/testing/pki/read';

const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStampToken: '1.2.840.113549.1.9.16.2.14',
};

const HASHES = {
  md5: { oid: '1.2.840.113549.2.5', rsa: '1.2.840.113549.1.1.4', ecdsa: '' },
  sha1: { oid: '1.3.14.3.2.26', rsa: '1.2.840.113549.1.1.5', ecdsa: '1.2.840.10045.4.1' },
  sha256: {
    oid: '2.16.840.1.101.3.4.2.1',
    rsa: '1.2.840.113549.1.1.11',
    ecdsa: '1.2.840.10045.4.3.2',
  },
} as const;

/** Changes to an otherwise correct CMS. */
export interface CmsFaults {
  signer: Identity;
  hash?: keyof typeof HASHES;
  /** The certificate included and named as the signer's. */
  named?: Identity;
  certificates?: Buffer[];
  /** The certificate that the signed attributes name; none for `none`. */
  ess?: Identity | 'none';
  /** Content that the CMS encapsulates and signs instead. */
  encapsulated?: Buffer;
  hasAttributes?: boolean;
  /** Replaces the digest of the signed bytes. */
  digest?: Buffer;
  /** Digests in the signed attributes, each in a separate attribute by default. */
  digests?: (right: Buffer) => Buffer[];
  isOneAttribute?: boolean;
  signerInfos?: (right: Buffer) => Buffer[];
  signatureValue?: (right: Buffer) => Buffer;
  /** A time-stamp over the signature value. */
  token?: (signatureValue: Buffer) => Buffer | Promise<Buffer>;
}

const attribute = (type: string, ...values: Buffer[]) => sequence(identifier(type), setOf(...values));

export async function faultyCms(signed: Buffer, faults: CmsFaults): Promise<Buffer> {
  const { signer, hash = 'sha256', named = signer, hasAttributes = true, encapsulated } = faults;
  const { oid, rsa, ecdsa } = HASHES[hash];
  const content = encapsulated ?? signed;
  const digest = faults.digest ?? createHash(hash).update(content).digest();
  const attributes = setOf(
    attribute(OID.contentType, identifier(OID.data)),
    ...digestsOf(faults, digest),
    ...essOf(faults),
  );
  const right = sign(hash, hasAttributes ? attributes : content, signer.privateKey);
  const value = faults.signatureValue ? faults.signatureValue(right) : right;
  const token = await faults.token?.(value);
  const signerInfo = sequence(
    integer(1),
    sequence(memberAt(readAsn1(named.der), 0, 3).der, integer(Buffer.from(named.serialNumber, 'hex'))),
    sequence(identifier(oid)),
    ...(hasAttributes ? [implicit(0, attributes)] : []),
    sequence(identifier(signer.privateKey.asymmetricKeyType === 'ec' ? ecdsa : rsa)),
    octetString(value),
    ...(token ? [implicit(1, setOf(attribute(OID.timeStampToken, token)))] : []),
  );
  const certificates = faults.certificates ?? named.chain;
  return sequence(
    identifier(OID.signedData),
    explicit(
      0,
      sequence(
        integer(1),
        setOf(sequence(identifier(oid))),
        sequence(identifier(OID.data), ...(encapsulated ? [explicit(0, octetString(encapsulated))] : [])),
        ...(certificates.length > 0 ? [implicit(0, setOf(...certificates))] : []),
        setOf(...(faults.signerInfos?.(signerInfo) ?? [signerInfo])),
      ),
    ),
  );
}

function digestsOf({ digests, isOneAttribute }: CmsFaults, right: Buffer): Buffer[] {
  const values = (digests?.(right) ?? [right]).map((digest) => octetString(digest));
  if (isOneAttribute) return [attribute(OID.messageDigest, ...values)];
  return values.map((value) => attribute(OID.messageDigest, value));
}

function essOf({ signer, ess = signer }: CmsFaults): Buffer[] {
  if (ess === 'none') return [];
  const hash = createHash('sha256').update(ess.der).digest();
  return [attribute(OID.signingCertificateV2, sequence(sequence(sequence(octetString(hash)))))];
}
