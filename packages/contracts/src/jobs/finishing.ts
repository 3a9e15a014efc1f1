import { PERMISSIONS, RELATIONSHIPS } from '@scriptorium/pdf/finish-options';
import { z } from 'zod';

/**
 * What a PDF gets after its conversion, as a worker gets it: the first part of a pack. The attachments follow, in their order.
 * Passwords are not in it, but in a box.
 */
export const finishing = z.object({
  metadata: z
    .object({
      title: z.string().optional(),
      author: z.string().optional(),
      subject: z.string().optional(),
      keywords: z.string().optional(),
    })
    .optional(),
  watermark: z.string().optional(),
  attachments: z.array(
    z.object({
      name: z.string(),
      contentType: z.string(),
      /** Chosen by the content if missing. */
      relationship: z.enum(RELATIONSHIPS).optional(),
      description: z.string().optional(),
      /** The profile of Factur-X that it must have. */
      level: z.string().optional(),
    }),
  ),
  isEncrypted: z.boolean(),
  permissions: z.array(z.enum(PERMISSIONS)).optional(),
});

/** The passwords of a conversion: of the document, and of the user and the owner of the result. */
export const conversionPasswords = z.object({
  document: z.string().optional(),
  user: z.string().optional(),
  owner: z.string().optional(),
});
export type ConversionPasswords = z.output<typeof conversionPasswords>;
