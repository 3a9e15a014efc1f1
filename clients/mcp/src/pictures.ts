import { type ConvertOptions, ScriptoriumError } from '@scriptorium/client';
import { CONVERT_OPTIONS } from '@scriptorium/client/options';
import { z } from 'zod';
import type { Context } from './tool.ts';

const PIXELS_PER_INCH = 80;

export const show = z
  .int()
  .min(1)
  .optional()
  .describe('A page of the result to show as a picture in the answer. It counts as a conversion');

/** The options that also suit a picture. */
const SUITABLE = new Set(
  CONVERT_OPTIONS.filter(({ to }) => to === undefined || to.includes('png')).map(({ name }) => name),
);

/** A page of a document as PNG, by the service. Throws for a PDF, which it does not draw. */
export async function pictureOf(
  file: File,
  page: number,
  { client, signal }: Pick<Context, 'client' | 'signal'>,
  options: Record<string, unknown> = {},
): Promise<Uint8Array> {
  if (/\.pdf$/i.test(file.name))
    throw new ScriptoriumError({
      code: 'DATA_INVALID',
      message: 'The service shows no pages of a PDF. Show the document that the PDF was made of.',
    });
  const suitable = Object.fromEntries(Object.entries(options).filter(([name]) => SUITABLE.has(name)));
  const asked: ConvertOptions = { dpi: PIXELS_PER_INCH, ...suitable, to: 'png', pages: String(page), signal };
  return (await client.convert(file, asked)).bytes;
}
