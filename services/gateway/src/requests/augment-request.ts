import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { AUGMENTED_LEVELS, type Augmentation } from '@scriptorium/signatures/augment-request';
import { z } from 'zod';
import { listOf } from './bounded-list.ts';
import { documentPassword } from './document-password.ts';
import { documentSource } from './document-source.ts';
import { profileName } from './key-source.ts';

const SIGNATURES_MAX = 100;
/** A century. */
const DAYS_MAX = 36_525;

/** `POST /v1/augment` has no query parameters. */
export const augmentQuery = z.strictObject({});

/** The body of `POST /v1/augment`. */
export const augmentRequestBody = z
  .strictObject({
    document: documentSource,
    password: documentPassword,
    level: z
      .enum(AUGMENTED_LEVELS)
      .default('next')
      .describe(
        'The level to reach. `next` is the one above the lowest; at `B-LTA`, it is a further time-stamp. A DOCX has `B-T` at most',
      ),
    renewBeforeDays: z
      .int()
      .min(0)
      .max(DAYS_MAX)
      .optional()
      .describe(
        'Add a further time-stamp only if the newest one expires within so many days. By default always',
      ),
    signatures: listOf(xmlTextOf(1, 255), SIGNATURES_MAX)
      .optional()
      .describe('Signature fields, or in a DOCX signature parts, that must reach the level. By default all'),
    timestamp: z
      .strictObject({ profile: profileName.describe('Name of a configured time-stamping authority') })
      .optional(),
  })
  .meta({ id: 'AugmentRequest' });

/** Returns the request as the signer service gets it. */
export function augmentationOf(
  {
    level,
    renewBeforeDays,
    signatures,
    timestamp,
  }: Omit<z.output<typeof augmentRequestBody>, 'document' | 'password'>,
  passwordBox: string | undefined,
): Augmentation {
  return {
    level,
    ...(renewBeforeDays !== undefined && { renewBeforeDays }),
    ...(signatures && { signatures }),
    ...(timestamp && { timestampProfile: timestamp.profile }),
    ...(passwordBox !== undefined && { passwordBox }),
  };
}
