import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { SanitizerError } from '../../src/sanitizer-error.ts';
import { SOURCE_SANITIZERS, type SourceFormat } from '../../src/sources/sanitizers.ts';
import type { PreparedSource, SourceOptions } from '../../src/sources/source.ts';

export async function prepare(
  format: SourceFormat,
  document: string | Buffer,
  options: Partial<SourceOptions> = {},
): Promise<PreparedSource> {
  const sanitizer = await SOURCE_SANITIZERS[format]();
  return await sanitizer.prepare(Buffer.from(document), {
    revisions: 'markup',
    updateFields: 'none',
    ...options,
  });
}

/** The error with which a sanitizer rejects a document. Throws if it accepts it, or fails in another way. */
export async function refusal(
  format: SourceFormat,
  document: string | Buffer,
  options: Partial<SourceOptions> = {},
): Promise<{ code: string; message: string }> {
  const error = await prepare(format, document, options).then(
    ({ dropped }) => `taken, with ${JSON.stringify(dropped)}`,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OoxmlError || error instanceof SanitizerError))
    throw new Error(`Expected a rejection, got: ${error}`);
  return { code: error.code, message: error.message };
}

/** The parts of an archive by name, with one character per byte. */
export async function partsOf(archive: Buffer): Promise<Record<string, string>> {
  const budget = new Budget();
  const entries = [...(await readArchive(archive, budget)).values()];
  return Object.fromEntries(
    entries.map((entry) => [entry.name, unpackEntry(entry, budget).toString('utf8')]),
  );
}

/** Maximum time to reject a bomb, in ms, with a margin for slow or busy machines. */
export const BOMB_MS_MAX = 10_000;
