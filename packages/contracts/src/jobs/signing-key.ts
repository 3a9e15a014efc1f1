import { z } from 'zod';
import { defineJob } from '../define-job.ts';

/** The public part of the signing key of the service, the answer of `GET /v1/verify/key`. */
export const publicSigningKey = z.strictObject({
  version: z.string().describe('Changes with the key'),
  algorithm: z.string().describe('Such as `RSA-2048` or `ECDSA-P-256`'),
  publicKey: z.string().describe('SubjectPublicKeyInfo in PEM'),
  fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal with colons'),
  validFrom: z.string().describe('ISO 8601'),
  validTo: z.string().describe('ISO 8601'),
  issuer: z.string().describe('Distinguished name of the issuer of the certificate'),
  certificate: z.string().describe('The certificate in PEM, followed by its issuers'),
  isDevelopmentKey: z
    .boolean()
    .describe('True if the service generated the key for development. Do not trust such a key'),
});
export type PublicSigningKey = z.infer<typeof publicSigningKey>;

export const signingKeyJob = defineJob({
  name: 'signing-key',
  role: 'signer',
  input: z.object({}),
  output: publicSigningKey,
  timeoutMs: 10_000,
});
