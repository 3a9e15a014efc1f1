import { pdfOptions } from '@scriptorium/contracts/jobs/convert';
import { generation } from '@scriptorium/docx-generate/generation';
import { requestedFields } from '@scriptorium/docx-template/fields';
import { z } from 'zod';
import { type Data, dataValue } from './data-value.ts';
import { documentPassword } from './document-password.ts';
import { documentSource } from './document-source.ts';
import { signInstructions } from './sign-request.ts';

/** The query of `POST /v1/generate`. */
export const generateQuery = z.strictObject({
  to: z.enum(['docx', 'pdf']).default('docx').describe('Format of the result'),
});

const DEFAULTS: Readonly<Record<string, unknown>> = generation.parse({});

const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

/** What is filled, by one of two ways. */
export const content = {
  data: dataValue
    .optional()
    .describe(
      'The data for the marks of the template, or for the fields of a PDF form: any JSON object or array',
    ),
  fields: requestedFields.optional().describe('The fields to fill, as in `POST /v1/annotate`'),
};

/** How a template is filled, and what happens to the document then. */
export const instructions = {
  document: documentSource,
  options: z
    .strictObject(generation.shape)
    .meta({ id: 'GenerationOptions' })
    .prefault({})
    .describe(
      'With `fields`, only `onMissing` applies: `error` rejects an entry that matches nothing; `empty` and `keep` count it. Fields without an entry remain unchanged. With `data` for a PDF form, only `onMissing` and `onUnused` apply',
    ),
  convert: pdfOptions
    .meta({ id: 'PdfOptions' })
    .optional()
    .describe('Options of the conversion, as in `POST /v1/convert`. Requires `to=pdf`'),
  sign: signInstructions
    .optional()
    .describe(
      'Sign the result: the body of `POST /v1/sign` without `document` and `password`; the signer gets that of a PDF form. The answer then has `signature`, `auditTrail` and `warnings`',
    ),
};

type Filled = { data?: unknown; fields?: unknown };

/** Whether it has exactly one of `data` and `fields`. */
export const hasOneContent = ({ data, fields }: Filled): boolean =>
  (data === undefined) !== (fields === undefined);

/** The names of the options that have no effect on fields. */
export function optionsOfDataOnly(options: z.output<typeof instructions.options>): string[] {
  return Object.entries(options)
    .filter(([name, value]) => name !== 'onMissing' && value !== DEFAULTS[name])
    .map(([name]) => name);
}

/** The body of `POST /v1/generate`. */
export const generateRequest = z
  .strictObject({ ...content, ...instructions, password: documentPassword })
  .refine(hasOneContent, {
    error: 'must have exactly one of `data` and `fields`',
    when: isObject,
  })
  .superRefine(({ fields, options }, context) => {
    if (fields === undefined) return;
    for (const name of optionsOfDataOnly(options))
      context.addIssue({ code: 'custom', path: ['options', name], message: 'requires `data`' });
  })
  .superRefine(({ sign }, context) => {
    if (sign?.key?.external?.signature !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['sign', 'key', 'external', 'signature'],
        message: 'belongs in `POST /v1/sign`, with the document of the first answer',
      });
  })
  .meta({ id: 'Generation', oneOf: [{ required: ['data'] }, { required: ['fields'] }] });
export type GenerateRequest = z.output<typeof generateRequest>;

/** Exactly one of the two. */
export type Content = { data: Data } | { fields: NonNullable<GenerateRequest['fields']> };

/** Throws if the request is not validated. */
export function contentOf({ data, fields }: Pick<GenerateRequest, 'data' | 'fields'>): Content {
  if (data !== undefined) return { data };
  if (fields !== undefined) return { fields };
  throw new Error('the request has neither data nor fields');
}
