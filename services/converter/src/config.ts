import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { SERVICES } from '@scriptorium/contracts/services';
import { commonSettings, integer, internalSettings } from '@scriptorium/shared/config';
import { jobSecretSettings, jobSecretsInProduction } from '@scriptorium/shared/secrets/settings';
import { threadSettings } from '@scriptorium/shared/threads/settings';
import { tracingSettings } from '@scriptorium/shared/tracing/settings';
import { z } from 'zod';
import { SANDBOX_DEMANDS } from './engines/sandbox.ts';

const ENGINES_MAX = 256;
/** Fewer rows than two pieces have are not split. */
const LONG_TABLE_ROWS_MIN = 1_000;

const isFolder = (path: string): boolean =>
  isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const settings = z.object({
  ...commonSettings,
  ...internalSettings(SERVICES.converter.internalPort),
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
  LONG_TABLE_ROWS: integer(0, 1_000_000)
    .refine((rows) => rows === 0 || rows >= LONG_TABLE_ROWS_MIN, 'must be 0, or 1000 or more')
    .default(3_000)
    .describe(
      'Tables of so many rows and more are laid out in pieces, which takes a fraction of the time. 0: none is',
    ),
  METAFILES: z
    .enum(['keep', 'drop'])
    .default('keep')
    .describe(
      '`drop`: EMF and WMF pictures are removed and reported, and binary DOC documents are rejected. The reader of LibreOffice for them had many vulnerabilities',
    ),
  ...threadSettings,
  CONVERTER_JOB_SECRET: jobSecretSettings.CONVERTER_JOB_SECRET,
  FONTS: z
    .string()
    .refine(isFolder, 'must be the absolute path of a folder')
    .optional()
    .describe(
      'Folder of fonts that conversions use beside those of the host. Read when the converter starts',
    ),
  ...tracingSettings,
});

export const converterSettings = jobSecretsInProduction(settings, ['CONVERTER_JOB_SECRET']);

export type ConverterConfig = z.output<typeof converterSettings>;
