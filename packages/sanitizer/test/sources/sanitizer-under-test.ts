import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { SanitizerError } from '../../src/sanitizer-error.ts';
import { SOURCE_SANITIZERS, type SourceFormat } from '../../src/sources/sanitizers.ts';
import type { PreparedSource } from '../../src/sources/source.ts';

export async function prepare(format: SourceFormat, document: string | Buffer): Promise<PreparedSource> {
  const sanitizer = await SOURCE_SANITIZERS[format]();
  return await sanitizer.prepare(Buffer.from(document), { revisions: 'markup', updateFields: 'none' });
}

/** How a sanitizer refuses a document; throws where it takes it, or fails in another way. */
export async function refusal(
  format: SourceFormat,
  document: string | Buffer,
): Promise<{ code: string; message: string }> {
  const error = await prepare(format, document).then(
    ({ dropped }) => `taken, with ${JSON.stringify(dropped)}`,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OoxmlError || error instanceof SanitizerError))
    throw new Error(`Expected a refusal, got: ${error}`);
  return { code: error.code, message: error.message };
}

/** The parts of an archive by name; bytes as one character each. */
export async function partsOf(archive: Buffer): Promise<Record<string, string>> {
  const budget = new Budget();
  const entries = [...(await readArchive(archive, budget)).values()];
  return Object.fromEntries(
    entries.map((entry) => [entry.name, unpackEntry(entry, budget).toString('utf8')]),
  );
}

/** Time for a refusal of a bomb, ms: tests run beside others on machines of any speed. */
export const BOMB_MS_MAX = 10_000;
