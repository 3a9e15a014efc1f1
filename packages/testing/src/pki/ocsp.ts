import { createHash } from 'node:crypto';
import type { Authority } from './authority.ts';
import {
  bitString,
  enumerated,
  explicit,
  generalizedTime,
  identifier,
  implicit,
  nothing,
  octetString,
  sequence,
} from './der.ts';
import type { Identity } from './identity.ts';
import { extension, keyBits } from './issue-certificate.ts';
import { signatureAlgorithm, signWith, usualHash } from './keys.ts';
import { type Asn1Value, memberAt, readAsn1 } from './read.ts';

const HOUR_MS = 3_600_000;
const SHA1 = '1.3.14.3.2.26';
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const NONCE = '1.3.6.1.5.5.7.48.1.2';

/**
 * `unknown` and `revoked`: the status of every certificate. `tryLater`: this error only. `stale`: its next update has passed.
 * `future`: not yet valid. `wrongSignature`: one bit differs. `strangeSigner`: signed by a responder that the authority did not
 * certify. `wrongUsage`: by one that it certified for another usage. `otherCertificate`: a response about another certificate.
 * `wrongNonce`: a nonce other than the one in the request.
 */
export type OcspFault =
  | 'down'
  | 'slow'
  | 'garbage'
  | 'unknown'
  | 'revoked'
  | 'tryLater'
  | 'stale'
  | 'future'
  | 'wrongSignature'
  | 'strangeSigner'
  | 'wrongUsage'
  | 'otherCertificate'
  | 'wrongNonce';

interface OcspQuery {
  certIdDer: Buffer;
  serialNumber: string;
  isOurs: boolean;
  nonce: Buffer | undefined;
}

/** An OCSPResponse (RFC 6960 §4.2) to a request in DER. `stranger` is an unrelated authority. */
export function answerOcsp(
  authority: Authority,
  request: Buffer,
  stranger: Identity,
  fault?: OcspFault,
): Buffer {
  if (fault === 'garbage') return Buffer.from('<html>busy</html>');
  if (fault === 'tryLater') return sequence(enumerated(3));
  const query = readRequest(request, authority);
  const signer = signerOf(authority, stranger, fault);
  const basic = basicResponse(authority, query, signer, fault);
  return sequence(enumerated(0), explicit(0, sequence(identifier(BASIC_RESPONSE), octetString(basic))));
}

function signerOf(authority: Authority, stranger: Identity, fault?: OcspFault): Identity {
  if (fault === 'strangeSigner') return stranger;
  if (fault === 'wrongUsage') return authority.wrongResponder;
  return authority.responder ?? authority.identity;
}

function readRequest(request: Buffer, authority: Authority): OcspQuery {
  const body = memberAt(readAsn1(request), 0);
  const list = body.members.find(({ tag }) => tag === 0x30);
  if (list === undefined) throw new Error('no requestList');
  const certId = memberAt(list, 0, 0);
  const hash = memberAt(certId, 0, 0).oid === SHA1 ? 'sha1' : 'sha256';
  const digest = (bytes: Buffer) => createHash(hash).update(bytes).digest();
  const extensions = body.members.find(({ tag }) => tag === 0xa2);
  return {
    certIdDer: certId.der,
    serialNumber: memberAt(certId, 3).content.toString('hex').replace(/^00/, ''),
    isOurs:
      digest(authority.identity.subject).equals(memberAt(certId, 1).content) &&
      digest(keyBits(authority.identity.publicKey)).equals(memberAt(certId, 2).content),
    nonce: extensions && nonceOf(memberAt(extensions, 0)),
  };
}

/** The whole value of the extension (RFC 9654). */
const nonceOf = (extensions: Asn1Value): Buffer | undefined =>
  extensions.members.find((one) => memberAt(one, 0).oid === NONCE)?.members.at(-1)?.content;

function certStatus(authority: Authority, query: OcspQuery, fault?: OcspFault): Buffer {
  const revocation =
    fault === 'revoked'
      ? { at: new Date(Date.now() - HOUR_MS), reason: 1 }
      : authority.revoked.get(query.serialNumber);
  if (fault === 'unknown' || !query.isOurs || !authority.issued.has(query.serialNumber))
    return implicit(2, nothing());
  if (revocation === undefined) return implicit(0, nothing());
  const { at, reason } = revocation;
  return explicit(1, generalizedTime(at), explicit(0, enumerated(reason)));
}

function basicResponse(authority: Authority, query: OcspQuery, signer: Identity, fault?: OcspFault): Buffer {
  const shiftMs = fault === 'stale' ? -48 * HOUR_MS : fault === 'future' ? 48 * HOUR_MS : 0;
  const now = Date.now() + shiftMs;
  const certId = Buffer.from(query.certIdDer);
  if (fault === 'otherCertificate') certId[certId.length - 1] = (certId.at(-1) ?? 0) ^ 1;
  const single = sequence(
    certId,
    certStatus(authority, query, fault),
    generalizedTime(new Date(now - 60_000)),
    explicit(0, generalizedTime(new Date(now + 12 * HOUR_MS))),
  );
  const nonce = fault === 'wrongNonce' ? octetString(Buffer.alloc(16, 7)) : query.nonce;
  const keyHash = createHash('sha1').update(keyBits(signer.publicKey)).digest();
  const data = sequence(
    explicit(2, octetString(keyHash)),
    generalizedTime(new Date(now)),
    sequence(single),
    ...(nonce === undefined ? [] : [explicit(1, sequence(extension(NONCE, nonce)))]),
  );
  const hash = usualHash(signer.privateKey);
  const signature = signWith(signer.privateKey, hash, data);
  if (fault === 'wrongSignature') signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  const certificates = signer === authority.identity ? [] : [explicit(0, sequence(signer.der))];
  return sequence(data, signatureAlgorithm(signer.privateKey, hash), bitString(signature), ...certificates);
}
