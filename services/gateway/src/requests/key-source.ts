import { HASHES } from '@scriptorium/signatures/sign-request';
import { z } from 'zod';
import { BASE64_ISSUE, decodeBase64, decodedBytes, parseDataUri } from './base64.ts';
import { certificateList } from './certificate-list.ts';

const PROFILE_CHARS_MAX = 100;
const PASSWORD_CHARS_MAX = 1_024;
const P12_BYTES_MAX = 1024 * 1024;
const PEM_CHARS_MAX = 256 * 1024;
const CERTIFICATES_MAX = 20;
const SIGNATURE_BYTES_MAX = 4_096;

const KINDS = ['profile', 'p12', 'pem', 'external'] as const;

/** Name of a profile that the operator has configured. */
export const profileName = z
  .string()
  .min(1, 'must not be empty')
  .max(PROFILE_CHARS_MAX, `must have at most ${PROFILE_CHARS_MAX} characters`);

/** A password of a key or a document. */
export const password = z
  .string()
  .max(PASSWORD_CHARS_MAX, `must have at most ${PASSWORD_CHARS_MAX} characters`)
  .meta({ format: 'password' });

/** Parses base64 or a data URI to bare base64. */
const base64Of = (bytesMax: number) =>
  z.string().transform((text, context) => {
    const uri = parseDataUri(text);
    const base64 = uri === null ? text : uri.payload;
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (decodedBytes(base64) > bytesMax) return refuse(`must have at most ${bytesMax} bytes`);
    if (uri !== null && !uri.isBase64) return refuse('is a data URI without `;base64`');
    const bytes = decodeBase64(base64);
    return bytes === null || bytes.length === 0 ? refuse(BASE64_ISSUE) : base64;
  });

const pem = (what: string) =>
  z
    .string()
    .max(PEM_CHARS_MAX, `must have at most ${PEM_CHARS_MAX} characters`)
    .refine((text) => text.length > PEM_CHARS_MAX || text.includes(`${what}-----`), {
      error: `must contain a ${what.toLowerCase()} in PEM`,
    });

/** The signing key: a key of the service, a key in the request, or a key that stays with the caller. */
export const keySource = z
  .strictObject({
    profile: profileName.optional().describe('Name of the profile of a key of the service'),
    p12: z
      .strictObject({
        base64: base64Of(P12_BYTES_MAX).describe('A PKCS #12 file of at most 1 MiB, in base64'),
        password,
      })
      .optional(),
    pem: z
      .strictObject({
        privateKey: pem('PRIVATE KEY').describe('PKCS #8, PKCS #1 or SEC 1, in PEM'),
        certificates: pem('CERTIFICATE').describe('In PEM, with the certificate of the signer first'),
        password: password.optional().describe('Password of an encrypted private key'),
      })
      .optional(),
    external: z
      .strictObject({
        certificates: certificateList(CERTIFICATES_MAX).describe(
          'Each in PEM, or as DER in base64, with the certificate of the signer first',
        ),
        algorithm: z.enum(['rsa', 'rsa-pss', 'ecdsa']),
        hash: z.enum(HASHES),
        signature: base64Of(SIGNATURE_BYTES_MAX)
          .optional()
          .describe(
            'Signature of the `toBeSigned` of an earlier answer, in base64. `document` must then be the document of that answer',
          ),
      })
      .meta({
        description:
          'A key that the caller keeps: the first request returns the bytes to sign, the second sends the signature',
        // Listed by hand: JSON Schema would show the preprocessed list as optional.
        required: ['certificates', 'algorithm', 'hash'],
      })
      .optional(),
  })
  .refine((key) => KINDS.filter((kind) => key[kind] !== undefined).length === 1, {
    error: 'must have exactly one of `profile`, `p12`, `pem` and `external`',
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    id: 'SigningKey',
    description: 'Exactly one of `profile`, `p12`, `pem` and `external`',
    oneOf: KINDS.map((kind) => ({ required: [kind] })),
  });
export type KeySource = z.output<typeof keySource>;
