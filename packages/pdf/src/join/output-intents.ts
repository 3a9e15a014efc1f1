import { Dict, Name } from '../read/values.ts';
import type { Source } from './source.ts';

/** The output intents of the result (ISO 32000-2, 14.11.5), one of each type. */
export class JoinedIntents {
  readonly #byType = new Map<string, Set<string>>();

  add(source: Source): void {
    for (const item of source.list(source.catalog, 'OutputIntents')) {
      const dict = source.document.resolve(item);
      const text = source.copier.reference(item);
      if (!(dict instanceof Dict) || text === undefined) continue;
      const type = source.document.get(dict, 'S');
      const key = type instanceof Name ? type.text : '';
      this.#byType.set(key, (this.#byType.get(key) ?? new Set()).add(text));
    }
  }

  /** Whether documents mean different colors by the same values; then the result has no intent of that type. */
  get isAmbiguous(): boolean {
    return [...this.#byType.values()].some(({ size }) => size > 1);
  }

  finish(): string | undefined {
    const clear = [...this.#byType.values()].filter(({ size }) => size === 1).flatMap((texts) => [...texts]);
    return clear.length === 0 ? undefined : `[${clear.join(' ')}]`;
  }
}
