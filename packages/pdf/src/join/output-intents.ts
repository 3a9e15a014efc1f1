import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { Dict, isName, Name, Stream } from '../read/values.ts';
import type { JoinedSource } from './source.ts';

const PROFILE_BYTES_MAX = 16 * 1024 * 1024;
/** The date of creation and the identifier in the header of a profile (ICC.1:2022, 7.2). */
const DATE = [24, 36] as const;
const IDENTIFIER = [84, 100] as const;

/** A hash of an ICC profile without the time at which it was written: LibreOffice writes the same one anew. */
function profileHash(source: JoinedSource, profile: Stream): string {
  const filter = source.document.get(profile.dict, 'Filter');
  const [only = null, ...more] = Array.isArray(filter) ? filter : [filter];
  const isDeflated = more.length === 0 && isName(source.document.resolve(only), 'FlateDecode');
  let data = Buffer.from(profile.data);
  try {
    if (isDeflated) data = inflateSync(profile.data, { maxOutputLength: PROFILE_BYTES_MAX });
  } catch {
    // Compared as it is.
  }
  for (const range of [DATE, IDENTIFIER]) data.fill(0, ...range);
  return createHash('sha256').update(data).digest('hex');
}

/** The output intents of the result (ISO 32000-2, 14.11.5), one of each type. */
export class JoinedIntents {
  /** The text of the first intent of a type by its meaning. */
  readonly #byType = new Map<string, Map<string, string>>();

  add(source: JoinedSource): void {
    const { document, copier } = source;
    for (const item of source.list(source.catalog, 'OutputIntents')) {
      const dict = document.resolve(item);
      if (!(dict instanceof Dict)) continue;
      const type = document.get(dict, 'S');
      const key = type instanceof Name ? type.text : '';
      const known = this.#byType.get(key) ?? new Map<string, string>();
      this.#byType.set(key, known);
      const profile = document.get(dict, 'DestOutputProfile');
      const hash = profile instanceof Stream ? profileHash(source, profile) : '';
      const meaning = hash + copier.text(dict, { DestOutputProfile: null });
      if (!known.has(meaning)) known.set(meaning, copier.reference(item) ?? 'null');
    }
  }

  /** Whether documents mean different colors by the same values; then the result has no intent of that type. */
  get isAmbiguous(): boolean {
    return [...this.#byType.values()].some(({ size }) => size > 1);
  }

  finish(): string | undefined {
    const clear = [...this.#byType.values()].filter(({ size }) => size === 1);
    const texts = clear.flatMap((known) => [...known.values()]);
    return texts.length === 0 ? undefined : `[${texts.join(' ')}]`;
  }
}
