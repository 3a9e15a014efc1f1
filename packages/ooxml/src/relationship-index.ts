import { BOUNDS, boundPassed } from './bounds.ts';
import type { Part, Relationship } from './package.ts';

/** The relationships of one part, which may have thousands. */
export class RelationshipIndex {
  readonly #source: Part;
  readonly #list: Relationship[];
  readonly #ids = new Map<string, string>();
  readonly #used = new Set<string>();

  /** From here on, the part's list may grow. */
  constructor(source: Part) {
    this.#list = [...source.relationships.list];
    source.relationships = { ...source.relationships, list: this.#list };
    this.#source = source;
    for (const relationship of this.#list) {
      this.#used.add(relationship.id);
      this.#ids.set(keyOf(relationship), this.#ids.get(keyOf(relationship)) ?? relationship.id);
    }
  }

  /** The id of such a relationship, which is added if there is none. */
  idOf(added: Omit<Relationship, 'id'>): string {
    const key = keyOf(added);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.#list.length >= BOUNDS.relationshipsMax) throw boundPassed('relationshipsMax');
    let number = this.#list.length + 1;
    while (this.#used.has(`rId${number}`)) number++;
    const id = `rId${number}`;
    this.#used.add(id);
    this.#ids.set(key, id);
    this.#list.push({ id, ...added });
    // Without the original entry, the list is written.
    this.#source.relationships = { list: this.#list };
    return id;
  }
}

function keyOf({ kind, isExternal, target, part }: Omit<Relationship, 'id'>): string {
  return `${kind} ${isExternal ? `to ${target}` : `in ${part ?? `no part ${target}`}`}`;
}
