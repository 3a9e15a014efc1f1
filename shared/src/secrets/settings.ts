import { z } from 'zod';
import { Secret } from '../config.ts';
import { secretBytesOf } from './secret-bytes.ts';

/** Of the gateways and the signers: keys of callers travel between them sealed. */
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
      'Seals the signing keys that callers send, on their way to the signer: 32 bytes or more in base64 or hexadecimal, the same on every ' +
        'gateway and signer. Without it no such key is taken',
    ),
};
