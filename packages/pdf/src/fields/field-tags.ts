import { readTree } from '../join/trees.ts';
import type { Page } from '../read/pages.ts';
import { Dict, isName, type PdfValue, Ref } from '../read/values.ts';
import { editDict, type Update } from '../write/update.ts';
import type { FoundPlace } from './field-places.ts';

/** An element whose kids change, and the places of its annotations among them by their numbers. */
interface ChangedKids {
  ref: Ref;
  element: Dict;
  texts: string[];
  places: Map<number, number>;
}

/** Changes the structure elements of form fields. Without a structure, it does nothing. */
export class FieldTags {
  readonly #update: Update;
  readonly #root: Dict | undefined;
  readonly #rootRef: Ref | undefined;
  readonly #parents: Map<number, string>;
  readonly #elements: Map<number, PdfValue>;
  #added: string[] = [];
  /** The kids of elements that change. */
  readonly #kids = new Map<number, ChangedKids>();
  /** The elements of the marked content of pages that get more. */
  readonly #grown = new Map<number, PdfValue[]>();
  #isChanged = false;

  constructor(update: Update) {
    const { document } = update;
    const { dict, ref } = document.owned(document.catalog.value, 'StructTreeRoot');
    this.#update = update;
    this.#root = dict;
    this.#rootRef = ref;
    const tree = dict ? readTree(document, dict.get('ParentTree'), 'Nums') : new Map();
    const numbered = [...tree].filter((entry): entry is [number, PdfValue] => typeof entry[0] === 'number');
    this.#elements = new Map(numbered);
    this.#parents = new Map(numbered.map(([key, value]) => [key, this.#textOf(value)]));
  }

  /**
   * Makes a form element for the annotation of a field, in the place of the element of its link. Returns the key of the
   * annotation, and the numbers of the marked content that the link had.
   */
  turn({ ref, structParent }: FoundPlace, page: Page): { key: string; marks: number[] } {
    if (this.#root === undefined) return { key: '', marks: [] };
    const element = structParent === undefined ? undefined : this.#elements.get(structParent);
    const link = element && this.#update.document.resolve(element);
    if (!(element instanceof Ref) || !(link instanceof Dict) || structParent === undefined)
      return { key: this.#add(ref, page), marks: [] };
    const { own, parent } = this.#outermost(element, link);
    this.#update.replace(own, formElement(parent, page, ref));
    if (own.num !== element.num) this.#update.replace(element, 'null');
    this.#set(structParent, own);
    const marks = this.#marksOf(link);
    this.#forget(page, marks);
    return { key: `/StructParent ${structParent}`, marks };
  }

  /** Takes away the element of a link that becomes no field. */
  remove({ structParent }: FoundPlace, page: Page): number[] {
    const element = structParent === undefined ? undefined : this.#elements.get(structParent);
    const link = element && this.#update.document.resolve(element);
    if (!(element instanceof Ref) || !(link instanceof Dict) || structParent === undefined) return [];
    const marks = this.#marksOf(link);
    const { own } = this.#outermost(element, link);
    this.#update.replace(element, 'null');
    if (own.num !== element.num) this.#update.replace(own, 'null');
    this.#parents.delete(structParent);
    this.#isChanged = true;
    this.#forget(page, marks);
    return marks;
  }

  get isTagged(): boolean {
    return this.#root !== undefined;
  }

  /**
   * Makes marked content of a page of the annotation of a field, which goes. Returns the number of the content; undefined if
   * the annotation has no element.
   */
  mark({ ref, structParent }: Pick<FoundPlace, 'ref' | 'structParent'>, page: Page): number | undefined {
    const { document } = this.#update;
    const own = structParent === undefined ? undefined : this.#elements.get(structParent);
    const element = own && document.resolve(own);
    const key = document.get(page.object.value, 'StructParents');
    const list = typeof key === 'number' ? document.resolve(this.#elements.get(key) ?? null) : null;
    if (!(own instanceof Ref) || !(element instanceof Dict) || structParent === undefined) return undefined;
    if (this.#rootRef === undefined || typeof key !== 'number' || !Array.isArray(list)) return undefined;
    const changed = this.#kids.get(own.num) ?? this.#kidsOf(own, element);
    const place = changed.places.get(ref.num);
    if (place === undefined) return undefined;
    changed.texts[place] = `<</Type/MCR/Pg ${page.ref}/MCID ${list.length}>>`;
    this.#kids.set(own.num, changed);
    this.#grown.set(key, list);
    list.push(own);
    this.#parents.delete(structParent);
    this.#isChanged = true;
    return list.length - 1;
  }

  #kidsOf(ref: Ref, element: Dict): ChangedKids {
    const { document } = this.#update;
    const value = document.get(element, 'K');
    const items: readonly PdfValue[] = Array.isArray(value) ? value : [element.get('K')];
    const changed: ChangedKids = { ref, element, texts: [], places: new Map() };
    for (const item of items) {
      const kid = document.resolve(item);
      const object = kid instanceof Dict ? kid.get('Obj') : null;
      if (object instanceof Ref) changed.places.set(object.num, changed.texts.length);
      changed.texts.push(item instanceof Dict ? editDict(item, {}) : String(item ?? 'null'));
    }
    return changed;
  }

  finish(): void {
    if (this.#root === undefined || this.#rootRef === undefined || !this.#isChanged) return;
    for (const { ref, element, texts } of this.#kids.values())
      this.#update.replace(ref, editDict(element, { K: `[${texts.join(' ')}]` }));
    for (const [key, list] of this.#grown) this.#parents.set(key, this.#textOf(list));
    const numbers = [...this.#parents].sort(([a], [b]) => a - b).map(([key, value]) => `${key} ${value}`);
    const tree = this.#update.add(`<</Nums[${numbers.join(' ')}]>>`);
    const next = this.#nextKey();
    this.#update.replace(
      this.#rootRef,
      editDict(this.#root, {
        ParentTree: String(tree),
        ParentTreeNextKey: String(next),
        ...this.#withAdded(this.#root),
      }),
    );
  }

  /** Above all keys of the tree of parents, which may be more than a call takes. */
  #nextKey(): number {
    let next = 0;
    for (const key of this.#parents.keys()) next = Math.max(next, key + 1);
    return next;
  }

  /** The figure around a link, or the link itself. */
  #outermost(element: Ref, link: Dict): { own: Ref; parent: PdfValue } {
    const { document } = this.#update;
    const parent = link.get('P');
    const figure = document.resolve(parent);
    const kids = figure instanceof Dict ? document.get(figure, 'K') : null;
    const isAlone = !Array.isArray(kids) || kids.length === 1;
    const isFigure = figure instanceof Dict && isName(document.get(figure, 'S'), 'Figure');
    if (parent instanceof Ref && figure instanceof Dict && isFigure && isAlone)
      return { own: parent, parent: figure.get('P') };
    return { own: element, parent };
  }

  #marksOf(link: Dict): number[] {
    const kids = this.#update.document.get(link, 'K');
    const list = Array.isArray(kids) ? kids : [kids];
    return list.filter((kid) => typeof kid === 'number');
  }

  /** The marked content of these numbers belongs to no element any more. */
  #forget(page: Page, marks: readonly number[]): void {
    const key = this.#update.document.get(page.object.value, 'StructParents');
    const list =
      typeof key === 'number' ? this.#update.document.resolve(this.#elements.get(key) ?? null) : null;
    if (typeof key !== 'number' || !Array.isArray(list)) return;
    for (const mark of marks) list[mark] = null;
    this.#parents.set(key, this.#textOf(list));
  }

  /** What is in a header has no element. It gets one at the end of the document. */
  #add(annotation: Ref, page: Page): string {
    const key = this.#nextKey();
    const own = this.#update.add(formElement(this.#top ?? this.#rootRef ?? null, page, annotation));
    this.#added.push(String(own));
    this.#set(key, own);
    return `/StructParent ${key}`;
  }

  /** The element of the whole document. */
  get #top(): Ref | undefined {
    const kids = this.#root && this.#update.document.get(this.#root, 'K');
    const top = Array.isArray(kids) ? kids[0] : this.#root?.get('K');
    return top instanceof Ref ? top : undefined;
  }

  #set(key: number, element: Ref): void {
    this.#parents.set(key, String(element));
    this.#isChanged = true;
  }

  /** Adds elements to that of the document. Without one, returns the change of the root. */
  #withAdded(root: Dict): { K?: string } {
    if (this.#added.length === 0) return {};
    const { document } = this.#update;
    const top = this.#top;
    const element = top && document.resolve(top);
    const holder = element instanceof Dict ? element : root;
    const kids = document.get(holder, 'K');
    const before = Array.isArray(kids) ? kids : [holder.get('K')];
    const all = `[${[...before.filter((kid) => kid instanceof Ref), ...this.#added].join(' ')}]`;
    if (top === undefined || holder === root) return { K: all };
    this.#update.replace(top, editDict(holder, { K: all }));
    return {};
  }

  #textOf(value: PdfValue): string {
    if (value instanceof Ref && !Array.isArray(this.#update.document.resolve(value))) return String(value);
    const list = this.#update.document.resolve(value);
    return Array.isArray(list)
      ? `[${list.map((item) => (item instanceof Ref ? item : 'null')).join(' ')}]`
      : 'null';
  }
}

/** ISO 32000-1 §14.8.4.5: its only child is the annotation. */
function formElement(parent: PdfValue, { ref: page }: Page, annotation: Ref): string {
  const kid = `<</Type/OBJR/Pg ${page}/Obj ${annotation}>>`;
  return `<</Type/StructElem/S/Form/P ${parent instanceof Ref ? parent : 'null'}/Pg ${page}/K[${kid}]>>`;
}
