import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';

export const SOURCE_FORMATS = ['docx'] as const;
export const TARGET_FORMATS = ['pdf'] as const;

/** The conversion's options as a caller gives them in the query. */
export const convertOptions = z.strictObject({
  from: z.enum(SOURCE_FORMATS).describe('Format of the uploaded file'),
  to: z.enum(TARGET_FORMATS).default('pdf').describe('Format of the result'),
});
export type ConvertOptions = z.infer<typeof convertOptions>;

export const convertJob = defineJob({
  name: 'convert',
  input: z.object({ source: blobRef, options: convertOptions }),
  output: z.object({
    result: blobRef,
    contentType: z.string(),
    pages: z.number().int().positive(),
    convertMs: z.number(),
  }),
  timeoutMs: 600_000,
});
