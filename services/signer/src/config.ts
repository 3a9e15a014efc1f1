import { availableParallelism } from 'node:os';
import { commonSettings, flag, integer, secret } from '@scriptorium/shared/config';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { z } from 'zod';

const SIGNERS_MAX = 256;
const SECRET_CHARS_MIN = 32;

export const signerSettings = z.object({
  ...commonSettings,
  SIGNERS: integer(1, SIGNERS_MAX)
    .default(Math.min(availableParallelism(), SIGNERS_MAX))
    .describe('Documents signed at a time; by default one a core')
    .meta({ defaultText: 'cores' }),
  SIGNER_SECRET: secret(SECRET_CHARS_MIN)
    .optional()
    .describe(
      'Shared by gateway and signer: keys that callers send travel encrypted under it. None: such keys are refused',
    ),
  SIGNING_PROFILES: z
    .string()
    .optional()
    .describe('JSON file of the keys that the service holds, by name; `service` is its own'),
  TIMESTAMP_PROFILES: z
    .string()
    .optional()
    .describe('JSON file of time-stamping authorities, by name; `default` serves where a request names none'),
  DEVELOPMENT_KEY_DIR: z
    .string()
    .optional()
    .describe('Folder of a development authority and key, made where there are none; for trying out only'),
  DEVELOPMENT_KEY_IN_PRODUCTION: flag()
    .default(false)
    .describe('Start with a development key although `NODE_ENV` is `production`'),
  ...fetchSettings,
});

export type SignerConfig = z.output<typeof signerSettings>;
