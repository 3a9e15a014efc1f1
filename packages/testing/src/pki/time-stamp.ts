import { createHash, randomBytes } from 'node:crypto';
import {
  bitString,
  der,
  explicit,
  generalizedTime,
  identifier,
  implicit,
  integer,
  octetString,
  sequence,
  setOf,
  utf8String,
} from './der.ts';
import type { Identity } from './identity.ts';
import { digestAlgorithm, type Hash, signatureAlgorithm, signWith, usualHash } from './keys.ts';
import { memberAt, readAsn1 } from './read.ts';

/** The authority's time-stamp policy. */
export const TSA_POLICY = '1.3.6.1.4.1.55555.1.1';

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const DATA = '1.2.840.113549.1.7.1';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/**
 * `wrongImprint`: stamps other bytes. `refusal`: status 2 with a reason. `wrongUsage`, `notCriticalUsage`, `manyUsages`,
 * `expired`: signs with such a certificate. `wrongSignature`: one bit differs. `wrongDigest`: the content differs from what was
 * signed. `otherEss`: refers to another certificate as the signer’s. `noCertificate`: omits its own. `wrongContent`: signed data
 * of another type.
 */
export type TsaFault =
  | 'down'
  | 'slow'
  | 'garbage'
  | 'unauthorized'
  | 'refusal'
  | 'wrongImprint'
  | 'wrongNonce'
  | 'noNonce'
  | 'wrongPolicy'
  | 'wrongUsage'
  | 'notCriticalUsage'
  | 'manyUsages'
  | 'expired'
  | 'wrongSignature'
  | 'wrongDigest'
  | 'otherEss'
  | 'noEss'
  | 'noCertificate'
  | 'wrongContent';

export interface TsaOptions {
  signer: Identity;
  /** The certificate to which `otherEss` refers. */
  stranger: Identity;
  /** By default now. */
  time?: Date | undefined;
  /** Uses `signingCertificate` with SHA-1 (RFC 3161) instead of v2 (RFC 5816). */
  hasOldEss?: boolean | undefined;
  /** Writes the token in BER, with indefinite lengths and its content in two pieces. */
  isBer?: boolean | undefined;
  /** Hash of its signature; by default as strong as its key. */
  signedWith?: Hash | undefined;
  fault?: TsaFault | undefined;
}

/** A TimeStampResp (RFC 3161 §2.4.2) to a request in DER. */
export function answerTimestamp(request: Buffer, options: TsaOptions): Buffer {
  const { fault } = options;
  if (fault === 'garbage') return Buffer.from('<html>maintenance</html>');
  if (fault === 'refusal')
    return sequence(
      sequence(integer(2), sequence(utf8String('no more stamps today')), bitString(Buffer.from([0x01]), 0)),
    );
  const content = tstInfo(request, options);
  return sequence(sequence(integer(0)), signedToken(content, options));
}

function tstInfo(request: Buffer, { fault, time = new Date() }: TsaOptions): Buffer {
  const { members } = readAsn1(request);
  const imprint = memberAt(readAsn1(request), 1);
  const nonce = members.slice(2).find(({ tag }) => tag === 0x02);
  const policy = members.slice(2).find(({ tag }) => tag === 0x06);
  const digest = memberAt(imprint, 1);
  const stamped =
    fault === 'wrongImprint'
      ? sequence(memberAt(imprint, 0).der, octetString(Buffer.alloc(digest.content.length, 7)))
      : imprint.der;
  const answered = fault === 'wrongNonce' ? integer(randomBytes(8)) : nonce?.der;
  return sequence(
    integer(1),
    fault === 'wrongPolicy' ? identifier(`${TSA_POLICY}.9`) : (policy?.der ?? identifier(TSA_POLICY)),
    stamped,
    integer(randomBytes(12)),
    generalizedTime(time),
    sequence(integer(1)),
    ...(answered === undefined || fault === 'noNonce' ? [] : [answered]),
  );
}

/** A ContentInfo of SignedData (RFC 5652 §5) around the time-stamp. */
function signedToken(content: Buffer, options: TsaOptions): Buffer {
  const { signer, fault } = options;
  const hash = options.signedWith ?? usualHash(signer.privateKey);
  const type = fault === 'wrongContent' ? DATA : TST_INFO;
  const signed = fault === 'wrongDigest' ? Buffer.concat([content, Buffer.from([0])]) : content;
  const attributes = signedAttributes(signed, type, hash, options);
  const signature = signWith(signer.privateKey, hash, attributes);
  if (fault === 'wrongSignature') signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  const { issuer } = signer;
  const signerInfo = sequence(
    integer(1),
    sequence(memberAt(readAsn1(signer.der), 0, 3).der, integer(Buffer.from(signer.serialNumber, 'hex'))),
    digestAlgorithm(hash),
    implicit(0, attributes),
    signatureAlgorithm(signer.privateKey, hash),
    octetString(signature),
  );
  const certificates = [signer, ...(issuer === undefined ? [] : [issuer])].map((one) => one.der);
  const { write, writeString } = options.isBer ? BER : DER;
  return write(
    0x30,
    identifier(SIGNED_DATA),
    write(
      0xa0,
      write(
        0x30,
        integer(3),
        setOf(digestAlgorithm(hash)),
        write(0x30, identifier(type), write(0xa0, writeString(content))),
        ...(fault === 'noCertificate' ? [] : [implicit(0, setOf(...certificates))]),
        setOf(signerInfo),
      ),
    ),
  );
}

const DER = { write: der, writeString: octetString };
/** BER as programs stream it (X.690 §8.1.3.6 and §8.7.3). */
const BER = {
  write: (tag: number, ...parts: Buffer[]): Buffer =>
    Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.from([0, 0])]),
  writeString: (content: Buffer): Buffer =>
    BER.write(0x24, octetString(content.subarray(0, 10)), octetString(content.subarray(10))),
};

function signedAttributes(content: Buffer, type: string, hash: Hash, options: TsaOptions): Buffer {
  const { fault, hasOldEss } = options;
  const attribute = (oid: string, value: Buffer) => sequence(identifier(oid), setOf(value));
  const certificate = fault === 'otherEss' ? options.stranger : options.signer;
  const certId = (algorithm: string) =>
    sequence(sequence(sequence(octetString(createHash(algorithm).update(certificate.der).digest()))));
  const ess = hasOldEss
    ? attribute(SIGNING_CERTIFICATE, certId('sha1'))
    : attribute(SIGNING_CERTIFICATE_V2, certId('sha256'));
  return setOf(
    attribute(CONTENT_TYPE, identifier(type)),
    attribute(MESSAGE_DIGEST, octetString(createHash(hash).update(content).digest())),
    ...(fault === 'noEss' ? [] : [ess]),
  );
}

/** A SignedData without signatures, with an identity's chain: the form of certificate bundles (RFC 5280 §4.2.2.1). */
export const certificateBundle = ({ chain }: Identity): Buffer =>
  sequence(
    identifier(SIGNED_DATA),
    explicit(
      0,
      sequence(integer(1), setOf(), sequence(identifier(DATA)), implicit(0, setOf(...chain)), setOf()),
    ),
  );
