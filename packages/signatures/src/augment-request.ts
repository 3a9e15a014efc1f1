import { z } from 'zod';
import { SIGNATURE_LEVELS } from './levels.ts';
import { warning } from './sign-request.ts';

/** Levels that a signature can be raised to. `next` is the one above the lowest of its signatures. */
export const AUGMENTED_LEVELS = ['next', 'B-T', 'B-LT', 'B-LTA'] as const;

/** The validated request to augment. */
export const augmentation = z.object({
  level: z.enum(AUGMENTED_LEVELS),
  /** Signature fields, or in a DOCX signature parts. By default all. */
  signatures: z.array(z.string()).optional(),
  /** Leaves a document as it is that is protected for longer. */
  renewBeforeDays: z.number().optional(),
  timestampProfile: z.string().optional(),
  /** The password of an encrypted PDF, encrypted for the signer. */
  passwordBox: z.string().optional(),
});
export type Augmentation = z.infer<typeof augmentation>;

const raised = z
  .object({
    fieldName: z.string().describe('The signature field; in a DOCX, the signature part'),
    before: z.enum(SIGNATURE_LEVELS).describe('What the signature had'),
    after: z.enum(SIGNATURE_LEVELS).describe('What it has now'),
  })
  .meta({ id: 'RaisedSignature' });

/** The reply of `POST /v1/augment`, besides the document. */
export const augmentReply = z.object({
  isChanged: z.boolean().describe('False if each signature had the level, and needed no renewal'),
  signatures: z.array(raised),
  protectedUntil: z
    .string()
    .optional()
    .describe('ISO 8601: when the certificate of the newest time-stamp expires. Renew before'),
  warnings: z.array(warning),
});
export type AugmentReply = z.infer<typeof augmentReply>;
