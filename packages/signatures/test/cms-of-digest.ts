import { sign, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { OpensslKey } from '@scriptorium/testing/openssl-signing';
import { fromBER, ObjectIdentifier, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs';

const DATA = '1.2.840.113549.1.7.1';
const SHA256 = '2.16.840.1.101.3.4.2.1';
const ECDSA_SHA256 = '1.2.840.10045.4.3.2';

/** Makes a detached CMS over data with this SHA-256, DER, from the digest alone. */
export async function cmsOfDigest(digest: Buffer, { key, certificate: path }: OpensslKey): Promise<Buffer> {
  const { raw } = new X509Certificate(await readFile(path));
  const certificate = new Certificate({ schema: fromBER(raw).result });
  const { issuer, serialNumber } = certificate;
  const signedAttrs = new SignedAndUnsignedAttributes({
    type: 0,
    attributes: [
      new Attribute({ type: '1.2.840.113549.1.9.3', values: [new ObjectIdentifier({ value: DATA })] }),
      new Attribute({ type: '1.2.840.113549.1.9.4', values: [new OctetString({ valueHex: digest })] }),
    ],
  });
  const attributes = Buffer.from(signedAttrs.toSchema().toBER());
  attributes[0] = 0x31;
  const signer = new SignerInfo({
    version: 1,
    sid: new IssuerAndSerialNumber({ issuer, serialNumber }),
    digestAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA256 }),
    signedAttrs,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithmId: ECDSA_SHA256 }),
    signature: new OctetString({ valueHex: sign('sha256', attributes, await readFile(key)) }),
  });
  const content = new SignedData({
    version: 1,
    digestAlgorithms: [new AlgorithmIdentifier({ algorithmId: SHA256 })],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: DATA }),
    certificates: [certificate],
    signerInfos: [signer],
  }).toSchema(true);
  return Buffer.from(new ContentInfo({ contentType: '1.2.840.113549.1.7.2', content }).toSchema().toBER());
}
