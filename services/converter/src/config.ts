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
    .describe('Documents converted at a time; by default one a core')
    .meta({ defaultText: 'cores' }),
  SANDBOX: z
    .enum(SANDBOX_DEMANDS)
    .default('required')
    .describe(
      '`required`: refuse to start where the kernel gives no Landlock or no seccomp; `degraded`: use what there is',
    ),
  ...tracingSettings,
});

export type ConverterConfig = z.output<typeof converterSettings>;
