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
  SLOW_AFTER_MS: integer(1_000, 60_000)
    .default(5_000)
    .describe(
      'Time in an engine after which a document is slow, ms. It goes on at low priority beside the others, and its slot is free',
    ),
  SLOW_DOCUMENTS_MAX: integer(1, ENGINES_MAX)
    .optional()
    .describe(
      'Maximum number of slow documents at a time. If more are slow and documents of others wait, the owner with most loses the longest one with 429. Each takes memory as an engine does. By default `ENGINES`',
    )
    .meta({ defaultText: '`ENGINES`' }),
  SANDBOX: z
    .enum(SANDBOX_DEMANDS)
    .default('required')
    .describe(
      '`required`: do not start without Landlock and seccomp. `degraded`: use what the kernel supports',
    ),
  ...tracingSettings,
});

export type ConverterConfig = z.output<typeof converterSettings>;
