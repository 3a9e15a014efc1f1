import { createHash, randomBytes } from 'node:crypto';
import { berToDer } from '../asn1/ber.ts';
import { der, integer, nullValue, octetString, oid, sequence, TAG } from '../asn1/der.ts';
import { DerError, type DerValue, expectTag, readDer, readNumber, readSequence } from '../asn1/der-reader.ts';
import type { Fetcher } from '../fetcher.ts';
import { isFetchFailure } from '../fetcher.ts';
import type { Timestamper } from '../keys/raw-signer.ts';
import { PkiError } from '../pki-error.ts';
import type { Digest } from '../x509/signature.ts';
import { openTimestampToken, type TimestampToken, TimestampTokenError } from './time-stamp-token.ts';

/** For a token with its certificates; the largest in use have some 10 KiB. */
const ANSWER_BYTES_MAX = 128 * 1024;
const NONCE_OCTETS = 8;
const GRANTED = [0, 1];
/** Characters of an authority's reason that are logged. */
const REASON_LENGTH_MAX = 200;

const DIGEST_IDS: Record<Digest, string> = {
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
};

/** How to reach one time-stamping authority (RFC 3161). */
export interface TimestampProfile {
  url: string;
  hash: Digest;
  /** Object identifier of the requested policy; the token must then name the same. */
  policy?: string | undefined;
  /** For HTTP Basic; both or none. */
  username?: string | undefined;
  password?: { reveal(): string } | undefined;
}

/**
 * A client for a time-stamping authority, RFC 3161 over HTTP. It checks tokens against the request and by
 * `openTimestampToken`; every failure is TIMESTAMP_UNAVAILABLE. When `signal` fires, `timestamp` rejects with its
 * reason.
 */
export function createTimestamper(
  profile: TimestampProfile,
  fetcher: Fetcher,
  signal: AbortSignal = new AbortController().signal,
): Timestamper {
  return {
    async timestamp(data) {
      const imprint = createHash(profile.hash).update(data).digest();
      const nonce = randomBytes(NONCE_OCTETS);
      const body = timestampRequest(profile, imprint, nonce);
      try {
        const answer = await fetcher.fetch(profile.url, {
          bytesMax: ANSWER_BYTES_MAX,
          signal,
          post: { body, contentType: 'application/timestamp-query', headers: authorization(profile) },
        });
        const token = readResponse(answer);
        const opened = openTimestampToken(token);
        refuseMismatch(opened, { profile, imprint, nonce });
        return { token, time: opened.time };
      } catch (error) {
        signal.throwIfAborted();
        throw unavailable(error);
      }
    },
  };
}

/** A TimeStampReq, RFC 3161, 2.4.1. */
function timestampRequest({ hash, policy }: TimestampProfile, imprint: Buffer, nonce: Buffer): Buffer {
  return sequence(
    integer(1),
    sequence(sequence(oid(DIGEST_IDS[hash]), nullValue()), octetString(imprint)),
    ...(policy === undefined ? [] : [oid(policy)]),
    integer(nonce),
    der(TAG.boolean, Buffer.of(0xff)),
  );
}

function authorization({ username, password }: TimestampProfile): Record<string, string> {
  if (username === undefined || password === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}` };
}

/** The authority refused the request. */
class RefusedError extends Error {}

/**
 * The token in a TimeStampResp (RFC 3161, 2.4.2), in DER. Some authorities write the unsigned parts around it in BER
 * (RFC 5652, 5.4).
 */
function readResponse(answer: Buffer): Buffer {
  const [info, token] = readSequence(readDer(berToDer(answer)));
  const [status, ...reasons] = readSequence(info);
  const code = readNumber(status);
  if (!GRANTED.includes(code)) throw new RefusedError(`status ${code} ${reasons.map(printable).join(' ')}`);
  return expectTag(token, TAG.sequence).bytes;
}

/** The readable part of an authority's reason: its texts, and its failure bits in hexadecimal. */
function printable({ tag, content }: DerValue): string {
  if (tag === TAG.bitString) return `failure ${content.subarray(1, 5).toString('hex')}`;
  return content
    .toString('utf8')
    .replace(/[^\p{L}\p{N}\p{P} ]/gu, '')
    .slice(0, REASON_LENGTH_MAX);
}

function refuseMismatch(
  { imprint: stamped, nonce: answered, policy }: TimestampToken,
  request: { profile: TimestampProfile; imprint: Buffer; nonce: Buffer },
): void {
  const { profile, imprint, nonce } = request;
  if (stamped.digest !== profile.hash || !stamped.value.equals(imprint))
    throw new TimestampTokenError('it stamps other data');
  // Compared as INTEGERs: authorities drop leading zeros.
  if (answered === undefined || !readDer(integer(nonce)).content.equals(answered))
    throw new TimestampTokenError('its nonce differs or is missing');
  if (profile.policy !== undefined && policy !== profile.policy)
    throw new TimestampTokenError(`its policy is ${policy}`);
}

function unavailable(error: unknown): unknown {
  const text = publicText(error);
  return text === undefined ? error : new PkiError('TIMESTAMP_UNAVAILABLE', text, { cause: error });
}

function publicText(error: unknown): string | undefined {
  if (isFetchFailure(error))
    return error.failure === 'slow'
      ? 'The time-stamping authority did not answer in time.'
      : 'The time-stamping authority could not be reached or did not answer.';
  if (error instanceof RefusedError) return 'The time-stamping authority refused the request.';
  if (error instanceof TimestampTokenError || error instanceof DerError)
    return 'The token of the time-stamping authority is invalid.';
  return undefined;
}
