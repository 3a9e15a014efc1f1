import { availableParallelism } from 'node:os';
import { commonSettings, integer } from '@scriptorium/shared/config';
import { z } from 'zod';

const ENGINES_MAX = 256;

export const converterSettings = z.object({
  ...commonSettings,
  ENGINES: integer(1, ENGINES_MAX)
    .default(Math.min(availableParallelism(), ENGINES_MAX))
    .describe('Documents converted at a time; by default one a core')
    .meta({ defaultText: 'cores' }),
});

export type ConverterConfig = z.output<typeof converterSettings>;
