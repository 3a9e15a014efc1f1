import { JOB_SECRETS, type JobSecret, ROLES } from '@scriptorium/contracts/services';
import { type Secrets, secretsOf } from '@scriptorium/sealing/secret-bytes';
import { z } from 'zod';
import { Secret } from '../config.ts';

const sealingSecret = () =>
  z
    .string()
    .refine((text) => secretsOf(text) !== null, {
      error:
        'must be 32 bytes or more in base64 or hexadecimal, such as `openssl rand -hex 32` prints, or two of them with a comma between',
      // Rules about several secrets read valid ones.
      abort: true,
    })
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

const jobSecret = (workers: string) =>
  sealingSecret().describe(
    `Encrypts jobs, documents and answers between gateways and ${workers}. At least 32 bytes in base64 or hexadecimal, the ` +
      `same on every gateway and all ${workers}, and different from the other secrets. Required with \`NODE_ENV=production\``,
  );

/** Settings of the gateways. A worker has the one of its role. */
export const jobSecretSettings = Object.fromEntries(
  ROLES.map((role) => [JOB_SECRETS[role], jobSecret(`${role}s`)]),
) as Record<JobSecret, ReturnType<typeof jobSecret>>;

/** Returns the settings of a service with the rule that production needs these secrets. */
export function jobSecretsInProduction<Shape extends z.ZodRawShape>(
  settings: z.ZodObject<Shape>,
  names: readonly JobSecret[],
): z.ZodObject<Shape> {
  return names.reduce(
    (checked, name) =>
      checked.refine(
        (read: Record<string, unknown>) => read.NODE_ENV !== 'production' || read[name] !== undefined,
        { path: [name], error: 'is required with NODE_ENV=production' },
      ),
    settings,
  );
}

/** Returns the bytes of a secret that its setting has checked, and of the one that it replaces. */
export function jobSecretBytes(secret: Secret | undefined): Secrets | undefined {
  return secret && (secretsOf(secret.reveal()) ?? undefined);
}
