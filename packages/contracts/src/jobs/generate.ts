import { generateReport, generation } from '@scriptorium/docx-generate/generation';
import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';
import { conversion } from './convert.ts';
import { signRequest } from './sign.ts';

/**
 * `data` is a JSON blob: any value for the language of the template. `fields` is a JSON blob with `fieldValues` of the
 * template package. `images` has the bytes to which either of them refers.
 */
export const generateJob = defineJob({
  name: 'generate',
  role: 'annotator',
  input: z.object({
    source: blobRef,
    content: z.union([z.object({ data: blobRef }), z.object({ fields: blobRef })]),
    images: blobRef.optional(),
    /** The template is a PDF form. */
    isForm: z.boolean().optional(),
    /** The password of an encrypted PDF form, sealed for the annotator. */
    passwordBox: z.string().optional(),
    options: generation,
    /** If set, the annotator forwards the document to the converter, without a second trip through the gateway. */
    thenConvert: conversion.optional(),
    /** If set, the last of these workers forwards the document to the signer. */
    thenSign: signRequest.optional(),
  }),
  output: z.object({ result: blobRef, contentType: z.string(), report: generateReport }),
  timeoutMs: 120_000,
});
