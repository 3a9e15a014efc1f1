import type { Declaration, StyleRule } from './style-sheet.ts';

const ROOT = /^(?::root|html|body|\*)$/;
const USE = /var\(\s{0,9}(--[\w-]{1,100})\s{0,9}(?:,([^()]{0,200}))?\)/g;
const VALUE_CHARS_MAX = 1_000;
/** Variables that use others, which use others. */
const CHAIN_MAX = 4;

/** Variables that a page sets once, for all its elements. Others depend on the element, and stay as they are. */
export class Variables {
  readonly #values = new Map<string, string>();

  constructor(rules: readonly StyleRule[]) {
    const others = new Set<string>();
    for (const { head, declarations } of rules)
      for (const { name, value } of declarations) {
        if (!name.startsWith('--')) continue;
        if (ROOT.test(head)) this.#values.set(name, value);
        else others.add(name);
      }
    for (const name of others) this.#values.delete(name);
  }

  resolved(declarations: readonly Declaration[]): Declaration[] {
    return declarations.map((declaration) => {
      if (!declaration.value.includes('var(')) return declaration;
      const value = this.#resolve(declaration.value);
      return { ...declaration, value, source: `${declaration.name}: ${value}` };
    });
  }

  #resolve(text: string): string {
    let value = text;
    for (
      let chain = 0;
      chain < CHAIN_MAX && value.includes('var(') && value.length <= VALUE_CHARS_MAX;
      chain++
    )
      value = value.replace(
        USE,
        (use, name: string, fallback?: string) => this.#values.get(name) ?? fallback ?? use,
      );
    return value.length <= VALUE_CHARS_MAX ? value : text;
  }
}
