import { z } from 'zod';

/** The source of the document of a request. */
export const documentSource = z
  .strictObject({
    base64: z
      .string()
      .optional()
      .describe('The document in base64 (RFC 4648 §4), bare or as a data URI: `data:<type>;base64,…`'),
    url: z.string().min(1).optional().describe('Public `http` or `https` URL of the document'),
  })
  .refine(({ base64, url }) => (base64 === undefined) !== (url === undefined), {
    error: 'must have exactly one of `base64` and `url`',
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    description: 'Exactly one of `base64` and `url`',
    oneOf: [{ required: ['base64'] }, { required: ['url'] }],
  });
export type DocumentSource = z.output<typeof documentSource>;
