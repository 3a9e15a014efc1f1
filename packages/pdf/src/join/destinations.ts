import { Dict, isName, Name, PdfString, type PdfValue, Ref } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import { DistinctNames } from './distinct-names.ts';
import type { JoinedSource } from './source.ts';
import { type Edits, stringToken } from './template.ts';
import { readTree, writeTree } from './trees.ts';

/** The kinds of names are separate spaces (ISO 32000-2, 12.3.2.4). */
const spaceOf = (value: Name | PdfString): string =>
  value instanceof Name ? `/${value.text}` : `(${value.bytes.toString('latin1')}`;

/** Destinations in one document. */
export class SourceDestinations {
  readonly #source: JoinedSource;
  readonly #named = new Map<string, string>();
  readonly #names: DistinctNames;
  readonly #pages: ReadonlySet<number>;

  constructor(source: JoinedSource, names: DistinctNames) {
    this.#source = source;
    this.#names = names;
    this.#pages = new Set(source.pages.map(({ ref }) => ref.num));
  }

  /** The name in the result, also for a name without a destination: it must not find that of another document. */
  nameOf(value: Name | PdfString): string {
    const key = spaceOf(value);
    const name = this.#named.get(key) ?? this.#names.name(key.slice(1));
    this.#named.set(key, name);
    return name;
  }

  /** Returns a place on a page of this document; undefined if the value is none. It refers to that page only. */
  explicit(value: PdfValue): PdfValue[] | undefined {
    const { document, pages } = this.#source;
    const resolved = document.resolve(value);
    const list = resolved instanceof Dict ? document.get(resolved, 'D') : resolved;
    if (!Array.isArray(list)) return undefined;
    const [first = null, ...view] = list;
    // Some writers give the page's index, as for a page of another file.
    const target = typeof first === 'number' ? (pages[first]?.ref ?? null) : first;
    if (!(target instanceof Ref) || !this.#pages.has(target.num)) return undefined;
    const rest = view.slice(0, 5).map((item) => {
      const plain = document.resolve(item);
      return typeof plain === 'number' || plain instanceof Name ? plain : null;
    });
    return [target, ...rest];
  }

  /** The edit for a key that holds a destination. */
  edit(value: PdfValue): Edits[string] {
    const resolved = this.#source.document.resolve(value);
    if (resolved instanceof Name || resolved instanceof PdfString) return stringToken(this.nameOf(resolved));
    const list = this.explicit(resolved);
    return list ? { value: list } : null;
  }

  /** Go-to actions and links lead to this document's pages. Those to other files keep their destination. */
  rule(dict: Dict): Edits | undefined {
    if (dict.entries.has('D') && isName(dict.get('S'), 'GoTo')) return { D: this.edit(dict.get('D')) };
    if (dict.entries.has('Dest') && isName(dict.get('Subtype'), 'Link'))
      return { Dest: this.edit(dict.get('Dest')) };
    return undefined;
  }
}

/** The named destinations of the result. */
export class JoinedDestinations {
  readonly #names = new DistinctNames();
  readonly #places: [string, string][] = [];

  open(source: JoinedSource): SourceDestinations {
    const destinations = new SourceDestinations(source, this.#names);
    source.rules.push((dict) => destinations.rule(dict));
    return destinations;
  }

  add(source: JoinedSource, destinations: SourceDestinations): void {
    const names = source.dict('Names');
    const add = (name: Name | PdfString, value: PdfValue) => {
      const list = destinations.explicit(value);
      if (list) this.#places.push([destinations.nameOf(name), source.copier.text(list)]);
    };
    for (const [key, { value }] of source.dict('Dests')?.entries ?? []) add(new Name(key), value);
    for (const [key, value] of names ? readTree(source.document, names.get('Dests'), 'Names') : []) {
      if (typeof key === 'string') add(new PdfString(Buffer.from(key, 'latin1'), false), value);
    }
  }

  /** Returns the root of the name tree; undefined without names. */
  finish(file: NewFile): string | undefined {
    return this.#places.length === 0 ? undefined : writeTree(file, this.#places, 'Names');
  }
}
