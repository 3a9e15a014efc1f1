import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import { Dict, type PdfValue } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { NewFile } from '../write/new-file.ts';
import type { SourceDestinations } from './destinations.ts';
import type { JoinedSource } from './source.ts';
import type { Edits } from './template.ts';

const ITEMS_MAX = 200_000;

interface Item {
  /** Its keys but for those that link items; latin1, without brackets. */
  keys: string;
  isOpen: boolean;
  kids: Item[];
}

/** The items that a viewer shows below an item when it is opened. */
const shownBelow = ({ kids }: Item): number =>
  kids.reduce((sum, kid) => sum + 1 + (kid.isOpen ? shownBelow(kid) : 0), 0);

const LINKS = ['Parent', 'Prev', 'Next', 'First', 'Last', 'Count'];
const WITHOUT_LINKS: Edits = Object.fromEntries(LINKS.map((key) => [key, null]));

/** Reads the outline of a document (ISO 32000-2, 12.3.3). Throws PdfError if it is circular or too large. */
function readItems(source: JoinedSource, destinations: SourceDestinations): Item[] {
  const { document } = source;
  const seen = new Set<Dict>();
  const read = (first: PdfValue, depth: number): Item[] => {
    const items: Item[] = [];
    if (depth > BOUNDS.depthMax) throw tooComplex(`bookmarks nested more than ${BOUNDS.depthMax} deep`);
    let dict = document.resolve(first);
    while (dict instanceof Dict) {
      if (seen.has(dict)) throw malformed('its bookmarks are circular');
      seen.add(dict);
      if (seen.size > ITEMS_MAX) throw tooComplex(`more than ${ITEMS_MAX} bookmarks`);
      const count = document.get(dict, 'Count');
      const dest: Edits = dict.entries.has('Dest') ? { Dest: destinations.edit(dict.get('Dest')) } : {};
      const keys = source.copier.text(dict, { ...WITHOUT_LINKS, ...dest }).slice(2, -2);
      const kids = read(dict.get('First'), depth + 1);
      items.push({ keys, isOpen: typeof count === 'number' && count > 0, kids });
      dict = document.get(dict, 'Next');
    }
    return items;
  };
  const root = source.dict('Outlines');
  return root ? read(root.get('First'), 0) : [];
}

/** The outline of the result: a bookmark for each document that has a title, above the document's own. */
export class JoinedOutline {
  readonly #file: NewFile;
  #root: number | undefined;
  #first: number | undefined;
  #shown = 0;
  /** The last item of the top level: it is written when its successor is known. */
  #last: { num: number; keys: string } | undefined;

  constructor(file: NewFile) {
    this.#file = file;
  }

  add(source: JoinedSource, destinations: SourceDestinations, title: string | undefined): void {
    const items = readItems(source, destinations);
    const [page] = source.pages;
    if (title === undefined || !page) {
      for (const item of items) this.#append(item);
      return;
    }
    const place = source.copier.placeOf(page.ref.num);
    const keys = `/Dest[${place} 0 R/Fit]/Title${literal.text(title)}`;
    this.#append({ keys, isOpen: false, kids: items });
  }

  #append(item: Item): void {
    this.#root ??= this.#file.reserve();
    const num = this.#file.reserve();
    const before = this.#last;
    if (before) this.#file.write(before.num, `<<${before.keys}/Next ${num} 0 R>>`);
    this.#first ??= num;
    this.#shown += 1 + (item.isOpen ? shownBelow(item) : 0);
    const previous = before ? `/Prev ${before.num} 0 R` : '';
    this.#last = { num, keys: this.#keysOf(item, num, this.#root) + previous };
  }

  /** Writes the items below one, and returns its keys but for its neighbors. */
  #keysOf(item: Item, num: number, parent: number): string {
    const own = `${item.keys}/Parent ${parent} 0 R`;
    if (item.kids.length === 0) return own;
    const nums = item.kids.map(() => this.#file.reserve());
    for (const [at, kid] of item.kids.entries()) {
      const place = nums[at] ?? 0;
      const previous = at > 0 ? `/Prev ${nums[at - 1]} 0 R` : '';
      const next = at + 1 < nums.length ? `/Next ${nums[at + 1]} 0 R` : '';
      this.#file.write(place, `<<${this.#keysOf(kid, place, num)}${previous}${next}>>`);
    }
    const count = shownBelow(item);
    return `${own}/First ${nums[0]} 0 R/Last ${nums.at(-1)} 0 R/Count ${item.isOpen ? count : -count}`;
  }

  /** Returns the number of the outline; undefined without bookmarks. */
  finish(): number | undefined {
    if (this.#root === undefined || !this.#last) return undefined;
    this.#file.write(this.#last.num, `<<${this.#last.keys}>>`);
    const ends = `/First ${this.#first} 0 R/Last ${this.#last.num} 0 R`;
    this.#file.write(this.#root, `<</Type/Outlines${ends}/Count ${this.#shown}>>`);
    return this.#root;
  }
}
