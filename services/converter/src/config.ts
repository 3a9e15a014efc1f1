import { availableParallelism } from 'node:os';
import { commonSettings, integer, internalSettings } from '@scriptorium/shared/config';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import { SANDBOX_DEMANDS } from './sandbox.ts';

const ENGINES_MAX = 256;

export const converterSettings = z.object({
  ...commonSettings,
  ...internalSettings(9465),
  ENGINES: integer(1, ENGINES_MAX)
    .default(Math.min(availableParallelism(), ENGINES_MAX))
    .describe('Number of documents converted concurrently. By default one per core')
    .meta({ defaultText: 'cores' }),
  SANDBOX: z
    .enum(SANDBOX_DEMANDS)
    .default('required')
    .describe(
      '`required`: do not start without Landlock and seccomp. `degraded`: use what the kernel supports',
    ),
  ...tracingSettings,
});

export type ConverterConfig = z.output<typeof converterSettings>;
