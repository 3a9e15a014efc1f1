import { z } from 'zod';
import { Secret } from '../config.ts';
import { secretBytesOf } from './secret-bytes.ts';

/** Settings of the gateways and the signers, which exchange the keys of callers encrypted. */
export const sealingSettings = {
  SIGNER_SECRET: z
    .string()
    .refine(
      (text) => secretBytesOf(text) !== null,
      'must be 32 bytes or more in base64 or hexadecimal, such as `openssl rand -hex 32` prints',
    )
    .transform((text) => new Secret(text))
    .optional()
    .describe(
      'Encrypts the signing keys of callers on their way to the signer. At least 32 bytes in base64 or hexadecimal, the same on every ' +
        'gateway and signer. Without it the service rejects such keys',
    ),
};
