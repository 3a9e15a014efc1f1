import { z } from 'zod';
import { dataValue } from './data-value.ts';
import { documentPassword } from './document-password.ts';
import { documentSource } from './document-source.ts';

/** The query of `POST /v1/templates/inspect`. */
export const inspectQuery = z.strictObject({
  to: z
    .enum(['json', 'docx'])
    .default('json')
    .describe('`json`: the fields and marks. `docx`: the template with a comment at each mistake and doubt'),
});

/** The body of `POST /v1/templates/inspect`. */
export const inspectRequest = z
  .strictObject({
    document: documentSource,
    password: documentPassword,
    data: dataValue
      .optional()
      .describe(
        'Data to compare with the marks of the template, or with the fields of a PDF form: any JSON object or array',
      ),
  })
  .meta({ id: 'InspectRequest' });
