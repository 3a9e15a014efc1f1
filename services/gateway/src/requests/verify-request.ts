import { REVOCATION_MODES, type Verification } from '@scriptorium/signatures/verify-report';
import { z } from 'zod';
import { decodedBytes } from './base64.ts';
import { certificateList } from './certificate-list.ts';
import { documentPassword } from './document-password.ts';
import { documentSource } from './document-source.ts';
import { profileName } from './key-source.ts';

const ANCHORS_MAX = 50;
/** Limit of all anchors together as DER. */
const ANCHOR_BYTES_MAX = 256 * 1024;
const TIME_MIN = Date.parse('1970-01-01T00:00:00Z');
const TIME_MAX = Date.parse('9999-12-31T23:59:59.999Z');

const anchors = certificateList(ANCHORS_MAX)
  .refine((list) => list.length <= ANCHORS_MAX, `must have at most ${ANCHORS_MAX} certificates`)
  .refine(
    (list) => list.reduce((bytes, base64) => bytes + decodedBytes(base64), 0) <= ANCHOR_BYTES_MAX,
    `must have at most ${ANCHOR_BYTES_MAX} bytes in total`,
  );

const validationTime = z.iso
  .datetime({
    offset: true,
    error: 'must be an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`',
  })
  .max(64)
  .refine((text) => {
    const time = Date.parse(text);
    return time >= TIME_MIN && time <= TIME_MAX;
  }, 'must be in the years 1970 to 9999');

/** `POST /v1/verify` has no query parameters. */
export const verifyQuery = z.strictObject({});

/** The body of `POST /v1/verify`. */
export const verifyRequestBody = z
  .strictObject({
    document: documentSource,
    password: documentPassword,
    trust: z
      .strictObject({
        anchors: anchors
          .optional()
          .describe('Trust anchors: at most 50 certificates and 256 KiB, each in PEM, or as DER in base64'),
        profile: profileName
          .optional()
          .describe(
            'Name of trust anchors that the operator has configured. `service` is the certificate of the service, and `eu` the trusted lists of the European Union',
          ),
      })
      .optional()
      .describe(
        'The trust anchors: `anchors`, `profile` or both. By default the profile `default` of the operator',
      ),
    validationTime: validationTime
      .optional()
      .describe('Validation time: ISO 8601 with `Z` or an offset. By default the current time'),
    acceptSha1Before: z.iso
      .date({ error: 'must be a date, such as `2016-01-01`' })
      .optional()
      .describe(
        'Accept SHA-1 in signatures that provably existed before this day (UTC): a trusted time-stamp is required, which may use SHA-1 itself. By default SHA-1 leaves a doubt',
      ),
    revocation: z
      .enum(REVOCATION_MODES)
      .default('embedded')
      .describe(
        'Source of revocation data: none, the document, or the document and the authorities that its certificates name',
      ),
    pictures: z
      .boolean()
      .default(false)
      .describe(
        'Whether the reply has pictures of the pages of a PDF that were changed after signing, with frames around the differences',
      ),
  })
  .meta({ id: 'VerifyRequest' });
export type VerifyRequestBody = z.output<typeof verifyRequestBody>;

/** Returns the request as the verifier gets it, with the sealed password. */
export function verificationOf(
  { trust, validationTime, revocation, acceptSha1Before, pictures }: VerifyRequestBody,
  passwordBox?: string,
): Verification {
  return {
    trust: { anchors: trust?.anchors ?? [], profile: trust?.profile },
    validationTime: validationTime && new Date(validationTime).toISOString(),
    revocation,
    ...(acceptSha1Before !== undefined && {
      acceptSha1Before: new Date(acceptSha1Before).toISOString(),
    }),
    ...(pictures && { pictures }),
    ...(passwordBox !== undefined && { passwordBox }),
  };
}
