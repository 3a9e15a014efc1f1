import { requestedFields } from '@scriptorium/docx-template/fields';
import { z } from 'zod';
import { documentPassword } from './document-password.ts';
import { documentSource } from './document-source.ts';

const switchedOn = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** The query of `POST /v1/annotate`. */
export const annotateQuery = z.strictObject({
  to: z.enum(['docx', 'pdf']).default('docx').describe('Format of the result'),
  onMissing: z
    .enum(['ignore', 'error'])
    .default('ignore')
    .describe(
      'How to handle an `id` or `group` that matches nothing in the template: `ignore` counts it, `error` rejects the request',
    ),
  flatten: switchedOn.describe(
    'Remove the content controls or the fields of the PDF, and keep their content',
  ),
});

/** The body of `POST /v1/annotate`. */
export const annotateRequest = z
  .strictObject({
    document: documentSource,
    password: documentPassword,
    fields: requestedFields,
  })
  .meta({ id: 'AnnotateRequest' });
export type AnnotateRequest = z.output<typeof annotateRequest>;
