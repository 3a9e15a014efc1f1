import { REVOCATION_MODES, type Verification } from '@scriptorium/signatures/verify-report';
import { z } from 'zod';
import { decodedBytes } from './base64.ts';
import { certificateList } from './certificate-list.ts';
import { documentSource } from './document-source.ts';
import { profileName } from './key-source.ts';

const ANCHORS_MAX = 50;
/** Of all of them as DER. */
const ANCHOR_BYTES_MAX = 256 * 1024;
const TIME_MIN = Date.parse('1970-01-01T00:00:00Z');
const TIME_MAX = Date.parse('9999-12-31T23:59:59.999Z');

const anchors = certificateList(ANCHORS_MAX)
  .refine((list) => list.length <= ANCHORS_MAX, `may hold at most ${ANCHORS_MAX} certificates`)
  .refine(
    (list) => list.reduce((bytes, base64) => bytes + decodedBytes(base64), 0) <= ANCHOR_BYTES_MAX,
    `may have at most ${ANCHOR_BYTES_MAX} bytes in all`,
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

/** The query of `POST /v1/verify`, which has none. */
export const verifyQuery = z.strictObject({});

/** The body of `POST /v1/verify`. */
export const verifyRequestBody = z
  .strictObject({
    document: documentSource,
    trust: z
      .strictObject({
        anchors: anchors
          .optional()
          .describe(
            'Certificates that a chain may end at: at most 50 and 256 KiB, each in PEM, or its DER in base64',
          ),
        profile: profileName
          .optional()
          .describe('Certificates that the operator has configured, by their name; `service`: its own'),
      })
      .optional()
      .describe(
        'Whom to trust: either or both of `anchors` and `profile`; without any, what the operator has configured as `default`',
      ),
    validationTime: validationTime
      .optional()
      .describe('The time to judge at: ISO 8601 with `Z` or an offset; now, where it is absent'),
    revocation: z
      .enum(REVOCATION_MODES)
      .default('embedded')
      .describe(
        'Where answers on revocation come from: nowhere, the document, or also the authorities that its certificates name',
      ),
  })
  .meta({
    examples: [
      {
        document: { base64: 'JVBERi0…' },
        trust: { profile: 'service' },
        validationTime: '2026-05-01T12:00:00Z',
        revocation: 'embedded',
      },
    ],
  });
export type VerifyRequestBody = z.output<typeof verifyRequestBody>;

/** The request as the signer gets it. */
export function verificationOf({ trust, validationTime, revocation }: VerifyRequestBody): Verification {
  return {
    trust: { anchors: trust?.anchors ?? [], profile: trust?.profile },
    validationTime: validationTime && new Date(validationTime).toISOString(),
    revocation,
  };
}
