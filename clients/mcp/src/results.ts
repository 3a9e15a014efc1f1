import type { Made } from '@scriptorium/client';
import { z } from 'zod';
import type { Context, ToolAnswer } from './tool.ts';

const named = z
  .object({ count: z.int(), names: z.array(z.string()) })
  .describe('How many, and the first names');

/** What every tool that writes a document answers. */
export const made = z.looseObject({
  output: z.string().describe('The document that was written'),
  bytes: z.int(),
  pages: z.int().optional(),
  requestId: z.string(),
  pictureFault: z.string().optional().describe('Why the page that was asked for cannot be shown'),
});

export const filled = made.extend({
  filled: z.int().describe('Places that were filled'),
  unmatched: named.describe('Values that found no place, or that are missing'),
  unused: named.describe('Properties of the data that no mark reads'),
  remaining: z.int().describe('Marks that are still in the text'),
  warnings: z.array(z.string()),
});

/** Makes a document, and writes it under a new name. Returns the facts about it. */
export async function create(
  name: string,
  { documents }: Context,
  make: () => Promise<Made>,
  picture?: () => Promise<Uint8Array>,
): Promise<ToolAnswer> {
  await documents.checkNew(name);
  const { bytes, fileName: _, ...facts } = await make();
  await documents.create(name, bytes);
  const answer = { output: name, bytes: bytes.length, ...facts };
  if (picture === undefined) return { facts: answer };
  // The document is there already: the call does not fail because it cannot be shown.
  return picture().then(
    (shown) => ({ facts: answer, pictures: [shown] }),
    (error: Error) => ({ facts: { ...answer, pictureFault: error.message } }),
  );
}
