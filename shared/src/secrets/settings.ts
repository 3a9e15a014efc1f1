import { z } from 'zod';
import { Secret } from '../config.ts';
import { secretBytesOf } from './secret-bytes.ts';

const sealingSecret = () =>
  z
    .string()
    .refine(
      (text) => secretBytesOf(text) !== null,
      'must be 32 bytes or more in base64 or hexadecimal, such as `openssl rand -hex 32` prints',
    )
    .transform((text) => new Secret(text))
    .optional();

/** Settings of the gateways and the signers, which exchange the keys and passwords of callers encrypted. */
export const sealingSettings = {
  SIGNER_SECRET: sealingSecret().describe(
    'Encrypts the signing keys and document passwords of callers on their way to the signer. At least 32 bytes in base64 or ' +
      'hexadecimal, the same on every gateway and signer. Without it the service rejects them',
  ),
};

/** Settings of the gateways and the verifiers, which exchange the passwords of documents encrypted. */
export const verifierSealingSettings = {
  VERIFIER_SECRET: sealingSecret().describe(
    'Encrypts document passwords on their way to the verifier. At least 32 bytes in base64 or hexadecimal, the same on every ' +
      'gateway and verifier, and different from `SIGNER_SECRET`. Without it the service rejects such passwords',
  ),
};
