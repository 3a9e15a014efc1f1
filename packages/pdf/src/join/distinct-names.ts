/** Gives names that mean one thing in the result. */
export class DistinctNames {
  readonly #separator: string;
  readonly #taken = new Set<string>();
  readonly #byMeaning = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `separator` goes between a name that is taken and a number. */
  constructor(separator = '.') {
    this.#separator = separator;
  }

  /** Returns the name, or with a number if it is taken for another meaning. Without a meaning, each name is new. */
  name(wanted: string, meaning?: string): string {
    const key = meaning === undefined ? undefined : JSON.stringify([wanted, meaning]);
    const known = key === undefined ? undefined : this.#byMeaning.get(key);
    if (known !== undefined) return known;
    let name = wanted;
    let count = this.#counts.get(wanted) ?? 1;
    while (this.#taken.has(name)) name = `${wanted}${this.#separator}${++count}`;
    this.#counts.set(wanted, count);
    this.#taken.add(name);
    if (key !== undefined) this.#byMeaning.set(key, name);
    return name;
  }
}
