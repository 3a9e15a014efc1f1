import { createHash } from 'node:crypto';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { type Hash, signatureAlgorithm, signWith, usualHash } from '@scriptorium/testing/pki/keys';
import { context, der, integer, octetString, oid, sequence, setOf, TAG } from '../../src/asn1/der.ts';
import { OID } from '../../src/asn1/oids.ts';
import type { CmsKind } from '../../src/cms/signed-content.ts';
import { type CmsReading, readSignedCore } from '../../src/cms/signed-core.ts';
import { readCertificate } from '../../src/x509/certificate.ts';

/** The first part starts like a PDF. */
export const PARTS = [Buffer.from('%PDF-1.7 the first part\n'), Buffer.from(' and the second %%EOF\n')];

export const CHANGED = [Buffer.from('%PDF-1.7 the fiRst part\n'), ...PARTS.slice(1)];
export const INTACT = { digestHolds: true, signatureHolds: true };

/** Reads a CMS over the parts. */
export const read = (cms: Buffer, kind: CmsKind = 'detached', isRequired = true): CmsReading =>
  readSignedCore(cms, PARTS, kind, isRequired);

export const codesOf = ({ faults }: CmsReading): string[] => faults.map(({ code }) => code);

/** The components of a CMS; a test may replace each of them. */
export interface Recipe {
  signer: Identity;
  parts?: readonly Buffer[];
  hash?: Hash;
  /** Enclosed content, signed instead of the parts. */
  content?: Buffer;
  contentType?: string;
  /** The signed attributes; if it returns undefined, the content itself is signed. */
  attributes?: (usual: UsualAttributes) => Buffer[] | undefined;
  /** Returns the bytes to sign, given those that should be signed. */
  signed?: (bytes: Buffer) => Buffer;
  identifier?: Buffer;
  digestAlgorithm?: Buffer;
  signatureAlgorithm?: Buffer;
  /** Replaces the signer's key. */
  sign?: (bytes: Buffer) => Buffer;
  certificates?: readonly Buffer[];
  /** Returns the SET OF signers, given the correct signer. */
  signers?: (signer: Buffer) => Buffer[];
  revocationInfo?: readonly Buffer[];
  /** Returns the unsigned attributes, given the signature value. */
  unsigned?: (signature: Buffer) => Buffer[];
}

export interface UsualAttributes {
  contentType: Buffer;
  messageDigest: Buffer;
  signingCertificate: Buffer;
}

export const attribute = (type: string, ...values: Buffer[]): Buffer =>
  sequence(oid(type), der(TAG.set, ...values));

const HASH_IDS: Record<Hash, string> = {
  sha1: OID.sha1,
  sha256: OID.sha256,
  sha384: OID.sha384,
  sha512: OID.sha512,
};
const digestAlgorithm = (hash: Hash): Buffer => sequence(oid(HASH_IDS[hash]));

export const serialOf = (identity: Identity): Buffer =>
  der(TAG.integer, readCertificate(identity.der).serialNumber);

const issuerOf = (identity: Identity): Buffer => readCertificate(identity.der).issuer;

export const signatureBy = ({ privateKey }: Identity, bytes: Buffer, hash: Hash = 'sha256'): Buffer =>
  signWith(privateKey, hash, bytes);

export const withEss = ({ contentType, messageDigest }: UsualAttributes, ess: Buffer): Buffer[] => [
  contentType,
  messageDigest,
  ess,
];

/** Returns the ESS attribute v2 with SHA-256, or v1, for these certificates; with issuer and serial number if given. */
export function signingCertificate(
  version: 1 | 2,
  ...certificates: { der: Buffer; issuerSerial?: Buffer }[]
): Buffer {
  const ids = certificates.map(({ der: bytes, issuerSerial }) =>
    sequence(
      octetString(
        createHash(version === 1 ? 'sha1' : 'sha256')
          .update(bytes)
          .digest(),
      ),
      ...(issuerSerial === undefined ? [] : [issuerSerial]),
    ),
  );
  const type = version === 1 ? OID.signingCertificate : OID.signingCertificateV2;
  return attribute(type, sequence(sequence(...ids)));
}

export const issuerSerial = (identity: Identity): Buffer =>
  sequence(sequence(context(4, issuerOf(identity))), serialOf(identity));

/** Builds a CMS (RFC 5652) from a recipe, as DER; by default a detached CAdES signature over the parts. */
export function buildCms(recipe: Recipe): Buffer {
  const { signer, contentType = OID.data, content } = recipe;
  const hash = recipe.hash ?? usualHash(signer.privateKey);
  const encapsulated = [oid(contentType), ...(content ? [context(0, octetString(content))] : [])];
  const certificates = recipe.certificates ?? signer.chain;
  const info = signerInfo(recipe, hash);
  return sequence(
    oid(OID.signedData),
    context(
      0,
      sequence(
        integer(1),
        setOf(digestAlgorithm(hash)),
        sequence(...encapsulated),
        ...(certificates.length > 0 ? [context(0, ...certificates)] : []),
        ...(recipe.revocationInfo ? [context(1, ...recipe.revocationInfo)] : []),
        der(TAG.set, ...(recipe.signers?.(info) ?? [info])),
      ),
    ),
  );
}

function signerInfo(recipe: Recipe, hash: Hash): Buffer {
  const { signer, parts = PARTS, content, contentType = OID.data } = recipe;
  const about = content ?? Buffer.concat(parts);
  const usual = {
    contentType: attribute(OID.contentType, oid(contentType)),
    messageDigest: attribute(OID.messageDigest, octetString(createHash(hash).update(about).digest())),
    signingCertificate: signingCertificate(2, { der: signer.der, issuerSerial: issuerSerial(signer) }),
  };
  const attributes = recipe.attributes ? recipe.attributes(usual) : Object.values(usual);
  const ordered = recipe.attributes ? attributes : attributes?.toSorted(Buffer.compare);
  const due = ordered ? der(TAG.set, ...ordered) : about;
  const bytes = recipe.signed?.(due) ?? due;
  const signature = recipe.sign?.(bytes) ?? signWith(signer.privateKey, hash, bytes);
  const unsigned = recipe.unsigned?.(signature);
  return sequence(
    integer(1),
    recipe.identifier ?? sequence(issuerOf(signer), serialOf(signer)),
    recipe.digestAlgorithm ?? digestAlgorithm(hash),
    ...(ordered ? [context(0, ...ordered)] : []),
    recipe.signatureAlgorithm ?? signatureAlgorithm(signer.privateKey, hash),
    octetString(signature),
    ...(unsigned ? [context(1, ...unsigned)] : []),
  );
}
