import { availableParallelism } from 'node:os';
import { SERVICES } from '@scriptorium/contracts/services';
import { commonSettings, integer, internalSettings } from '@scriptorium/shared/config';
import { jobSecretSettings, jobSecretsInProduction } from '@scriptorium/shared/secrets/settings';
import { threadSettings } from '@scriptorium/shared/threads/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';

const ANNOTATORS_MAX = 256;
const CACHE_SECONDS_MAX = 86_400;
const CACHE_BYTES_MAX = 4 * 1024 ** 3;

const settings = z.object({
  ...commonSettings,
  ...internalSettings(SERVICES.annotator.internalPort),
  ANNOTATORS: integer(1, ANNOTATORS_MAX)
    .default(Math.min(availableParallelism(), ANNOTATORS_MAX))
    .describe(
      'Number of templates filled at a time. By default one per core. A quarter as many merges run besides, but at least one',
    )
    .meta({ defaultText: 'cores' }),
  TEMPLATE_CACHE_BYTES_MAX: integer(0, CACHE_BYTES_MAX)
    .default(64 * 1024 ** 2)
    .describe(
      'Memory for cached templates, for each of `ANNOTATORS` and once for batches, bytes. 0 disables the cache',
    ),
  TEMPLATE_CACHE_SECONDS: integer(1, CACHE_SECONDS_MAX)
    .default(600)
    .describe('Time for which a cached template is kept after its last use, seconds'),
  ...threadSettings,
  ANNOTATOR_JOB_SECRET: jobSecretSettings.ANNOTATOR_JOB_SECRET,
  ...tracingSettings,
});

export const annotatorSettings = jobSecretsInProduction(settings, ['ANNOTATOR_JOB_SECRET']);

export type AnnotatorConfig = z.output<typeof annotatorSettings>;
