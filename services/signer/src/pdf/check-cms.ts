import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fromBER, type OctetString } from 'asn1js';
import { type Certificate, ContentInfo, RSASSAPSSParams, SignedData, type SignerInfo, TSTInfo } from 'pkijs';

export type CmsVerdict = 'holds' | 'digestMismatch' | 'signatureInvalid' | 'malformed' | 'unknown';
/** What a CMS in a PDF signs: the bytes themselves, a time-stamp's imprint of them, or their SHA-1. */
export type CmsKind = 'detached' | 'timestamp' | 'sha1';

const HASHES: Record<string, string> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const RSASSA_PSS = '1.2.840.113549.1.1.10';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';

const bytesOf = (view: ArrayBuffer | Uint8Array): Buffer =>
  view instanceof Uint8Array ? Buffer.from(view.buffer, view.byteOffset, view.length) : Buffer.from(view);

function digest(hash: string, parts: readonly Buffer[]): Buffer {
  const sum = createHash(hash);
  for (const part of parts) sum.update(part);
  return sum.digest();
}

/**
 * Whether a CMS (RFC 5652) over these parts of a file holds by itself: digest and signature value, by the certificate
 * that it names. Nothing is said about that certificate. Zeros behind the CMS are left out of account.
 */
export function checkCms(contents: Buffer, parts: readonly Buffer[], kind: CmsKind): CmsVerdict {
  try {
    const { result, offset } = fromBER(contents);
    if (offset === -1) return 'malformed';
    const data = new SignedData({ schema: new ContentInfo({ schema: result }).content });
    const [signer, ...others] = data.signerInfos;
    if (!signer || others.length > 0) return 'malformed';
    return checkSigner(data, signer, parts, kind);
  } catch {
    return 'malformed';
  }
}

function checkSigner(
  data: SignedData,
  signer: SignerInfo,
  parts: readonly Buffer[],
  kind: CmsKind,
): CmsVerdict {
  const hash = HASHES[signer.digestAlgorithm.algorithmId];
  if (!hash) return 'unknown';
  const enclosed = data.encapContentInfo.eContent;
  const content = kind === 'detached' || !enclosed ? parts : [bytesOf(enclosed.getValue())];
  if (kind !== 'detached' && !(enclosed && isEnclosed(content[0] ?? Buffer.alloc(0), parts, kind))) {
    return 'digestMismatch';
  }
  const attributes = signer.signedAttrs;
  const stated = attributes?.attributes.find(({ type }) => type === MESSAGE_DIGEST)?.values[0] as
    | OctetString
    | undefined;
  if (attributes) {
    if (!stated) return 'malformed';
    if (!digest(hash, content).equals(bytesOf(stated.valueBlock.valueHexView))) return 'digestMismatch';
  }
  const certificate = certificateOf(data, signer);
  if (!certificate) return 'malformed';
  const der = Buffer.from(certificate.subjectPublicKeyInfo.toSchema().toBER());
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const signed = attributes ? [asSet(attributes.encodedValue)] : content;
  return isValid(key, hash, signer, Buffer.concat(signed)) ? 'holds' : 'signatureInvalid';
}

/** Whether what the CMS encloses speaks of these parts. */
function isEnclosed(content: Buffer, parts: readonly Buffer[], kind: Exclude<CmsKind, 'detached'>): boolean {
  if (kind === 'sha1') return digest('sha1', parts).equals(content);
  const imprint = TSTInfo.fromBER(content).messageImprint;
  const hash = HASHES[imprint.hashAlgorithm.algorithmId];
  return (
    hash !== undefined && digest(hash, parts).equals(bytesOf(imprint.hashedMessage.valueBlock.valueHexView))
  );
}

/** Signed attributes are signed as a SET, whatever tag they have where they stand (RFC 5652, 5.4). */
function asSet(encoded: ArrayBuffer): Buffer {
  const bytes = Buffer.from(encoded);
  bytes[0] = 0x31;
  return bytes;
}

function certificateOf(data: SignedData, { sid }: SignerInfo): Certificate | undefined {
  const certificates = (data.certificates ?? []).filter(
    (item): item is Certificate => 'subjectPublicKeyInfo' in item,
  );
  if ('serialNumber' in sid) {
    return certificates.find(
      ({ issuer, serialNumber }) => issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
    );
  }
  return certificates.length === 1 ? certificates[0] : undefined;
}

function isValid(key: KeyObject, hash: string, signer: SignerInfo, signed: Buffer): boolean {
  const signature = bytesOf(signer.signature.valueBlock.valueHexView);
  const { algorithmId, algorithmParams } = signer.signatureAlgorithm;
  if (key.asymmetricKeyType === 'ed25519') return verify(null, signed, key, signature);
  if (algorithmId !== RSASSA_PSS) return verify(hash, signed, key, signature);
  const parameters = new RSASSAPSSParams({ schema: algorithmParams });
  const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: parameters.saltLength };
  return verify(HASHES[parameters.hashAlgorithm.algorithmId] ?? hash, signed, pss, signature);
}
