import type { Story } from '../template/story.ts';
import { readNames } from './compile.ts';
import { findMarks, type Mark } from './marks.ts';

/** `{name}`, `{{name}}` or `${name}` in running text. */
export interface Placeholder extends Mark {
  name: string;
}

const PLACEHOLDER_BYTES = 600;

/** The placeholders of a template, compiled once without values. */
export class Placeholders {
  /** In document order. */
  readonly all: readonly Placeholder[];
  readonly #byName = new Map<string, Placeholder[]>();

  constructor(stories: readonly Story[]) {
    const marks = stories.flatMap(findMarks);
    const names = readNames(marks);
    this.all = marks.map((mark, index) => ({ ...mark, name: names[index] ?? '' }));
    for (const placeholder of this.all) {
      const known = this.#byName.get(placeholder.name);
      if (known === undefined) this.#byName.set(placeholder.name, [placeholder]);
      else known.push(placeholder);
    }
  }

  /** All placeholders with this name. Empty if there are none. */
  withName(name: string): readonly Placeholder[] {
    return this.#byName.get(name) ?? [];
  }

  /** Approximate memory use. */
  get memoryBytes(): number {
    return PLACEHOLDER_BYTES * this.all.length;
  }
}
