import { z } from 'zod';
import type { UploadedFile } from '../middleware/receive-files.ts';

/** The properties of a document in a request. Exactly one of them is given. */
export const SOURCE = {
  base64: z
    .string()
    .optional()
    .describe('The document in base64 (RFC 4648 §4), bare or as a data URI: `data:<type>;base64,…`'),
  url: z.string().min(1).optional().describe('Public `http` or `https` URL of the document'),
};

/** Rejects a document without one of the two, or with both. */
export const hasOneSource = ({ base64, url }: { base64?: unknown; url?: unknown }): boolean =>
  (base64 === undefined) !== (url === undefined);
export const oneSource = {
  error: 'must have exactly one of `base64` and `url`',
  when: ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null,
};
export const ONE_SOURCE_META = {
  description: 'Exactly one of `base64` and `url`',
  oneOf: [{ required: ['base64'] }, { required: ['url'] }],
};

/** The source of the document of a request. */
export const documentSource = z
  .strictObject(SOURCE)
  .refine(hasOneSource, oneSource)
  .meta({ id: 'DocumentSource', ...ONE_SOURCE_META });
/** `upload` is the file of a form. */
export type DocumentSource = z.output<typeof documentSource> & { upload?: UploadedFile };
