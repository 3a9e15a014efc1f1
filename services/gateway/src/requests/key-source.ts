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

/** Name of something that the operator has configured. */
export const profileName = z
  .string()
  .min(1, 'must not be empty')
  .max(PROFILE_CHARS_MAX, `may have at most ${PROFILE_CHARS_MAX} characters`);

const password = z.string().max(PASSWORD_CHARS_MAX, `may have at most ${PASSWORD_CHARS_MAX} characters`);

/** As bare base64. */
const base64Of = (bytesMax: number) =>
  z.string().transform((text, context) => {
    const uri = parseDataUri(text);
    const base64 = uri === null ? text : uri.payload;
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (decodedBytes(base64) > bytesMax) return refuse(`may have at most ${bytesMax} bytes`);
    if (uri !== null && !uri.isBase64) return refuse('is a data URI without `;base64`');
    const bytes = decodeBase64(base64);
    return bytes === null || bytes.length === 0 ? refuse(BASE64_ISSUE) : base64;
  });

const pem = (what: string) =>
  z
    .string()
    .max(PEM_CHARS_MAX, `may have at most ${PEM_CHARS_MAX} characters`)
    .refine((text) => text.length > PEM_CHARS_MAX || text.includes(`${what}-----`), {
      error: `must hold a ${what.toLowerCase()} in PEM`,
    });

/** What signs: a key that the service holds, one that the caller sends, or one that stays with the caller. */
export const keySource = z
  .strictObject({
    profile: profileName.optional().describe('A key that the service holds, by the name of its profile'),
    p12: z
      .strictObject({
        base64: base64Of(P12_BYTES_MAX).describe('A PKCS #12 file of at most 1 MiB, in base64'),
        password,
      })
      .optional(),
    pem: z
      .strictObject({
        privateKey: pem('PRIVATE KEY').describe('PKCS #8, PKCS #1 or SEC 1, in PEM'),
        certificates: pem('CERTIFICATE').describe('In PEM, the signer’s own first'),
        password: password.optional().describe('Of an encrypted private key'),
      })
      .optional(),
    external: z
      .strictObject({
        certificates: certificateList(CERTIFICATES_MAX).describe(
          'The signer’s own first; each in PEM, or its DER in base64',
        ),
        algorithm: z.enum(['rsa', 'rsa-pss', 'ecdsa']),
        hash: z.enum(['sha256', 'sha384', 'sha512']),
        signature: base64Of(SIGNATURE_BYTES_MAX)
          .optional()
          .describe(
            'Over the `toBeSigned` of an earlier answer, in base64; `document` is then the one that came with that',
          ),
      })
      .meta({
        description:
          'A key that the caller keeps: a first call tells what is to be signed, a second brings the signature',
        // By itself the list would count as optional, for it is looked at before it is read.
        required: ['certificates', 'algorithm', 'hash'],
      })
      .optional(),
  })
  .refine((key) => KINDS.filter((kind) => key[kind] !== undefined).length === 1, {
    error: 'must hold exactly one of `profile`, `p12`, `pem` and `external`',
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    description: 'Exactly one of `profile`, `p12`, `pem` and `external`',
    oneOf: KINDS.map((kind) => ({ required: [kind] })),
  });
export type KeySource = z.output<typeof keySource>;
