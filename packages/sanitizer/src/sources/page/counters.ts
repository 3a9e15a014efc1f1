import type { Styles } from './cascade.ts';

const CHANGE = /([\w-]{1,100})\s*([+-]?\d{1,9})?/g;
const CHANGES_MAX = 100;
/** Counters with one name that are open inside each other. */
const NESTED_MAX = 256;

/** The counters of a page (CSS Lists 3 §4), each in the elements where it was set. */
export class Counters {
  readonly #values = new Map<string, number[]>();

  /** Applies what an element sets. `scope` has the names that its parent closes. */
  apply(styles: Styles, scope: Set<string>): void {
    for (const [name, value] of changesOf(styles.get('counter-reset'), 0)) this.#set(name, value, scope);
    for (const [name, value] of changesOf(styles.get('counter-increment'), 1)) {
      const values = this.#values.get(name) ?? [];
      if (values.length === 0) this.#set(name, value, scope);
      else values.push((values.pop() ?? 0) + value);
    }
  }

  #set(name: string, value: number, scope: Set<string>): void {
    const values = this.#values.get(name) ?? [];
    this.#values.set(name, values);
    if (scope.has(name) || values.length >= NESTED_MAX) values.pop();
    else scope.add(name);
    values.push(value);
  }

  close(scope: ReadonlySet<string>): void {
    for (const name of scope) this.#values.get(name)?.pop();
  }

  /** The value of the innermost counter last. */
  valuesOf(name: string): readonly number[] {
    const values = this.#values.get(name) ?? [];
    return values.length === 0 ? [0] : values;
  }
}

function changesOf(text: string | undefined, missing: number): [name: string, value: number][] {
  if (text === undefined || /^(?:none|inherit|initial|unset)$/.test(text)) return [];
  return [...text.matchAll(CHANGE)]
    .slice(0, CHANGES_MAX)
    .map(([, name = '', value]) => [name, Number(value ?? missing)]);
}
